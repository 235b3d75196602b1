package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// hard are schemas and arguments that real servers, or hostile ones, could send.
func hard() []struct{ name, schema, arguments, want string } {
	deep := func(n int, open, inner, end string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
	}
	var chain, refs strings.Builder
	for i := range 150 {
		fmt.Fprintf(&chain, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
		fmt.Fprintf(&refs, `"p%d":{"$ref":"#/$defs/text"},`, i)
	}
	next := `"properties":{"n":{"$ref":"#"}}`
	tooMuch := errTooMuchWork.Error()
	return []struct{ name, schema, arguments, want string }{
		{"a tree, 21 deep", deep(21, `{"type":"object","properties":{"n":`, `{"type":"integer"}`, `}}`), deep(21, `{"n":`, `"x"`, `}`),
			strings.Repeat("/n", 21) + ": expected integer, got string"},
		{"150 references", `{"properties":{` + refs.String() + `"z":{}},"$defs":{"text":{"type":"string"}}}`, `{"p149":1}`, "/p149: expected string, got number"},
		{"a chain of 150 references", `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + chain.String() + `"d150":{"type":"string"}}}`, `{"a":1}`,
			"/a: expected string, got number"},
		{"a list that refers to itself", `{"type":"object",` + next + `,"additionalProperties":false}`, deep(100, `{"n":`, `{"x":1}`, `}`),
			spot(strings.Repeat("/n", 100)+"/x") + ": not expected"},
		{"twice at each level, not deep", `{"allOf":[{` + next + `},{` + next + `}]}`, deep(10, `{"n":`, `{}`, `}`), ""},
		{"twice at each level, deep", `{"allOf":[{` + next + `},{` + next + `}]}`, deep(100, `{"n":`, `{}`, `}`), tooMuch},
		{"either of two, deep", `{"anyOf":[{` + next + `,"required":["x"]},{` + next + `,"required":["y"]}]}`, deep(100, `{"n":`, `{}`, `}`), tooMuch},
		{"one of two, in lists", `{"properties":{"n":{"$ref":"#/$defs/l"}},"$defs":{"l":{"oneOf":[{"items":{"$ref":"#/$defs/l"}},{"items":{"$ref":"#/$defs/l"},"minItems":9}]}}}`,
			`{"n":` + deep(100, `[`, ``, `]`) + `}`, tooMuch},
		{"if, then", `{"$defs":{"c":{"properties":{"n":{"$ref":"#/$defs/c"}},"if":{"properties":{"n":{"$ref":"#/$defs/c"}}},"then":{"properties":{"n":{"$ref":"#/$defs/c"}}}}},"$ref":"#/$defs/c"}`,
			deep(100, `{"n":`, `{}`, `}`), tooMuch},
		{"definitions that double", doubling(40), `{}`, tooMuch},
		{"a pattern that is large", `{"properties":{"a":{"pattern":"^(a|b|ab){1000}(a|b|ab){1000}$"}}}`, `{"a":"` + strings.Repeat("ab", 200_000) + `"}`, tooMuch},
		{"a pattern that runs away elsewhere", `{"properties":{"a":{"pattern":"^(a+)+$"}}}`, `{"a":"` + strings.Repeat("a", 50_000) + `!"}`,
			"/a: expected text that matches the pattern"},
		{"numbers written out", `{"properties":{"a":{"items":{"enum":[` + strings.Repeat(`1e9999,`, 999) + `2]}}}}`, `{"a":[` + strings.Repeat(`3e9999,`, 999) + `1]}`, tooMuch},
		{"a mebibyte of numbers", `{"properties":{"a":{"items":{"type":"number"}}}}`, `{"a":[` + strings.Repeat("1,", 500_000) + `1]}`, ""},
		{"a remote reference", `{"properties":{"a":{"$ref":"https://example.com/s.json"}}}`, `{}`,
			"the pinned input schema can't be used: references outside of the schema are not followed (https://example.com/s.json)"},
		{"a dynamic reference", `{"$dynamicAnchor":"t","properties":{"n":{"$dynamicRef":"#t"}}}`, `{}`,
			"the pinned input schema can't be used: a $dynamicRef to a $dynamicAnchor is not followed: what it costs can't be bounded"},
		{"a recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"properties":{"n":{"$recursiveRef":"#"}}}`, `{}`,
			"the pinned input schema can't be used: a $recursiveRef to a $recursiveAnchor is not followed: what it costs can't be bounded"},
	}
}

// doubling is a schema of n definitions, each of which applies the next one twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{}}}`, b.String(), n)
}

// R18: what can't be checked in time is refused, and what is only large is not.
func TestHardSchemas(t *testing.T) {
	for _, test := range hard() {
		t.Run(test.name, func(t *testing.T) {
			tool := PinnedTool{arguments: compileArguments([]byte(test.schema))}
			err := tool.CheckArguments(sent(test.arguments))
			if test.want == "" && err != nil || test.want != "" && (!errors.Is(err, ErrArguments) || !strings.HasSuffix(err.Error(), ": "+test.want)) {
				t.Errorf("got %v\nwant %q", err, test.want)
			}
		})
	}
}

// What each step is counted for: without any of these, one of the hard schemas passes.
func TestWorkIsBounded(t *testing.T) {
	schema, err := compileSchema([]byte(doubling(60)))
	if err != nil {
		t.Fatal(err)
	}
	w := work{left: 1000}
	if w.visit(schema, map[string]any{}); w.left >= 0 || w.left < -100 {
		t.Errorf("counting went on to %d, want a stop right below 0", w.left)
	}
	if len(w.chain) != 0 {
		t.Errorf("%d schemas are left in the chain", len(w.chain))
	}
}

// BenchmarkCheckHard is what the hard schemas cost, refused or not.
func BenchmarkCheckHard(b *testing.B) {
	for _, test := range hard() {
		tool := PinnedTool{arguments: compileArguments([]byte(test.schema))}
		b.Run(test.name, func(b *testing.B) {
			for b.Loop() {
				_ = tool.CheckArguments(sent(test.arguments))
			}
		})
	}
}
