package rego

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/writ-dev/writ/decisions"
)

// probe answers whether a verdict needs arguments that a call lacks (R11).
//
// Which arguments the rules name is known, but not every rule is about every call: a
// rule about "pay" that names an amount must not stop "send". So the policy is
// evaluated partially, with the absent arguments unknown: what is left over and still
// names one of them depends on it. Order within a rule does not matter to that.
//
// Partial evaluation takes a value as unknown when a part of it is, so that one absent
// argument would hide the whole object from rules that look at all arguments. The
// probe's copy of the policy therefore reads named arguments from a key of their own.
type probe struct {
	compiler *ast.Compiler
	query    ast.Body
	// named are the refs below input.arguments that the rules name, and whole is set
	// where a rule reads the object.
	named []ast.Ref
	whole bool
}

// namedKey holds the arguments again, for refs that name one.
const namedKey = "named arguments"

// newProbe returns nil where the policy reads no argument.
func (s *source) newProbe(reads []inputPath) (*probe, error) {
	p := &probe{}
	for _, r := range reads {
		switch {
		case len(r) == 0 || r[0] != argumentsPath:
		case len(r) == 1:
			p.whole = true
		default:
			p.named = append(p.named, inputRef(append(inputPath{namedKey}, r[1:]...)))
		}
	}
	if len(p.named) == 0 && !p.whole {
		return nil, nil
	}
	c := newCompiler().WithStageAfterID(ast.StageResolveRefs, ast.CompilerStageDefinition{
		Name:       "NamedArguments",
		MetricName: "named_arguments",
		Stage:      renameNamed,
	})
	if c.Compile(copied(s.modules)); c.Failed() {
		return nil, c.Errors
	}
	if slices.ContainsFunc(readPaths(c), func(r inputPath) bool { return len(r) > 1 && r[0] == argumentsPath }) {
		return nil, fmt.Errorf("%w: a rule reads an argument in a way that cannot be followed", ErrPolicy)
	}
	var err error
	p.compiler = c
	p.query, err = question(c)
	return p, err
}

// renameNamed moves refs that name an argument to the key of their own. The modules
// are the compiler's own copies.
func renameNamed(c *ast.Compiler) *ast.Error {
	arguments := inputRef(inputPath{argumentsPath})
	named := inputRef(inputPath{namedKey})
	for _, m := range c.Modules {
		ast.WalkTerms(m, func(t *ast.Term) bool {
			if r, ok := t.Value.(ast.Ref); ok && r.HasPrefix(arguments) && len(constantPath(r)) > 1 {
				t.Value = named.Concat(r[len(arguments):])
			}
			return false
		})
	}
	return nil
}

// inputRef is a ref to a path in the document.
func inputRef(p inputPath) ast.Ref {
	r := ast.InputRootRef.Copy()
	for _, key := range p {
		r = append(r, ast.StringTerm(key))
	}
	return r
}

// missing lists the absent arguments that the verdict depends on.
func (p *probe) missing(ctx context.Context, run runner, input ast.Object) ([]string, error) {
	if p == nil {
		return nil, nil
	}
	input, unknown := p.unknown(input)
	if len(unknown) == 0 {
		return nil, nil
	}
	terms := make([]*ast.Term, len(unknown))
	for i, r := range unknown {
		terms[i] = ast.NewTerm(r)
	}
	left, support, err := run(p.compiler, p.query).WithInput(ast.NewTerm(input)).WithUnknowns(terms).PartialRun(ctx)
	if err != nil {
		return nil, err
	}
	return depends(left, support, unknown), nil
}

// unknown returns the probe's document and the refs that are absent from it.
func (p *probe) unknown(input ast.Object) (ast.Object, []ast.Ref) {
	arguments := input.Get(ast.InternedTerm(argumentsPath))
	if arguments == nil {
		return input, []ast.Ref{inputRef(inputPath{argumentsPath}), inputRef(inputPath{namedKey})}
	}
	input = input.Copy()
	input.Insert(ast.StringTerm(namedKey), arguments)
	return input, slices.DeleteFunc(slices.Clone(p.named), func(r ast.Ref) bool {
		_, err := input.Find(r[1:])
		return err == nil
	})
}

// partialNamespace is where partial evaluation puts rules of its own.
const partialNamespace = "partial"

// depends finds in what is left after partial evaluation the absent arguments. What
// is left names nothing else of the input, since all of it was known; a rule of the
// policy itself is left only where it could not be evaluated without them.
func depends(left []ast.Body, support []*ast.Module, unknown []ast.Ref) []string {
	var names []string
	opaque := false
	visit := func(r ast.Ref) bool {
		switch {
		case r.HasPrefix(ast.InputRootRef):
			names = append(names, argumentName(r))
		case r.HasPrefix(ast.DefaultRootRef):
			namespace, _ := r[1].Value.(ast.String)
			opaque = opaque || namespace != partialNamespace
		}
		return false
	}
	for _, body := range left {
		ast.WalkRefs(body, visit)
	}
	for _, m := range support {
		for _, rule := range m.Rules {
			ast.WalkRefs(rule, visit)
		}
	}
	if opaque && len(names) == 0 {
		for _, r := range unknown {
			names = append(names, argumentName(r))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// argumentName is how an author writes a ref of the probe.
func argumentName(r ast.Ref) string {
	p := constantPath(r)
	if len(p) > 0 && p[0] == namedKey {
		p[0] = argumentsPath
	}
	return p.String()
}

// inputMissing refuses for want of arguments.
func inputMissing(names []string) Verdict {
	return refusal(decisions.CodeInputMissing, fmt.Sprintf(
		"The policy needs %s, which the call does not have; send the arguments themselves and in full.", strings.Join(names, ", ")))
}
