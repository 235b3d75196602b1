package decisions

import "testing"

// everyHints yields all 81 combinations.
func everyHints(yield func(Hints) bool) {
	for i := range 81 {
		if !yield(Hints{Hint(i % 3), Hint(i / 3 % 3), Hint(i / 9 % 3), Hint(i / 27)}) {
			return
		}
	}
}

// R6: what each hint admits; silence and gentle words admit nothing.
func TestHintsTraits(t *testing.T) {
	for _, test := range []struct {
		name  string
		hints Hints
		want  Traits
	}{
		{"silence", Hints{}, Gentlest},
		{"gentle words", Hints{ReadOnly: SaidTrue, Destructive: SaidFalse, Idempotent: SaidTrue, OpenWorld: SaidFalse}, Gentlest},
		{"readOnlyHint false", Hints{ReadOnly: SaidFalse}, Traits{Write, LowRisk, UndoTrivial, NoExposure, true, true}},
		{"destructiveHint true", Hints{Destructive: SaidTrue}, Traits{Write, HighRisk, UndoImpossible, NoExposure, true, true}},
		{"destructive and read-only", Hints{ReadOnly: SaidTrue, Destructive: SaidTrue}, Traits{Write, HighRisk, UndoImpossible, NoExposure, true, true}},
		{"openWorldHint true", Hints{OpenWorld: SaidTrue}, Traits{Read, LowRisk, UndoTrivial, OutboundExposure, true, true}},
		{"idempotentHint false", Hints{Idempotent: SaidFalse}, Traits{Read, LowRisk, UndoTrivial, NoExposure, true, false}},
	} {
		if got := test.hints.Traits(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// R6: no hint makes any call gentler, and Tighten agrees with the joined statement.
func TestHintsNeverGentler(t *testing.T) {
	by := NewHintSources(HintAtReview, "server github, seen at review 2026-11-30")
	for h := range everyHints {
		for a := range everyTraits {
			before := Classify(Statement{a, Source{Kind: Review}})
			after := h.Tighten(before, &by)
			if after.Traits != before.Tighten(h.Statement(Source{})).Traits || !notGentler(after.Traits, a) {
				t.Fatalf("%v tightened by %v is %v", a, h, after.Traits)
			}
		}
	}
}

func TestHintsNameThemselves(t *testing.T) {
	by := NewHintSources(HintAtReview, "server github, seen at review 2026-11-30")
	gentle := Classify(Statement{Gentlest, Source{Kind: Review}})
	c := Hints{ReadOnly: SaidFalse, Destructive: SaidTrue, OpenWorld: SaidTrue}.Tighten(gentle, &by)
	for trait, want := range map[Trait]string{
		EffectTrait:   "readOnlyHint of server github, seen at review 2026-11-30",
		RiskTrait:     "destructiveHint of server github, seen at review 2026-11-30",
		ExposureTrait: "openWorldHint of server github, seen at review 2026-11-30",
		SingleTrait:   "",
	} {
		if got := c.Sources[trait].Detail; got != want {
			t.Errorf("%v is by %q, want %q", trait, got, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { c = Hints{Destructive: SaidTrue}.Tighten(gentle, &by) }); n != 0 {
		t.Errorf("Tighten allocates %v times", n)
	}
}

func TestHintOf(t *testing.T) {
	yes, no := true, false
	for _, test := range []struct {
		said *bool
		want Hint
	}{{nil, Unsaid}, {&no, SaidFalse}, {&yes, SaidTrue}} {
		got := HintOf(test.said)
		if got != test.want {
			t.Errorf("HintOf gives %v, want %v", got, test.want)
		}
		if back := got.Bool(); (back == nil) != (test.said == nil) || back != nil && *back != *test.said {
			t.Errorf("%v does not come back", got)
		}
	}
}
