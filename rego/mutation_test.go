package rego

import (
	"fmt"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

// The default policy's own tests notice every change of an answer: each cell of the
// stage table set to each other word, each outcome, approval and trait in the rules
// to each other word, and each rule and each condition left out.
func TestMutants(t *testing.T) {
	s, _, found := check(Default())
	if len(found) > 0 {
		t.Fatal(found)
	}
	mutants := s.tableMutants(t) + s.ruleMutants(t)
	t.Logf("%d mutants", mutants)
	if mutants < 4*9*4+50 {
		t.Errorf("only %d mutants: the run has lost sight of the policy", mutants)
	}
}

// tableMutants changes the data only, so that one compilation serves them all.
func (s *source) tableMutants(t *testing.T) (n int) {
	c := typedCompiler()
	if !s.survives(t, c, copied(s.modules, s.tests)) {
		t.Fatal("the policy's own tests fail")
	}
	for row, cells := range s.writData("stage_table").(map[string]any) {
		cells := cells.(map[string]any)
		for stage, cell := range cells {
			for _, word := range others(tableWords(), cell.(string)) {
				n++
				cells[stage] = word
				if s.survives(t, c, nil) {
					t.Errorf("stage_table.%s.%s: %v changed to %s and no test failed", row, stage, cell, word)
				}
			}
			cells[stage] = cell
		}
	}
	return n
}

// survives runs the policy's tests and says whether all passed. What does not
// compile never loads.
func (s *source) survives(t *testing.T, c *ast.Compiler, modules map[string]*ast.Module) bool {
	results, err := runTests(t.Context(), c, modules, s.store(), nil)
	if err != nil && modules == nil {
		t.Fatal(err)
	}
	return err == nil && Report{Tests: results}.Pass()
}

// ruleMutants compiles each mutant.
func (s *source) ruleMutants(t *testing.T) (n int) {
	for file, module := range s.modules {
		for i := range module.Rules {
			n += s.judgeMutants(t, file, wordMutants(module, i))
			n += s.judgeMutants(t, file, omissionMutants(module, i))
		}
	}
	return n
}

// mutant is a changed copy of a module.
type mutant struct {
	name   string
	module *ast.Module
}

func (s *source) judgeMutants(t *testing.T, file string, mutants []mutant) int {
	original := s.modules[file]
	defer func() { s.modules[file] = original }()
	for _, m := range mutants {
		s.modules[file] = m.module
		if s.survives(t, typedCompiler(), copied(s.modules, s.tests)) {
			t.Errorf("%s: %s and no test failed", file, m.name)
		}
	}
	return len(mutants)
}

// wordMutants replaces each word of a closed list by each other word of it.
func wordMutants(module *ast.Module, rule int) (mutants []mutant) {
	lists := [][]string{tableWords(), {"RUN", "AWAIT_APPROVAL", "RECORD_ONLY", "REFUSE"}, {"none", "per_call", "session"}}
	for _, f := range fields() {
		lists = append(lists, f.words)
	}
	terms := words(module.Rules[rule])
	for i, term := range terms {
		for _, list := range lists {
			for _, word := range others(list, string(term.Value.(ast.String))) {
				changed := module.Copy()
				words(changed.Rules[rule])[i].Value = ast.String(word)
				mutants = append(mutants, mutant{fmt.Sprintf("line %d: %v changed to %q", term.Location.Row, term.Value, word), changed})
			}
		}
	}
	return mutants
}

// words are a rule's string constants, in order. Object keys stand in an index that
// a change would break, so they are left alone.
func words(rule *ast.Rule) (terms []*ast.Term) {
	ast.WalkTerms(rule, func(t *ast.Term) bool {
		switch v := t.Value.(type) {
		case ast.Object:
			v.Foreach(func(_, value *ast.Term) { terms = append(terms, wordsOf(value)...) })
			return true
		case ast.Ref:
			return true
		case ast.String:
			terms = append(terms, t)
		}
		return false
	})
	return terms
}

func wordsOf(t *ast.Term) []*ast.Term { return words(&ast.Rule{Head: &ast.Head{Value: t}}) }

// omissionMutants leaves out a rule, and each of its conditions.
func omissionMutants(module *ast.Module, rule int) []mutant {
	original := module.Rules[rule]
	line := original.Location.Row
	changed := module.Copy()
	changed.Rules = slices.Delete(changed.Rules, rule, rule+1)
	mutants := []mutant{{fmt.Sprintf("line %d: rule left out", line), changed}}
	for i := range original.Body {
		if len(original.Body) == 1 {
			break
		}
		changed := module.Copy()
		r := changed.Rules[rule]
		r.Body = slices.Delete(r.Body, i, i+1)
		mutants = append(mutants, mutant{fmt.Sprintf("line %d: condition %d left out", line, i+1), changed})
	}
	return mutants
}

// others are the words of a list that holds word, without it.
func others(list []string, word string) []string {
	if !slices.Contains(list, word) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == word })
}
