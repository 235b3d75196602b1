package catalog

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxWork is what checking a call's arguments may cost beside one step for each of
// their bytes. A step is one schema at one place of the arguments, or 16 bytes by one
// instruction of a pattern: about half a microsecond. Large arguments and large
// schemas fit; a schema that refers to itself twice at each level does not, with
// arguments that are deep.
const maxWork = 1 << 16

// errTooMuchWork refuses what would take too long to check. The arguments may be
// good; nobody can say so in time, and that is not a reason to let them through (R18).
var errTooMuchWork = errors.New("/: too much to check: the pinned schema multiplies over arguments of this size and depth")

// work counts the steps of a validation without taking them: as the validator does,
// but every branch that it might take, so that the count is never lower than what
// follows. It stops counting where there is no room left, which bounds it, too.
type work struct {
	left int
	// chain are the schemas that are being applied, from instance's start on to the
	// same value. One that is there already ends in a reference cycle, which the
	// validator finds and refuses.
	chain []*jsonschema.Schema
	start int
}

// affordable reports whether a value of so many bytes can be checked within maxWork.
func affordable(schema *jsonschema.Schema, value any, bytes int) bool {
	w := work{left: maxWork + bytes, chain: make([]*jsonschema.Schema, 0, 16)}
	w.visit(schema, value)
	return w.left >= 0
}

// at visits another value than the one at hand.
func (w *work) at(schema *jsonschema.Schema, value any) {
	start := w.start
	w.start = len(w.chain)
	w.visit(schema, value)
	w.start = start
}

func (w *work) visit(s *jsonschema.Schema, value any) {
	depth := len(w.chain) - w.start
	w.left -= 1 + depth/16 // the validator looks for cycles the same way
	if s == nil || w.left < 0 {
		return
	}
	if slices.Contains(w.chain[w.start:], s) {
		w.left -= depth * depth / 64 // for the words about it
		return
	}
	w.chain = append(w.chain, s)
	w.same(s, value)
	switch v := value.(type) {
	case map[string]any:
		w.object(s, v)
	case []any:
		w.array(s, v)
	case string:
		w.left -= len(v) / 256
		w.pattern(s.Pattern, v)
	case json.Number:
		w.left -= digits(v)
	}
	w.chain = w.chain[:len(w.chain)-1]
}

// same visits the schemas that apply to the same value.
func (w *work) same(s *jsonschema.Schema, value any) {
	if s.Const != nil {
		w.equal(value, *s.Const)
	}
	if s.Enum != nil {
		for _, item := range s.Enum.Values {
			if w.left < 0 {
				return
			}
			w.equal(value, item)
		}
	}
	for _, one := range [...]*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else} {
		if one != nil {
			w.visit(one, value)
		}
	}
	if s.DynamicRef != nil {
		w.visit(s.DynamicRef.Ref, value)
	}
	for _, several := range [...][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, one := range several {
			if w.left < 0 {
				return
			}
			w.visit(one, value)
		}
	}
}

func (w *work) object(s *jsonschema.Schema, v map[string]any) {
	w.left -= len(v) / 4
	for name, dependent := range s.DependentSchemas {
		if _, there := v[name]; there {
			w.visit(dependent, v)
		}
	}
	for name, dependent := range s.Dependencies {
		schema, _ := dependent.(*jsonschema.Schema)
		if _, there := v[name]; there && schema != nil {
			w.visit(schema, v)
		}
	}
	additional, _ := s.AdditionalProperties.(*jsonschema.Schema)
	for name, value := range v {
		if w.left < 0 {
			return
		}
		if property := s.Properties[name]; property != nil {
			w.at(property, value)
		}
		for pattern, property := range s.PatternProperties {
			w.pattern(pattern, name)
			w.at(property, value)
		}
		for _, rest := range [...]*jsonschema.Schema{additional, s.UnevaluatedProperties} {
			if rest != nil {
				w.at(rest, value)
			}
		}
		if s.PropertyNames != nil {
			w.at(s.PropertyNames, name)
		}
	}
}

func (w *work) array(s *jsonschema.Schema, v []any) {
	w.left -= len(v) / 4
	if s.UniqueItems {
		w.unique(v)
	}
	tuple, _ := s.Items.([]*jsonschema.Schema)
	items, _ := s.Items.(*jsonschema.Schema)
	additional, _ := s.AdditionalItems.(*jsonschema.Schema)
	for i, value := range v {
		if w.left < 0 {
			return
		}
		if i < len(tuple) {
			w.at(tuple[i], value)
		}
		if i < len(s.PrefixItems) {
			w.at(s.PrefixItems[i], value)
		}
		for _, each := range [...]*jsonschema.Schema{items, additional, s.Items2020, s.Contains, s.UnevaluatedItems} {
			if each != nil {
				w.at(each, value)
			}
		}
	}
}
