package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ErrArguments is what every refusal of a call's arguments wraps (R18).
var ErrArguments = errors.New("arguments do not fit the pinned input schema")

// PinnedTool is a tool of a pinned list, ready to check calls. The zero value, and
// nil, accept nothing.
type PinnedTool struct {
	Name      string
	arguments *arguments
}

// CheckArguments checks a call's arguments against the pinned input schema. nil
// stands for omitted arguments, which are checked as an empty object. The error
// wraps ErrArguments and names the place ("/amount: expected integer, got null"),
// without repeating a value.
//
// Duplicate keys are not looked for: decisions.Canonical refuses them. A schema
// that can't be used accepts nothing.
func (t *PinnedTool) CheckArguments(raw []byte) error {
	if t == nil || t.arguments == nil {
		return fmt.Errorf("%w: no schema is pinned", ErrArguments)
	}
	if err := t.arguments.check(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrArguments, err)
	}
	return nil
}

// arguments checks what one tool takes. The zero value accepts nothing.
type arguments struct {
	schema *jsonschema.Schema
	// unusable says why there is no schema to check against.
	unusable error
}

func (a *arguments) check(raw []byte) error {
	if a.unusable != nil {
		return a.unusable
	}
	if a.schema == nil {
		return errors.New("no schema is pinned")
	}
	value, err := decodeObject(raw)
	if err != nil {
		return err
	}
	err = a.schema.Validate(value)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return misfit(invalid)
	}
	return err
}

// decodeObject decodes a JSON object, numbers as they are written.
func decodeObject(raw []byte) (any, error) {
	if raw == nil {
		return map[string]any{}, nil
	}
	decode := json.NewDecoder(bytes.NewReader(raw))
	decode.UseNumber()
	var value map[string]any
	if err := decode.Decode(&value); err != nil || value == nil {
		return nil, errors.New("expected a JSON object")
	}
	if _, err := decode.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("expected nothing after the JSON object")
	}
	return value, bounded(value, "")
}

// bounded refuses numbers that are too large to be compared exactly.
func bounded(value any, at string) error {
	const digits, exponent = 1000, 5
	switch v := value.(type) {
	case json.Number:
		_, exp, _ := strings.Cut(strings.ToLower(string(v)), "e")
		if len(v) > digits || len(strings.TrimLeft(exp, "+-0")) >= exponent {
			return fmt.Errorf("%s: expected a number of at most %d digits and an exponent below 10000", spot(at), digits)
		}
	case map[string]any:
		for key, item := range v {
			if err := bounded(item, at+"/"+key); err != nil {
				return err
			}
		}
	case []any:
		for i, item := range v {
			if err := bounded(item, fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}
