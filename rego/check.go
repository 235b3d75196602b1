package rego

import (
	"io/fs"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Check finds what is wrong with a policy without running it: parse and type errors,
// inputs that do not exist, words that Writ does not know, a stage table that is not
// whole. Findings are sorted by place; none means that Load compiles it.
func Check(fsys fs.FS) []Finding {
	_, _, found := check(fsys)
	return found
}

func check(fsys fs.FS) (*source, *ast.Compiler, findings) {
	s, found := readSource(fsys)
	if len(found) > 0 {
		return nil, nil, found.sorted()
	}
	found = append(found, s.lintData()...)
	found = append(found, s.lintWords()...)
	found = append(found, s.lintVerdicts()...)
	c, wrong := compile(s.modules)
	if found = append(found, wrong...); c == nil {
		return nil, nil, found.sorted()
	}
	found = append(found, s.lintInputs(c)...)
	found = append(found, s.lintMask(s.narrowPaths(c))...)
	if _, wrong := compile(s.modules, s.tests); wrong != nil {
		found = append(found, wrong...)
	}
	if len(c.GetRulesExact(verdictRef())) == 0 {
		found = append(found, Finding{Message: "no rule contributes to data.writ.verdict; expected `verdict contains {...}` in package writ"})
	}
	found = append(found, s.lintReach(c)...)
	return s, c, found.sorted()
}
