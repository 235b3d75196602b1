package catalog

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/writ-dev/writ/decisions"
)

// newPlain is nil where a schema says more than plain can tell, or refuses everything:
// only what is sent there is left to the validator.
func newPlain(s *jsonschema.Schema) *plain {
	unbounded := plainSize(nil, nil)
	anything := &plain{types: anyType, length: unbounded, members: unbounded, items: unbounded}
	anything.others, anything.item = anything, anything
	return plainOf(s, anything)
}

// plainOf is newPlain, given what accepts every value.
func plainOf(s *jsonschema.Schema, anything *plain) *plain {
	if s.Bool != nil && *s.Bool {
		return anything
	}
	values, ok := plainValues(s)
	if s.Bool != nil || !ok || saysMore(s) {
		return nil
	}
	p := &plain{
		types:   plainTypes(s.Types),
		values:  values,
		bounds:  plainBounds(s),
		length:  plainSize(s.MinLength, s.MaxLength),
		members: plainSize(s.MinProperties, s.MaxProperties),
		items:   plainSize(s.MinItems, s.MaxItems),
		others:  anything,
		item:    anything,
	}
	switch others := s.AdditionalProperties.(type) {
	case bool:
		if !others {
			p.others = nil
		}
	case *jsonschema.Schema:
		p.others = plainOf(others, anything)
	}
	if items, ok := s.Items.(*jsonschema.Schema); ok {
		p.item = plainOf(items, anything)
	} else if s.Items != nil {
		p.item = nil // a tuple
	}
	if s.Items2020 != nil {
		p.item = plainOf(s.Items2020, anything)
	}
	p.name(s, anything)
	return p
}

// name takes in the properties that a schema speaks about.
func (p *plain) name(s *jsonschema.Schema, anything *plain) {
	if len(s.Properties)+len(s.Required) == 0 {
		return
	}
	p.properties = make(map[string]property, len(s.Properties))
	for name, schema := range s.Properties {
		p.properties[plainText(name)] = property{plain: plainOf(schema, anything)}
	}
	for _, name := range s.Required {
		key := plainText(name)
		member, named := p.properties[key]
		if !named {
			member.plain = p.others
		}
		member.required = true
		p.properties[key] = member
	}
	for _, member := range p.properties {
		if member.required {
			p.required++
		}
	}
}

// saysMore reports whether a schema has a keyword that plain does not know. It looks at
// every field, so that one that the library learns is not overlooked.
func saysMore(s *jsonschema.Schema) bool {
	known := []string{
		"DraftVersion", "Location", "Bool", "ID", "Anchor", "Types", "Enum", "Const",
		"MaxProperties", "MinProperties", "Required", "Properties", "AdditionalProperties",
		"MinItems", "MaxItems", "Items", "Items2020", "MinLength", "MaxLength",
		"Maximum", "Minimum", "ExclusiveMaximum", "ExclusiveMinimum",
		"Format", "Title", "Description", "Default", "Comment", "ReadOnly", "WriteOnly", "Examples", "Deprecated",
	}
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.IsExported() && !slices.Contains(known, f.Name) && !v.Field(i).IsZero() {
			return true
		}
	}
	return false
}

func plainTypes(t *jsonschema.Types) types {
	if t == nil || t.IsEmpty() {
		return anyType
	}
	var all types
	for i, name := range []string{"null", "boolean", "integer", "number", "string", "array", "object"} {
		if slices.Contains(t.ToStrings(), name) {
			all |= 1 << i
		}
	}
	return all
}

// plainValues is not ok where a schema has both, enum and const.
func plainValues(s *jsonschema.Schema) (values map[string]bool, ok bool) {
	if s.Enum == nil && s.Const == nil {
		return nil, true
	}
	values = map[string]bool{}
	if s.Enum != nil {
		for _, v := range s.Enum.Values {
			values[plainText(v)] = true
		}
	}
	if s.Const != nil {
		values[plainText(*s.Const)] = true
	}
	return values, s.Enum == nil || s.Const == nil
}

func plainBounds(s *jsonschema.Schema) (bounds []bound) {
	add := func(side int, at *big.Rat, reached bool) {
		if at == nil {
			return
		}
		b := bound{side: side}
		b.value, _ = at.Float64()
		if reached && at.IsInt() && at.Num().IsInt64() {
			b.text = at.RatString()
		}
		bounds = append(bounds, b)
	}
	add(1, s.Minimum, true)
	add(1, s.ExclusiveMinimum, false)
	add(-1, s.Maximum, true)
	add(-1, s.ExclusiveMaximum, false)
	return bounds
}

func plainSize(least, most *int) size {
	s := size{most: math.MaxInt}
	if least != nil {
		s.least = *least
	}
	if most != nil {
		s.most = *most
	}
	return s
}

// plainText is a value's canonical text. One that has none is empty, like no value is.
func plainText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	canonical, err := decisions.Canonical(nil, raw, decisions.Limits{})
	if err != nil {
		return ""
	}
	return string(canonical)
}
