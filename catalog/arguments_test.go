package catalog

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/writ-dev/writ/decisions"
)

// R18: what does not fit is refused with the place, and without a value.
func TestCheckArguments(t *testing.T) {
	const order = `{
		"type": "object",
		"properties": {
			"amount": {"type": "integer", "minimum": 1, "maximum": 9007199254740993},
			"currency": {"enum": ["EUR", "USD"]},
			"lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "maxItems": 2},
			"note": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
			"mail": {"type": "string", "format": "email"},
			"to": {"anyOf": [{"type": "string"}, {"type": "integer"}]}
		},
		"required": ["amount"],
		"additionalProperties": false,
		"$defs": {"line": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}}
	}`
	tests := []struct{ name, schema, arguments, want string }{
		{"fits", order, `{"amount": 5, "currency": "EUR", "lines": [{"sku": "a"}], "note": "abc", "to": 7}`, ""},
		{"null is no number", order, `{"amount": null}`, "/amount: expected integer, got null"},
		{"text is no number", order, `{"amount": "5"}`, "/amount: expected integer, got string"},
		{"1.0 is an integer", order, `{"amount": 1.0}`, ""},
		{"the largest amount", order, `{"amount": 9007199254740993}`, ""},
		{"one more than a double holds", order, `{"amount": 9007199254740994}`, "/amount: expected at most 9007199254740993"},
		{"missing", order, `{}`, "/amount: missing"},
		{"unknown", order, `{"amount": 1, "bcc": "x"}`, "/(a name that the schema does not have): not expected"},
		{"a name of the caller's", `{"additionalProperties": {"type": "integer"}}`, `{"ada@example.org": "x"}`, "/(a name that the schema does not have): expected integer, got string"},
		{"a number of the caller's", `{"additionalProperties": {"additionalProperties": false}}`, `{"0123456789": {"7": "x"}}`, "/(a name that the schema does not have)/7: not expected"},
		{"enum keeps the server's words to itself", order, `{"amount": 1, "currency": "GBP"}`, "/currency: expected one of the 2 values that are allowed"},
		{"inside a list", order, `{"amount": 1, "lines": [{"sku": "a"}, {}]}`, "/lines/1/sku: missing"},
		{"pattern keeps the value to itself", order, `{"amount": 1, "note": "A1"}`, "/note: expected text that matches the pattern"},
		{"several", order, `{"amount": 1, "note": "secret1"}`, "/note: expected at most 5 characters (and 1 more)"},
		{"no form fits", order, `{"amount": 1, "to": true}`, "/to: expected exactly one of the forms that the schema lists"},
		{"format is an annotation", order, `{"amount": 1, "mail": "nobody"}`, ""},
		{"no type at the root", `{"properties": {"a": {"type": "string"}}}`, `{"a": 1}`, "/a: expected string, got number"},
		{"only $schema", `{"$schema": "http://json-schema.org/draft-07/schema#"}`, `{"a": 1}`, ""},
		{"true", `true`, `{"a": 1}`, ""},
		{"false", `false`, `{}`, "/: not expected"},
		{"draft-07 tuple", `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"items": [{"type": "string"}]}}}`, `{"a": [1]}`, "/a/0: expected string, got number"},
		{"2020-12 tuple", `{"properties": {"a": {"prefixItems": [{"type": "string"}]}}}`, `{"a": [1]}`, "/a/0: expected string, got number"},
		{"a schema that refers to itself", `{"properties": {"next": {"$ref": "#"}}, "additionalProperties": false}`, `{"next": {"next": {"x": 1}}}`, "/next/next/(a name that the schema does not have): not expected"},
		{"a schema in a circle", `{"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}`, `{}`, "/: the schema refers to itself in a circle"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := PinnedTool{arguments: compileArguments([]byte(test.schema))}
			err := tool.CheckArguments(sent(test.arguments))
			if test.want == "" {
				if err != nil {
					t.Fatalf("refused: %v", err)
				}
				return
			}
			if !errors.Is(err, ErrArguments) || !strings.HasSuffix(err.Error(), ": "+test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
		})
	}
}

// Each bound is said as the number that the schema gives.
func TestCheckArgumentsBounds(t *testing.T) {
	for _, test := range []struct{ schema, value, want string }{
		{`{"minLength": 2}`, `"a"`, "expected at least 2 characters"},
		{`{"maxLength": 2}`, `"abc"`, "expected at most 2 characters"},
		{`{"minItems": 1}`, `[]`, "expected at least 1 items"},
		{`{"maxItems": 1}`, `[1, 2]`, "expected at most 1 items"},
		{`{"uniqueItems": true}`, `[1, 1.0]`, "expected items that all differ"},
		{`{"minimum": 0.5}`, `0.25`, "expected at least 0.500000"},
		{`{"maximum": 5}`, `6`, "expected at most 5"},
		{`{"exclusiveMinimum": 5}`, `5`, "expected more than 5"},
		{`{"exclusiveMaximum": 5}`, `5`, "expected less than 5"},
		{`{"multipleOf": 3}`, `5`, "expected a multiple of 3"},
		{`{"const": "secret"}`, `"other"`, "expected the one value that is allowed"},
		{`{"not": {}}`, `1`, "expected none of what the schema excludes"},
		{`{"minProperties": 1}`, `{}`, "does not fit the schema's minProperties"},
		{`{"oneOf": [{"type": "string"}, {"const": "a"}]}`, `"a"`, "expected exactly one of the forms that the schema lists"},
		{`{"anyOf": [{"type": "string"}]}`, `1`, "expected string, got number"},
	} {
		tool := PinnedTool{arguments: compileArguments([]byte(`{"properties": {"a": ` + test.schema + `}}`))}
		err := tool.CheckArguments(sent(`{"a": ` + test.value + `}`))
		if err == nil || !strings.HasSuffix(err.Error(), ": /a: "+test.want) {
			t.Errorf("%s of %s: got %v, want %q", test.value, test.schema, err, test.want)
		}
	}
}

