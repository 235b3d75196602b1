package catalog

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// static refuses references whose target depends on how the validator came there:
// what they cost can't be counted beforehand. seen holds what was looked at.
func static(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) error {
	if s == nil || seen[s] {
		return nil
	}
	seen[s] = true
	if ref := s.RecursiveRef; ref != nil && ref.RecursiveAnchor {
		return errors.New("a $recursiveRef to a $recursiveAnchor is not followed: what it costs can't be bounded")
	}
	if ref := s.DynamicRef; ref != nil && ref.Anchor != "" && ref.Ref.DynamicAnchor == ref.Anchor {
		return errors.New("a $dynamicRef to a $dynamicAnchor is not followed: what it costs can't be bounded")
	}
	for _, part := range parts(s) {
		if err := static(part, seen); err != nil {
			return err
		}
	}
	return nil
}

// parts returns the schemas that a schema applies; nil ones among them.
func parts(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties,
		s.Contains, s.Items2020, s.UnevaluatedItems}
	for _, several := range [...][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, several...)
	}
	for _, several := range [...]map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, one := range several {
			all = append(all, one)
		}
	}
	for _, one := range s.PatternProperties {
		all = append(all, one)
	}
	for _, one := range s.Dependencies {
		all = append(all, schemas(one)...)
	}
	if s.DynamicRef != nil {
		all = append(all, s.DynamicRef.Ref)
	}
	for _, either := range [...]any{s.Items, s.AdditionalItems, s.AdditionalProperties} {
		all = append(all, schemas(either)...)
	}
	return all
}

// schemas returns what a keyword of several shapes holds.
func schemas(value any) []*jsonschema.Schema {
	switch value := value.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{value}
	case []*jsonschema.Schema:
		return value
	}
	return nil
}
