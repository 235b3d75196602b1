package rego

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
)

func texts() []string {
	return []string{
		`{}`, ` {"a" : [ ] , "b":{}} `, `{"stage":"limited","traits":{"effect":"write","collection":true},"scope":{"count":-1.50e+3}}`,
		`{"arguments":{"amount":1.0,"list":[1,[2,[3]],{"x":null}],"stage":"limited","":"\u00e9\ud83d\ude00\n","é":"日本"}}`,
		`{"a":1,"a":2}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}", `{"a":9007199254740993,"b":1e400,"c":-0}`, `{"a":false,"b":true}`,
		``, `5`, `[1]`, `"x"`, `{`, `{"a"}`, `{"a":tru}`, `{"a":01}`, `{"a":1}x`, `{"a":[1,]}`, `null`,
	}
}

// sameAsDecoded holds the reader against its dumb twin, OPA's own decoder, which also
// takes what is no object, and stops after the first value.
func sameAsDecoded(t *testing.T, v vocabulary, text []byte) {
	t.Helper()
	want, failed := ast.ValueFromReader(bytes.NewReader(text))
	_, isObject := want.(ast.Object)
	got, err := v.object(text)
	switch valid := failed == nil && isObject && json.Valid(text); {
	case valid && (err != nil || got.Compare(want) != 0 || got.String() != want.String()):
		t.Errorf("%q: got %v (%v), want %v", text, got, err, want)
	case !valid && !errors.Is(err, errDocument):
		t.Errorf("%q: got %v (%v), want a refusal", text, got, err)
	}
}

func TestObjectIsWhatOPADecodes(t *testing.T) {
	for _, v := range []vocabulary{nil, newVocabulary([]string{"limited"}, []inputPath{{"arguments", "amount"}})} {
		for _, text := range texts() {
			sameAsDecoded(t, v, []byte(text))
		}
	}
}

func FuzzObject(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text))
	}
	v := newVocabulary([]string{"limited"}, nil)
	f.Fuzz(func(t *testing.T, text []byte) { sameAsDecoded(t, v, text) })
}
