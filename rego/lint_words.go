package rego

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
)

// verdictObjects calls yield for each object in the rules that states an outcome:
// what a policy writes as a verdict, or as a part of one.
func (s *source) verdictObjects(yield func(ast.Object)) {
	for _, m := range sortedModules(s.modules) {
		ast.WalkTerms(m, func(t *ast.Term) bool {
			if o, ok := t.Value.(ast.Object); ok && o.Get(ast.InternedTerm("outcome")) != nil {
				yield(o)
			}
			return false
		})
	}
}

// lintWords finds words in verdicts that would refuse every call they are said of.
func (s *source) lintWords() findings {
	var fs findings
	s.verdictObjects(func(o ast.Object) {
		o.Foreach(func(key, value *ast.Term) {
			switch value.Value.(type) {
			case ast.String, ast.Number, ast.Boolean, ast.Null:
			default:
				return
			}
			if name, _ := key.Value.(ast.String); name == "outcome" || name == "approval" || name == "code" || name == "permit_seconds" {
				if err := new(Verdict).set(key.Value, value.Value); err != nil {
					fs = append(fs, at(value.Location, "%v", err))
				}
			}
		})
	})
	return fs
}

// lintVerdicts finds verdicts that are written out and not whole: they would refuse
// every call that they are said of.
func (s *source) lintVerdicts() findings {
	var fs findings
	for _, m := range sortedModules(s.modules) {
		for _, rule := range m.Rules {
			if rule.Head.Key == nil || name(rule) != packageWrit+".verdict" {
				continue
			}
			if o, ok := rule.Head.Key.Value.(ast.Object); ok {
				fs = append(fs, incomplete(o, rule.Head.Key.Location)...)
			}
		}
	}
	return fs
}

// incomplete says what an object lacks as a verdict, or has too much. What it computes is
// left to the call.
func incomplete(o ast.Object, loc *ast.Location) findings {
	var v Verdict
	known := true
	var fs findings
	o.Foreach(func(key, value *ast.Term) {
		_, constant := key.Value.(ast.String)
		known = known && constant
		if !constant {
			return
		}
		if err := v.set(key.Value, value.Value); errors.Is(err, errKey) {
			fs = append(fs, at(key.Location, "%v", err))
		} else if key.Value.Compare(ast.String("outcome")) == 0 || key.Value.Compare(ast.String("approval")) == 0 {
			known = known && err == nil
		}
	})
	if !known {
		return fs
	}
	if err := v.complete(o); err != nil {
		fs = append(fs, at(loc, "%v", err))
	}
	return fs
}

// rules maps the codes that verdicts state to where they stand.
func (s *source) rules() map[string]string {
	rules := map[string]string{}
	s.verdictObjects(func(o ast.Object) {
		code := o.Get(ast.InternedTerm("code"))
		if code == nil {
			return
		}
		if word, ok := code.Value.(ast.String); ok && code.Location != nil {
			rules[string(word)] = fmt.Sprintf("%s:%d", code.Location.File, code.Location.Row)
		}
	})
	return rules
}
