package catalog

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/writ-dev/writ/decisions"
)

// ErrArguments is what every refusal of a call's arguments wraps (R18).
var ErrArguments = errors.New("arguments do not fit the pinned input schema")

// PinnedTool is a tool of a pinned list, ready to check calls. The zero value, and
// nil, accept nothing.
type PinnedTool struct {
	Name      string
	arguments *arguments
}

// CheckArguments checks a call's arguments against the pinned input schema. Omitted
// ones are checked as an empty object. The error wraps ErrArguments and names the
// place ("/amount: expected integer, got null"), without repeating a value.
//
// Arguments of which only a digest was sent can't be checked: it is the caller's to
// ask for those only where that is right. A schema that can't be used accepts nothing.
func (t *PinnedTool) CheckArguments(sent *decisions.Arguments) error {
	if t == nil || t.arguments == nil {
		return fmt.Errorf("%w: no schema is pinned", ErrArguments)
	}
	if err := t.arguments.check(sent); err != nil {
		return fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return nil
}

// arguments checks what one tool takes. The zero value accepts nothing.
type arguments struct {
	// schema judges and words what plain does not accept; nil only in the zero value.
	// Where plain speaks for most of it, it is compiled when it is first needed: it
	// takes several times the memory, and most tools are only ever asked what fits.
	schema func() *jsonschema.Schema
	// plain accepts most of what fits, sooner.
	plain *plain
	// unusable says why there is no schema to check against.
	unusable error
}

func (a *arguments) check(sent *decisions.Arguments) error {
	if a.unusable != nil {
		return a.unusable
	}
	if a.schema == nil {
		return errors.New("no schema is pinned")
	}
	canonical, err := sent.Canonical()
	if err != nil || a.plain.accepts(canonical) {
		return err
	}
	object, err := sent.Object()
	if err != nil {
		return err
	}
	schema := a.schema()
	if !affordable(schema, object, len(sent.JSON)) {
		return errTooMuchWork
	}
	err = schema.Validate(object)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return misfit(invalid, namesOf(schema))
	}
	return err
}
