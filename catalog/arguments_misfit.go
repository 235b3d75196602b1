package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// misfit says where the first misfit is and what was expected there. It repeats no
// value, and no name but those that the schema has: an error stands in the log, which
// holds no arguments (R35). With nil for the names it repeats all of them.
func misfit(err *jsonschema.ValidationError, known names) error {
	var all []string
	known.collect(err, &all)
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
	})
	if more := len(all) - 1; more > 0 {
		return fmt.Errorf("%s (and %d more)", all[0], more)
	}
	return errors.New(all[0])
}

// collect walks to the causes. Where a value fits none of several forms, the place
// of the choice is what helps, not why each form does not fit.
func (n names) collect(err *jsonschema.ValidationError, into *[]string) {
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			n.collect(cause, into)
		}
		if len(err.Causes) > 0 {
			return
		}
	case *kind.AnyOf, *kind.OneOf:
		if len(err.Causes) == 1 {
			n.collect(err.Causes[0], into)
			return
		}
	case *kind.Required:
		for _, name := range k.Missing {
			*into = append(*into, fmt.Sprintf("%s: missing", spot(n.pointer(err.InstanceLocation)+"/"+name)))
		}
		return
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			*into = append(*into, fmt.Sprintf("%s: not expected", spot(n.pointer(append(slices.Clone(err.InstanceLocation), name)))))
		}
		return
	}
	*into = append(*into, spot(n.pointer(err.InstanceLocation))+": "+expected(err.ErrorKind))
}

// expected says what should have been there. Only numbers and type names are taken
// from the schema: its other words are a third party's (R19).
func expected(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return fmt.Sprintf("expected one of the %d values that are allowed", len(k.Want))
	case *kind.Const:
		return "expected the one value that is allowed"
	case *kind.Pattern:
		return "expected text that matches the pattern"
	case *kind.UniqueItems:
		return "expected items that all differ"
	case *kind.AnyOf, *kind.OneOf:
		return "expected exactly one of the forms that the schema lists"
	case *kind.FalseSchema:
		return "not expected"
	case *kind.Not:
		return "expected none of what the schema excludes"
	case *kind.RefCycle:
		return "the schema refers to itself in a circle"
	}
	if bound := expectedBound(k); bound != "" {
		return bound
	}
	return "does not fit the schema's " + clip(strings.Join(k.KeywordPath(), "/"))
}

// expectedBound says which bound was not kept; empty for other kinds.
func expectedBound(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %d items", k.Want)
	case *kind.Minimum:
		return "expected at least " + number(k.Want)
	case *kind.Maximum:
		return "expected at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected less than " + number(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + number(k.Want)
	}
	return ""
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return clip(r.Num().String())
	}
	return clip(r.FloatString(6))
}

// names are those that a schema gives to properties, at any place.
type names map[string]bool

func namesOf(s *jsonschema.Schema) names {
	known := names{}
	known.add(s, map[*jsonschema.Schema]bool{})
	return known
}

func (n names) add(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	for name := range s.Properties {
		n[name] = true
	}
	for _, part := range parts(s) {
		n.add(part, seen)
	}
}

// unknownName stands for a name that only the call has: it may be an address.
const unknownName = "(a name that the schema does not have)"

// pointer writes a place as a JSON pointer.
func (n names) pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		if n != nil && !n[token] && !isIndex(token) {
			token = unknownName
		}
		b.WriteString(token)
	}
	return b.String()
}

// isIndex says whether a token counts elements. A longer number may be a name.
func isIndex(token string) bool {
	_, err := strconv.ParseUint(token, 10, 16)
	return err == nil && len(token) <= 4
}

// spot bounds and cleans a pointer: its names come from the call or the server.
func spot(pointer string) string {
	const most = 160
	if pointer == "" {
		return "/"
	}
	clean, truncated := Clean(pointer, most)
	if truncated {
		clean += "…"
	}
	return clean
}
