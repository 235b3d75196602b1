package rego

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// lintReach finds rules that no verdict depends on. A refusal under a misspelt name, or
// in another package, would never be heard.
func (s *source) lintReach(c *ast.Compiler) findings {
	reached := map[*ast.Rule]bool{}
	var visit func(*ast.Rule)
	visit = func(rule *ast.Rule) {
		if reached[rule] {
			return
		}
		reached[rule] = true
		for next := range c.Graph.Dependencies(rule) {
			visit(next.(*ast.Rule)) //nolint:errcheck,forcetypeassert // a rule graph holds rules
		}
	}
	for _, rule := range c.GetRulesExact(verdictRef()) {
		visit(rule)
	}
	return s.silent(c, reached)
}

// silent names what is not reached, each name once, at its first rule.
func (s *source) silent(c *ast.Compiler, reached map[*ast.Rule]bool) (fs findings) {
	said := map[string]bool{}
	for _, m := range sortedModules(c.Modules) {
		for _, rule := range m.Rules {
			if called := name(rule); !heard(rule, reached) && !said[called] {
				said[called] = true
				fs = append(fs, at(rule.Location, "no verdict depends on %s, so it changes no answer; expected `verdict contains {...}` in package %s, or a rule that one reads; what only tests use belongs into a _test.rego file", called, packageWrit))
			}
		}
	}
	return fs
}

// heard says whether a rule, or what stands behind its else, is reached.
func heard(rule *ast.Rule, reached map[*ast.Rule]bool) bool {
	for part := rule; part != nil; part = part.Else {
		if reached[part] {
			return true
		}
	}
	return false
}

func verdictRef() ast.Ref { return ast.MustParseRef("data." + packageWrit + ".verdict") }

// name is how a rule is called from elsewhere, as far as it is constant.
func name(rule *ast.Rule) string {
	return strings.TrimPrefix(rule.Module.Package.Path.Extend(rule.Head.Ref().GroundPrefix()).String(), "data.")
}
