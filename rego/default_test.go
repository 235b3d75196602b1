package rego

import (
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/format"

	"github.com/writ-dev/writ/decisions"
)

// The default policy passes its own tests, which run all of it.
func TestDefaultPolicyIsCovered(t *testing.T) {
	report, err := Test(t.Context(), Default())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.failures() {
		t.Error(f)
	}
	if report.Coverage != 100 {
		t.Errorf("coverage is %v %%: %v", report.Coverage, report.Uncovered)
	}
}

// The default policy is written as `opa fmt` writes, and says what each package and
// rule is about.
func TestDefaultPolicyIsTidy(t *testing.T) {
	s, found := readSource(Default())
	if len(found) > 0 {
		t.Fatal(found)
	}
	for _, f := range s.files {
		if path.Ext(f.Path) != ".rego" {
			continue
		}
		formatted, err := format.SourceWithOpts(f.Path, f.Content, format.Opts{RegoVersion: ast.RegoV1})
		if err != nil {
			t.Fatal(err)
		}
		if string(formatted) != string(f.Content) {
			t.Errorf("%s is not formatted:\n%s", f.Path, cmp.Diff(string(f.Content), string(formatted)))
		}
	}
	described := false
	for _, m := range s.modules {
		annotated := map[int]bool{}
		for _, a := range m.Annotations {
			if a.Scope == "package" {
				described = true
			}
			if a.Title == "" {
				t.Errorf("%v: METADATA without a title", a.Location)
			}
			annotated[a.EndLoc().Row+1] = true
		}
		for _, rule := range m.Rules {
			if !annotated[rule.Location.Row] {
				t.Errorf("%v: a rule without METADATA", rule.Location)
			}
		}
	}
	if !described {
		t.Error("package writ has no METADATA")
	}
}

// A stricter trait never makes the answer gentler, in any stage.
func TestDefaultPolicyIsMonotone(t *testing.T) {
	p, err := Load(t.Context(), Default(), Options{Deadline: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	judge := func(stage string, traits decisions.Traits) Verdict {
		return p.Evaluate(t.Context(), &Input{Stage: stage, ScopeStated: true, Classified: decisions.Classified{Traits: traits}})
	}
	for _, stage := range p.Stages() {
		everyTraits(func(a decisions.Traits) {
			gentle := judge(stage, a)
			everyTraits(func(b decisions.Traits) {
				strict := judge(stage, a.Join(b))
				if strict.Outcome > gentle.Outcome || strict.Outcome == gentle.Outcome && strict.Approval > gentle.Approval {
					t.Errorf("%s: %v gets %v %v, and the stricter %v gets %v %v", stage, a, gentle.Outcome, gentle.Approval, a.Join(b), strict.Outcome, strict.Approval)
				}
			})
		})
	}
}

func everyTraits(yield func(decisions.Traits)) {
	for e := decisions.Write; e <= decisions.Read; e++ {
		for r := decisions.HighRisk; r <= decisions.LowRisk; r++ {
			for u := decisions.UndoImpossible; u <= decisions.UndoTrivial; u++ {
				for x := decisions.OutboundExposure; x <= decisions.NoExposure; x++ {
					yield(decisions.Traits{Effect: e, Risk: r, Undo: u, Exposure: x, Single: true})
				}
			}
		}
	}
}
