package rego

import (
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// packageWrit holds the rules that Writ asks for.
const packageWrit = "writ"

// capabilities are what a policy may use: built-ins whose answer depends on nothing
// but their arguments, and that stop when they are told to.
func capabilities() *ast.Capabilities {
	c := ast.CapabilitiesForThisVersion()
	c.AllowNet = []string{}
	c.Builtins = slices.DeleteFunc(c.Builtins, func(b *ast.Builtin) bool {
		return b.Nondeterministic || refused(b.Name)
	})
	return c
}

// refused names built-ins that OPA does not flag as nondeterministic and that a
// decision must not depend on.
func refused(builtin string) bool {
	switch builtin {
	case "http.send", "opa.runtime", "rand.intn", "uuid.rfc4122", "time.now_ns":
		return true // Flagged today; named so that a lost flag lets nothing in.
	case "crypto.x509.parse_and_verify_certificates", "crypto.x509.parse_and_verify_certificates_with_options":
		return true // They look at the clock.
	case "bits.lsh":
		return true // A large shift ignores the deadline and takes all memory.
	case "rego.parse_module", "trace":
		return true // Not about the call.
	}
	return strings.HasPrefix(builtin, "net.") && !strings.HasPrefix(builtin, "net.cidr_")
}

// newCompiler compiles strictly and within the capabilities.
func newCompiler() *ast.Compiler {
	return ast.NewCompiler().
		WithStrict(true).
		WithCapabilities(capabilities()).
		WithDefaultRegoVersion(ast.RegoV1)
}

// typedCompiler also checks types against the document.
func typedCompiler() *ast.Compiler {
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, newShape(nil).schema())
	return newCompiler().WithSchemas(schemas)
}

// compile type-checks modules against the document and makes them ready to run.
func compile(modules ...map[string]*ast.Module) (*ast.Compiler, findings) {
	c := typedCompiler()
	if c.Compile(copied(modules...)); c.Failed() {
		return nil, compilerFindings(c.Errors)
	}
	return c, nil
}

// copied merges modules; a compiler may change what it is given.
func copied(modules ...map[string]*ast.Module) map[string]*ast.Module {
	all := map[string]*ast.Module{}
	for _, m := range modules {
		for name, module := range m {
			all[name] = module.Copy()
		}
	}
	return all
}

// resolved shows the modules as they are once refs are resolved, while calls stand as
// written; false where they don't compile.
func (s *source) resolved(look func(*ast.Module)) bool {
	c := newCompiler().WithStageAfterID(ast.StageResolveRefs, ast.CompilerStageDefinition{
		Name:       "Resolved",
		MetricName: "resolved",
		Stage: func(c *ast.Compiler) *ast.Error {
			for _, m := range c.Modules {
				look(m)
			}
			return nil
		},
	})
	c.Compile(copied(s.modules))
	return !c.Failed()
}

// question compiles the query for all verdicts.
func question(c *ast.Compiler) (ast.Body, error) {
	body, err := ast.ParseBody(string(answerVar) + " = data.writ.verdict")
	if err != nil {
		return nil, err
	}
	return c.QueryCompiler().Compile(body)
}

// sortedModules returns modules in order of path.
func sortedModules(modules map[string]*ast.Module) []*ast.Module {
	var list []*ast.Module
	for _, name := range slices.Sorted(maps.Keys(modules)) {
		list = append(list, modules[name])
	}
	return list
}
