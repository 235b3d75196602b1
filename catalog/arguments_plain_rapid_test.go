package catalog

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// drawNumber draws numbers that are near to each other, and some that doubles can't tell.
func drawNumber(t *rapid.T) any {
	return rapid.SampledFrom([]any{json.Number("0"), json.Number("1"), json.Number("-1"), json.Number("2.5"), json.Number("0.1"), json.Number("1e21"), json.Number("1e400"), json.Number("-1e400"),
		json.Number("9007199254740992"), json.Number("9007199254740993"), json.Number("0.10000000000000000001"), json.Number("1e-400")}).Draw(t, "number")
}

// drawPlain draws a schema, most of which plain understands.
func drawPlain(t *rapid.T, depth int) any {
	s := tree{}
	for range rapid.IntRange(0, 4).Draw(t, "keywords") {
		k := rapid.SampledFrom([]string{"type", "types", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
			"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "properties", "required", "additionalProperties",
			"closed", "items", "format", "multipleOf", "pattern", "anyOf", "prefixItems"}).Draw(t, "keyword")
		word := rapid.SampledFrom([]string{"null", "boolean", "integer", "number", "string", "array", "object"})
		switch {
		case k == "type":
			s["type"] = word.Draw(t, "word")
		case k == "types":
			s["type"] = []any{"object", rapid.SampledFrom([]string{"integer", "string", "array"}).Draw(t, "word")}
		case k == "enum":
			s[k] = []any{plainValue(t, 1), "x", plainValue(t, 1)}
		case k == "const":
			s[k] = plainValue(t, 1)
		case k == "minimum" || k == "maximum" || k == "exclusiveMinimum" || k == "exclusiveMaximum":
			s[k] = drawNumber(t)
		case k == "multipleOf":
			s[k] = json.Number("2.5")
		case k[:3] == "min" || k[:3] == "max":
			s[k] = rapid.IntRange(0, 3).Draw(t, k)
		case k == "format":
			s[k] = rapid.SampledFrom([]string{"email", "regex", "x"}).Draw(t, k)
		case k == "pattern":
			s[k] = "x"
		case k == "required":
			s[k] = []any{rapid.SampledFrom([]string{"a", "b", "é\n", "<"}).Draw(t, k)}
		case k == "closed":
			s["additionalProperties"] = false
		case depth == 0:
		case k == "properties":
			s[k] = tree{"a": drawPlain(t, depth-1), "é\n": drawPlain(t, depth-1), "<": rapid.Bool().Draw(t, "boolean")}
		case k == "anyOf" || k == "prefixItems":
			s[k] = []any{drawPlain(t, depth-1)}
		default:
			s[k] = drawPlain(t, depth-1)
		}
	}
	return s
}

func plainValue(t *rapid.T, depth int) any {
	switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
	case depth == 0 || kind == 0:
		return rapid.SampledFrom([]any{"x", "", "é\n\"", "𝄞x", true, false, nil}).Draw(t, "value")
	case kind == 1:
		return drawNumber(t)
	case kind == 2:
		list := []any{}
		for range rapid.IntRange(0, 4).Draw(t, "items") {
			list = append(list, plainValue(t, depth-1))
		}
		return list
	}
	return plainObject(t, depth)
}

func plainObject(t *rapid.T, depth int) tree {
	object := tree{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		object[rapid.SampledFrom([]string{"a", "b", "é\n", "<"}).Draw(t, "name")] = plainValue(t, depth-1)
	}
	return object
}

// R18: what is accepted without the validator is what the validator accepts, in
// whichever draft.
func TestPlainAcceptsWhatFits(t *testing.T) {
	accepted, fitting := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		schema := tree{"properties": tree{"a": drawPlain(t, 2), "b": drawPlain(t, 1)}, "additionalProperties": drawPlain(t, 1)}
		if draft := rapid.SampledFrom([]string{"", "http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
			"https://json-schema.org/draft/2019-09/schema"}).Draw(t, "draft"); draft != "" {
			schema["$schema"] = draft
		}
		compiled := compileArguments([]byte(marshal(schema)))
		if compiled.unusable != nil {
			t.Skip(compiled.unusable)
		}
		for range 20 {
			arguments := sent(marshal(plainObject(t, 3)))
			canonical, err := arguments.Canonical()
			if err != nil {
				t.Skip(err)
			}
			object, _ := arguments.Object()
			err = compiled.schema().Validate(object)
			if compiled.plain.accepts(canonical) {
				accepted++
				if err != nil {
					t.Fatalf("%s: %s was accepted, the validator says %v", marshal(schema), canonical, err)
				}
			}
			if err == nil {
				fitting++
			}
		}
	})
	if accepted*2 < fitting {
		t.Errorf("%d of %d that fit were accepted: plain is no use", accepted, fitting)
	}
}
