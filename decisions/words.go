package decisions

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnknownWord says that a word names no value. The error lists the words that do.
var ErrUnknownWord = errors.New("unknown word")

// String returns "write" or "read". What is not known reads as the strictest word,
// here and below (R2, R11).
func (e Effect) String() string {
	if e == Read {
		return "read"
	}
	return "write"
}

// String returns "high", "medium" or "low".
func (r Risk) String() string {
	switch r {
	case MediumRisk:
		return "medium"
	case LowRisk:
		return "low"
	}
	return "high"
}

// String returns "impossible", "possible" or "trivial".
func (u Undo) String() string {
	switch u {
	case UndoPossible:
		return "possible"
	case UndoTrivial:
		return "trivial"
	}
	return "impossible"
}

// String returns "outbound", "sensitive", "internal" or "none".
func (e Exposure) String() string {
	switch e {
	case SensitiveExposure:
		return "sensitive"
	case InternalExposure:
		return "internal"
	case NoExposure:
		return "none"
	}
	return "outbound"
}

// String returns "REFUSE", "RECORD_ONLY", "AWAIT_APPROVAL" or "RUN".
func (o Outcome) String() string {
	switch o {
	case RecordOnly:
		return "RECORD_ONLY"
	case AwaitApproval:
		return "AWAIT_APPROVAL"
	case Run:
		return "RUN"
	}
	return "REFUSE"
}

// String returns "none", "per_call" or "session".
func (k ApprovalKind) String() string {
	switch k {
	case PerCall:
		return "per_call"
	case Session:
		return "session"
	}
	return "none"
}

// String returns "unclassified", "platform", "review", "release", "hint_at_review"
// or "hint_at_call".
func (k SourceKind) String() string {
	switch k {
	case Platform:
		return "platform"
	case Review:
		return "review"
	case Release:
		return "release"
	case HintAtReview:
		return "hint_at_review"
	case HintAtCall:
		return "hint_at_call"
	}
	return "unclassified"
}

// String returns "effect", "risk", "undo", "exposure", "collection" (the word for
// people of SingleTrait) or "idempotent"; "unknown" for what is no trait.
func (t Trait) String() string {
	switch t {
	case EffectTrait:
		return "effect"
	case RiskTrait:
		return "risk"
	case UndoTrait:
		return "undo"
	case ExposureTrait:
		return "exposure"
	case SingleTrait:
		return "collection"
	case IdempotentTrait:
		return "idempotent"
	}
	return "unknown"
}

// ParseEffect reads an effect's word. Like each parser below it takes the exact
// word only, and returns ErrUnknownWord and the strictest value for any other.
func ParseEffect(word string) (Effect, error) { return parseWord("effect", word, Read) }

// ParseRisk reads a risk's word.
func ParseRisk(word string) (Risk, error) { return parseWord("risk", word, LowRisk) }

// ParseUndo reads an undo's word.
func ParseUndo(word string) (Undo, error) { return parseWord("undo", word, UndoTrivial) }

// ParseExposure reads an exposure's word.
func ParseExposure(word string) (Exposure, error) { return parseWord("exposure", word, NoExposure) }

// ParseOutcome reads an outcome's word.
func ParseOutcome(word string) (Outcome, error) { return parseWord("outcome", word, Run) }

// ParseApprovalKind reads an approval kind's word.
func ParseApprovalKind(word string) (ApprovalKind, error) {
	return parseWord("approval kind", word, Session)
}

// ParseSourceKind reads a source kind's word.
func ParseSourceKind(word string) (SourceKind, error) {
	return parseWord("source kind", word, HintAtCall)
}

// ParseTrait reads a trait's name. Its zero value is EffectTrait: look at the error.
func ParseTrait(word string) (Trait, error) { return parseWord("trait", word, IdempotentTrait) }

// wordy is a type that counts from 0 and has a word for each value.
type wordy interface {
	~uint8
	String() string
}

// parseWord finds the value up to last that String writes as word.
func parseWord[T wordy](what, word string, last T) (T, error) {
	words := make([]string, 0, 8)
	for v := T(0); v <= last; v++ {
		if v.String() == word {
			return v, nil
		}
		words = append(words, v.String())
	}
	return 0, fmt.Errorf("%w %q for %s: write one of %s", ErrUnknownWord, word, what, strings.Join(words, ", "))
}
