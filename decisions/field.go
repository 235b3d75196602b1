package decisions

import (
	"errors"
	"fmt"
	"time"
)

// Field is what entries can be found by. Only a decision has the fields after
// FieldKind.
type Field uint8

// Fields. An index stores their numbers.
const (
	FieldKind Field = iota
	FieldSession
	FieldProcess
	FieldAutomation
	FieldServer
	FieldTool
	FieldOutcome
	FieldReason
	FieldApproval

	fieldCount
)

// FieldCount is the number of fields.
const FieldCount = int(fieldCount)

// Fields holds an entry's value of each field; an empty one is none. The values share
// the entry's memory.
//
// The kind is the name of the body's field in ledgerv1.Entry, as in "decision". Outcome
// ("RUN") and reason code are what was answered: the settlement's where there is one.
type Fields [FieldCount][]byte

// Term asks for a value of a field.
type Term struct {
	Field Field
	Value string
}

// Filter says which entries a reader wants: those for which all of it holds. The zero
// Filter wants every one.
type Filter struct {
	// Since and Until bound the entry's time: [Since, Until). The zero time does not.
	Since, Until time.Time
	Terms        []Term
}

// Query is a filter, and where to begin reading.
type Query struct {
	Filter
	// OldestFirst reads towards the end; otherwise the newest entry comes first.
	OldestFirst bool
	// Start is the first sequence that is looked at. Newest first, one beyond the end
	// stands for the last.
	Start uint64
	// Limit is how many entries at most; 0 does not limit.
	Limit int
}

// ErrNoMatch says that an entry was given for a filter that does not want it.
var ErrNoMatch = errors.New("the entry does not match")

// Check says why an entry is not wanted. Errors: ErrNoMatch, ErrEnvelope.
func (f Filter) Check(r Record) error {
	if !f.Since.IsZero() && r.Time.Before(f.Since) || !f.Until.IsZero() && !r.Time.Before(f.Until) {
		return fmt.Errorf("%w: its time is %v", ErrNoMatch, r.Time)
	}
	fields, err := ReadFields(r.Raw)
	if err != nil {
		return err
	}
	for _, t := range f.Terms {
		if got := string(fields[t.Field]); got != t.Value {
			return fmt.Errorf("%w: its field %d is %q, not %q", ErrNoMatch, t.Field, got, t.Value)
		}
	}
	return nil
}
