package decisions

// The four traits of a call (R1). Each type counts from strict to gentle, so that
// the zero value is the strictest and the join of two statements is the smaller
// number (R2, R3).

// Effect says whether a call changes anything.
type Effect uint8

// Effects, strictest first.
const (
	Write Effect = iota
	Read
)

// Risk says how bad a wrong call is.
type Risk uint8

// Risks, strictest first.
const (
	HighRisk Risk = iota
	MediumRisk
	LowRisk
)

// Undo says whether a change can be taken back (R8).
type Undo uint8

// Undo values, strictest first.
const (
	UndoImpossible Undo = iota
	UndoPossible
	UndoTrivial
)

// Exposure says what a call can reveal or cause outside the system.
type Exposure uint8

// Exposures, strictest first.
const (
	OutboundExposure Exposure = iota
	SensitiveExposure
	InternalExposure
	NoExposure
)

// Traits are the four traits and the two facts beside them. The zero value is the
// strictest: write, high, impossible, outbound, collection, not idempotent.
type Traits struct {
	Effect   Effect
	Risk     Risk
	Undo     Undo
	Exposure Exposure
	// Single: acts on one thing, so that no scope is needed. False is a collection.
	Single bool
	// Idempotent: a second call changes nothing more. By review only.
	Idempotent bool
}

// Gentlest is the identity of Join: a statement that says nothing.
var Gentlest = Traits{Read, LowRisk, UndoTrivial, NoExposure, true, true}

// Join returns the strictest of t and u, trait by trait (R3).
func (t Traits) Join(u Traits) Traits {
	return Traits{
		Effect:     min(t.Effect, u.Effect),
		Risk:       min(t.Risk, u.Risk),
		Undo:       min(t.Undo, u.Undo),
		Exposure:   min(t.Exposure, u.Exposure),
		Single:     t.Single && u.Single,
		Idempotent: t.Idempotent && u.Idempotent,
	}
}