// Omitted arguments are an empty object; a tool that is not pinned takes nothing.
func TestCheckArgumentsOmitted(t *testing.T) {
	free := PinnedTool{arguments: compileArguments(nil)}
	if err := free.CheckArguments(&decisions.Arguments{}); err != nil {
		t.Error(err)
	}
	needy := PinnedTool{arguments: compileArguments([]byte(`{"required": ["a"]}`))}
	if err := needy.CheckArguments(&decisions.Arguments{}); !errors.Is(err, ErrArguments) {
		t.Errorf("got %v, want a refusal", err)
	}
	for _, unpinned := range []*PinnedTool{nil, {}, {arguments: &arguments{}}} {
		if err := unpinned.CheckArguments(sent(`{}`)); !errors.Is(err, ErrArguments) {
			t.Errorf("got %v, want a refusal", err)
		}
	}
}

// Formats are not asserted in any draft, so that a call never hangs on what a
// server means by one.
func TestFormatsAreAnnotations(t *testing.T) {
	for _, format := range append(formats(), "regex", "password") {
		for _, draft := range []string{
			"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
			"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
			"https://json-schema.org/draft/2020-12/schema",
		} {
			schema, err := json.Marshal(map[string]any{"$schema": draft, "properties": map[string]any{"a": map[string]any{"format": format}}})
			if err != nil {
				t.Fatal(err)
			}
			tool := PinnedTool{arguments: compileArguments(schema)}
			if err := tool.CheckArguments(sent(`{"a": "(((1) not any format ^^ %%%"}`)); err != nil {
				t.Errorf("%s in %s: %v", format, draft, err)
			}
		}
	}
}

// One compiled schema serves many calls at once (run with -race).
func TestCheckArgumentsConcurrently(t *testing.T) {
	tool := PinnedTool{arguments: compileArguments([]byte(
		`{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "string", "format": "regex", "pattern": "x"}}}`))}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				if err := tool.CheckArguments(sent(`{"a": "x(("}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkCheckArguments(b *testing.B) {
	tool := PinnedTool{arguments: compileArguments([]byte(`{
		"type": "object",
		"properties": {"to": {"type": "array", "items": {"type": "string"}, "minItems": 1}, "subject": {"type": "string", "maxLength": 200},
			"body": {"type": "string"}, "priority": {"type": "integer", "minimum": 0, "maximum": 5}, "draft": {"type": "boolean"}},
		"required": ["to", "subject", "body"], "additionalProperties": false}`))}
	raw := `{"to": ["someone@example.com"], "subject": "` + strings.Repeat("s", 40) + `", "body": "` + strings.Repeat("b", 150) + `", "priority": 3, "draft": false}`
	b.ReportAllocs()
	for b.Loop() {
		if err := tool.CheckArguments(sent(raw)); err != nil {
			b.Fatal(err)
		}
	}
}

func sent(raw string) *decisions.Arguments {
	return &decisions.Arguments{Kind: decisions.ArgumentsJSON, JSON: []byte(raw)}
}

// A schema that could not be compiled a second time would refuse everything.
func TestASchemaThatIsNoneRefuses(t *testing.T) {
	if err := again([]byte("{")).Validate(map[string]any{}); err == nil {
		t.Error("accepted an empty object")
	}
}

// What fits is accepted without the compiled schema, and what does not fit is worded
// by it, the first time and by many at once.
func TestTheSchemaIsCompiledWhenItIsNeeded(t *testing.T) {
	tool := PinnedTool{arguments: compileArguments([]byte(`{"type": "object", "properties": {"amount": {"type": "integer"}}}`))}
	compiled := tool.arguments.schema
	needed := false
	tool.arguments.schema = func() *jsonschema.Schema { needed = true; return compiled() }
	fits := decisions.Arguments{Kind: decisions.ArgumentsJSON, JSON: []byte(`{"amount": 5}`)}
	if err := tool.CheckArguments(&fits); err != nil || needed {
		t.Errorf("%v, compiled: %v", err, needed)
	}
	tool.arguments.schema = compiled
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			misfit := decisions.Arguments{Kind: decisions.ArgumentsJSON, JSON: []byte(`{"amount": null}`)}
			if err := tool.CheckArguments(&misfit); err == nil || !strings.Contains(err.Error(), "/amount: expected integer, got null") {
				t.Errorf("got %v", err)
			}
		})
	}
	all.Wait()
}
