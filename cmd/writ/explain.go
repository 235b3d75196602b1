package main

import (
	"cmp"
	"io"
	"strconv"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// printTraits says of each trait that held how strict it was, and who made it so
// (R3): "risk high: destructiveHint of server github, seen at review 2026-11-30".
func printTraits(w io.Writer, t *writv1.EffectiveTraits) {
	for _, line := range []struct {
		name, value string
		source      *writv1.Source
	}{
		{"effect", word(t.GetEffect().String(), "EFFECT_"), t.GetEffectSource()},
		{"risk", word(t.GetRisk().String(), "RISK_"), t.GetRiskSource()},
		{"undo", word(t.GetUndo().String(), "UNDO_"), t.GetUndoSource()},
		{"exposure", word(t.GetExposure().String(), "EXPOSURE_"), t.GetExposureSource()},
		{"collection", strconv.FormatBool(!t.GetSingle()), t.GetSingleSource()},
		{"idempotent", strconv.FormatBool(t.GetIdempotent()), t.GetIdempotentSource()},
	} {
		say(w, "  %s %s: %s\n", line.name, line.value, cmp.Or(line.source.GetDetail(), line.source.GetKind()+": nobody has stated it"))
	}
}
