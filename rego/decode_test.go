package rego

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

// R11: the order in which rules speak does not matter, the outcome is the least of
// them, and every obligation of that outcome is kept.
func TestStrictest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOfN(randomVerdict(), 1, 5).Draw(t, "verdicts")
		got := strictest(slices.Clone(verdicts))
		other := strictest(rapid.Permutation(verdicts).Draw(t, "permutation"))
		if diff := cmp.Diff(got, other); diff != "" {
			t.Fatalf("order matters: %s", diff)
		}
		longest := uint32(defaultPermitSeconds)
		for _, v := range verdicts {
			if v.Outcome < got.Outcome || v.Outcome == got.Outcome && v.Approval < got.Approval {
				t.Errorf("%v %v is stricter than %v %v", v.Outcome, v.Approval, got.Outcome, got.Approval)
			}
			for _, o := range v.Obligations {
				if v.Outcome == got.Outcome && !slices.Contains(got.Obligations, o) {
					t.Errorf("%v is lost", o)
				}
			}
			if v.Outcome == got.Outcome && v.PermitSeconds > 0 && got.PermitSeconds > v.PermitSeconds {
				t.Errorf("permit of %d s outlives one of %d s", got.PermitSeconds, v.PermitSeconds)
			}
			longest = max(longest, v.PermitSeconds)
		}
		if runs := got.Outcome >= decisions.AwaitApproval; runs != (got.PermitSeconds > 0) || got.PermitSeconds > longest {
			t.Errorf("%v has a permit of %d s", got.Outcome, got.PermitSeconds)
		}
	})
}

func randomVerdict() *rapid.Generator[Verdict] {
	return rapid.Custom(func(t *rapid.T) Verdict {
		v := Verdict{
			Outcome:       rapid.SampledFrom([]decisions.Outcome{decisions.Refuse, decisions.RecordOnly, decisions.AwaitApproval, decisions.Run}).Draw(t, "outcome"),
			PermitSeconds: rapid.Uint32Range(0, 90).Draw(t, "permit"),
			Reason:        decisions.Reason{Code: decisions.Code(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "code")), Sentence: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "sentence")},
		}
		if v.Outcome == decisions.AwaitApproval {
			v.Approval = rapid.SampledFrom([]decisions.ApprovalKind{decisions.PerCall, decisions.Session}).Draw(t, "approval")
		}
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom([]string{"mask", "report"}), 0, 2).Draw(t, "obligations") {
			v.Obligations = append(v.Obligations, Obligation{Kind: kind})
		}
		return v
	})
}

// Whatever a rule contributes either is an error or says all that a verdict must.
func FuzzDecodeVerdict(f *testing.F) {
	for _, seed := range []string{
		`{"outcome": "RUN", "code": "c", "reason": "r", "permit_seconds": 60}`,
		`{"outcome": "AWAIT_APPROVAL", "approval": "session", "code": "c", "reason": "r"}`,
		`{"outcome": "REFUSE", "code": "c", "reason": "r", "obligations": {{"kind": "mask", "value": ""}}}`,
		`{"outcome": 1}`, `{1: 2}`, `[]`, `null`, `{"permit_seconds": 1e99}`, `{"obligations": [[]]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, err := ast.ParseTerm(text)
		if err != nil {
			return
		}
		v, err := decodeVerdict(value.Value)
		if err != nil {
			return
		}
		if v.Reason.Code == "" || v.Reason.Sentence == "" || v.PermitSeconds > maxPermitSeconds {
			t.Errorf("%s became %+v", text, v)
		}
		if (v.Outcome == decisions.AwaitApproval) != (v.Approval != decisions.NoApproval) {
			t.Errorf("%s became %v with approval %v", text, v.Outcome, v.Approval)
		}
		for _, o := range v.Obligations {
			if o.Kind == "" {
				t.Errorf("%s has an obligation without kind", text)
			}
		}
	})
}

// Check takes any file, and what it finds has a place.
func FuzzCheck(f *testing.F) {
	f.Add(payRules, "stages: [a]")
	f.Add(heavy, "stages: [a]\nstage_table: {x: {a: RUN}}")
	f.Add("f(x) if x.y == input.stage\n\nverdict contains x if { some x in input.arguments; f(input.traits) }", "stages: {a: 1}")
	f.Add("verdict contains {\"outcome\": input.stage} if { a := input; b := a; b.c == 1 with input as {} }", "[]")
	f.Fuzz(func(t *testing.T, rules, data string) {
		fsys := policyOf(rules)
		fsys["writ/data.yaml"].Data = []byte(data)
		for _, finding := range Check(fsys) {
			if finding.Message == "" {
				t.Errorf("%+v says nothing", finding)
			}
		}
	})
}
