package catalog

import (
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// What plain has to know to be of use, and what it must leave to the validator.
func TestPlainAccepts(t *testing.T) {
	for _, test := range []struct {
		schema, arguments string
		want              bool
	}{
		{`true`, `{"a":[{"b":null}]}`, true},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{},"additionalProperties":false}`, ``, true},
		{`{"required":["a"],"properties":{"a":{"type":["string","null"],"description":"d","default":"x"}}}`, `{"a":null}`, true},
		{`{"required":["a"]}`, `{"a":1}`, true},
		{`{"properties":{"a":{"type":"integer","minimum":1,"maximum":100}}}`, `{"a":100}`, true},
		{`{"properties":{"a":{"type":"number","minimum":0,"exclusiveMaximum":1}}}`, `{"a":0.9}`, true},
		{`{"properties":{"a":{"type":"string","minLength":2,"maxLength":2}}}`, `{"a":"é\n"}`, true},
		{`{"properties":{"a":{"enum":["x","<&>"]},"b":{"const":1}}}`, `{"a":"<&>","b":1.0}`, true},
		{`{"properties":{"a":{"type":"array","items":{"type":"string","format":"uri"},"minItems":1}}}`, `{"a":["x"]}`, true},
		{`{"properties":{"a":{"oneOf":[{"type":"string"}]}}}`, `{"b":1}`, true},

		{`false`, `{}`, false},
		{`{"required":["a"]}`, ``, false},
		{`{"required":["a"],"additionalProperties":false}`, `{"a":1}`, false},
		{`{"properties":{"a":{"minLength":2}}}`, `{"a":"x"}`, false},
		{`{"properties":{"a":{"maxLength":2}}}`, `{"a":"xyz"}`, false},
		{`{"properties":{"a":{"maximum":9007199254740992}}}`, `{"a":9007199254740993}`, false},
		{`{"properties":{"a":{"exclusiveMaximum":1}}}`, `{"a":1}`, false},
		{`{"properties":{"a":{"oneOf":[{"type":"string"}]}}}`, `{"a":"x"}`, false},
		{`{"properties":{"a":{"prefixItems":[{"type":"string"}]}}}`, `{"a":[1]}`, false},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"type":"string"}]}}}`, `{"a":[1]}`, false},
	} {
		arguments := &decisions.Arguments{}
		if test.arguments != "" {
			arguments = sent(test.arguments)
		}
		canonical, err := arguments.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		if got := compileArguments([]byte(test.schema)).plain.accepts(canonical); got != test.want {
			t.Errorf("%s: %s: accepted %v, want %v", test.schema, test.arguments, got, test.want)
		}
	}
}
