package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// counted is a pattern that counts how often the validator asks it.
type counted struct{ calls *int }

func (c counted) MatchString(s string) bool { *c.calls++; return strings.Contains(s, "x") }
func (counted) String() string              { return "x" }

// drawApplied draws a schema of applicators whose leaves are patterns.
func drawApplied(t *rapid.T, depth int) any {
	if depth == 0 {
		return rapid.SampledFrom([]any{tree{"pattern": "x"}, true, tree{"$ref": "#/$defs/a"}, tree{"$ref": "#/$defs/b"}}).Draw(t, "leaf")
	}
	s := tree{}
	for range rapid.IntRange(1, 3).Draw(t, "keywords") {
		k := rapid.SampledFrom([]string{"allOf", "anyOf", "oneOf", "prefixItems", "properties", "patternProperties", "dependentSchemas", "additionalProperties",
			"unevaluatedProperties", "propertyNames", "items", "contains", "unevaluatedItems", "not", "if", "then", "else", "dependencies"}).Draw(t, "keyword")
		switch k {
		case "allOf", "anyOf", "oneOf", "prefixItems":
			s[k] = []any{drawApplied(t, depth-1), drawApplied(t, depth-1)}
		case "properties", "patternProperties", "dependentSchemas", "dependencies":
			s[k] = tree{"a": drawApplied(t, depth-1), "x": drawApplied(t, depth-1)}
		default:
			s[k] = drawApplied(t, depth-1)
		}
	}
	return s
}

func drawValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
	case depth == 0 || kind == 0:
		return rapid.SampledFrom([]any{"x", "y", 1.0, nil}).Draw(t, "value")
	case kind == 1:
		list := []any{}
		for range rapid.IntRange(0, 12).Draw(t, "items") {
			list = append(list, drawValue(t, depth-1))
		}
		return list
	}
	object := tree{}
	for i := range rapid.IntRange(0, 12).Draw(t, "members") {
		object[rapid.SampledFrom([]string{"a", "x", fmt.Sprint(i)}).Draw(t, "name")] = drawValue(t, depth-1)
	}
	return object
}

// R18: what is counted beforehand is never less than what the validator then does,
// whatever keyword applies a schema, and in whichever draft.
func TestWorkIsCountedWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := tree{"$defs": tree{"a": drawApplied(t, 1), "b": drawApplied(t, 2)}, "allOf": []any{drawApplied(t, 3)}}
		if rapid.Bool().Draw(t, "old") {
			schema["$schema"] = "http://json-schema.org/draft-07/schema#"
		}
		calls := 0
		c := jsonschema.NewCompiler()
		c.UseRegexpEngine(func(string) (jsonschema.Regexp, error) { return counted{&calls}, nil })
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(marshal(schema)))
		if err != nil {
			t.Fatal(err)
		}
		if err := c.AddResource(schemaURL, doc); err != nil {
			t.Fatal(err)
		}
		compiled, err := c.Compile(schemaURL)
		if err != nil {
			t.Skip("not a schema of this draft")
		}
		value := drawValue(t, 3)
		calls = 0
		const room = 1 << 18
		w := work{left: room}
		if w.visit(compiled, value); w.left < 0 {
			t.Skip("more than is checked")
		}
		_ = compiled.Validate(value)
		if counted := room - w.left; counted < calls {
			t.Fatalf("%s of %s asks %d patterns, %d steps were counted", marshal(value), marshal(schema), calls, counted)
		}
	})
}
