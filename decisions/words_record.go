package decisions

import (
	"slices"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// The log's enums count like ours, but keep 0 for "nobody said", which reads as the
// strictest value; so does a number that this version does not know (R2, R11).

// Record returns the log's value.
func (e Effect) Record() ledgerv1.Effect { return 1 + ledgerv1.Effect(known(e, Read)) }

// Record returns the log's value.
func (r Risk) Record() ledgerv1.Risk { return 1 + ledgerv1.Risk(known(r, LowRisk)) }

// Record returns the log's value.
func (u Undo) Record() ledgerv1.Undo { return 1 + ledgerv1.Undo(known(u, UndoTrivial)) }

// Record returns the log's value.
func (e Exposure) Record() ledgerv1.Exposure { return 1 + ledgerv1.Exposure(known(e, NoExposure)) }

// Record returns the log's value.
func (o Outcome) Record() ledgerv1.Outcome { return 1 + ledgerv1.Outcome(known(o, Run)) }

// Record returns the log's value; NoApproval is the log's unspecified.
func (k ApprovalKind) Record() ledgerv1.ApprovalKind {
	return ledgerv1.ApprovalKind(known(k, Session))
}

// Record returns the log's value; Unclassified is the log's unspecified.
func (k SourceKind) Record() ledgerv1.SourceKind {
	return ledgerv1.SourceKind(known(k, HintAtCall))
}

// Record returns the log's form of classified traits.
func (c Classified) Record() *ledgerv1.Traits {
	t := &ledgerv1.Traits{
		Effect:     c.Traits.Effect.Record(),
		Risk:       c.Traits.Risk.Record(),
		Undo:       c.Traits.Undo.Record(),
		Exposure:   c.Traits.Exposure.Record(),
		Single:     c.Traits.Single,
		Idempotent: c.Traits.Idempotent,
		SourceOf:   make([]byte, len(c.Sources)),
	}
	for i, s := range c.Sources {
		at := slices.Index(c.Sources[:i], s)
		if at >= 0 {
			t.SourceOf[i] = t.SourceOf[at]
			continue
		}
		t.SourceOf[i] = byte(len(t.Sources))
		t.Sources = append(t.Sources, &ledgerv1.Source{Kind: s.Kind.Record(), Detail: s.Detail})
	}
	return t
}

// RecordedEffect reads the log's value.
func RecordedEffect(e ledgerv1.Effect) Effect { return recorded(e, Read) }

// RecordedRisk reads the log's value.
func RecordedRisk(r ledgerv1.Risk) Risk { return recorded(r, LowRisk) }

// RecordedUndo reads the log's value.
func RecordedUndo(u ledgerv1.Undo) Undo { return recorded(u, UndoTrivial) }

// RecordedExposure reads the log's value.
func RecordedExposure(e ledgerv1.Exposure) Exposure { return recorded(e, NoExposure) }

// RecordedOutcome reads the log's value.
func RecordedOutcome(o ledgerv1.Outcome) Outcome { return recorded(o, Run) }

// RecordedApprovalKind reads the log's value; an unknown kind lifts nothing.
func RecordedApprovalKind(k ledgerv1.ApprovalKind) ApprovalKind { return recorded(k+1, Session) }

// RecordedSourceKind reads the log's value.
func RecordedSourceKind(k ledgerv1.SourceKind) SourceKind { return recorded(k+1, HintAtCall) }

// RecordedTraits reads the log's form of classified traits; nil is the strictest.
func RecordedTraits(t *ledgerv1.Traits) Classified {
	c := Classified{Traits: Traits{
		Effect:     RecordedEffect(t.GetEffect()),
		Risk:       RecordedRisk(t.GetRisk()),
		Undo:       RecordedUndo(t.GetUndo()),
		Exposure:   RecordedExposure(t.GetExposure()),
		Single:     t.GetSingle(),
		Idempotent: t.GetIdempotent(),
	}}
	for i, at := range t.GetSourceOf() {
		if i < len(c.Sources) && int(at) < len(t.GetSources()) {
			s := t.GetSources()[at]
			c.Sources[i] = Source{Kind: RecordedSourceKind(s.GetKind()), Detail: s.GetDetail()}
		}
	}
	return c
}

// known returns v, or 0 where v is beyond the last value.
func known[T ~uint8](v, last T) T {
	if v > last {
		return 0
	}
	return v
}

// recorded turns the log's 1 + n into n, and everything else into 0.
func recorded[T ~uint8, R ~int32](r R, last T) T {
	if r < 1 || r > R(last)+1 {
		return 0
	}
	return T(r - 1)
}
