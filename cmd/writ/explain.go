package main

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// printTraits says of each trait that held how strict it was, and who made it so
// (R3): "risk high: destructiveHint of server github, seen at review 2026-11-30".
func printTraits(w io.Writer, t *writv1.EffectiveTraits) {
	for _, line := range []struct {
		trait writv1.Trait
		value string
	}{
		{writv1.Trait_TRAIT_EFFECT, "effect " + word(t.GetEffect().String(), "EFFECT_")},
		{writv1.Trait_TRAIT_RISK, "risk " + word(t.GetRisk().String(), "RISK_")},
		{writv1.Trait_TRAIT_UNDO, "undo " + word(t.GetUndo().String(), "UNDO_")},
		{writv1.Trait_TRAIT_EXPOSURE, "exposure " + word(t.GetExposure().String(), "EXPOSURE_")},
		{writv1.Trait_TRAIT_SINGLE, "collection " + strconv.FormatBool(!t.GetSingle())},
		{writv1.Trait_TRAIT_IDEMPOTENT, "idempotent " + strconv.FormatBool(t.GetIdempotent())},
	} {
		source := sourceOf(t, line.trait)
		say(w, "  %s: %s\n", line.value, cmp.Or(source.GetDetail(), source.GetKind()+": nobody has stated it"))
	}
}

// sourceOf is who made a trait so strict: who names it, or who is the only source.
// nil where the answer does not say.
func sourceOf(t *writv1.EffectiveTraits, trait writv1.Trait) *writv1.Source {
	for _, s := range t.GetSources() {
		if len(s.GetTraits()) == 0 || slices.Contains(s.GetTraits(), trait) {
			return s
		}
	}
	return nil
}
