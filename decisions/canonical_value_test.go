package decisions

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What is read off the canonical form is what a decoder makes of it.
func TestArgumentsObjectIsWhatWasSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			members[rapid.String().Draw(t, "key")] = jsonValue(3).Draw(t, "value")
		}
		raw := spell(members, rand.New(rand.NewPCG(1, rapid.Uint64().Draw(t, "seed"))))
		sent := Arguments{Kind: ArgumentsJSON, JSON: []byte(raw)}
		got, err := sent.Object()
		if err != nil {
			t.Skip("refused: ", err) // duplicate keys and such, tested elsewhere
		}
		canonical, _ := sent.Canonical()
		decode := json.NewDecoder(strings.NewReader(string(canonical)))
		decode.UseNumber()
		var want map[string]any
		if err := decode.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s:\n got %#v\nwant %#v", canonical, got, want)
		}
	})
}

func TestArgumentsObjectOfOthers(t *testing.T) {
	omitted := Arguments{}
	if got, err := omitted.Object(); err != nil || got == nil || len(got) != 0 {
		t.Errorf("omitted: %v, %v; want an empty object", got, err)
	}
	for _, raw := range []string{`[1]`, `null`, `{"a": 1`, `{"a": 1} {}`, `{"a": 1e999999999}`, `{"a":1,"a":2}`, ``} {
		sent := Arguments{Kind: ArgumentsJSON, JSON: []byte(raw)}
		if got, err := sent.Object(); err == nil {
			t.Errorf("%s gave %v, want an error", raw, got)
		}
	}
}

// FuzzArgumentsObject: whatever Canonical lets through is read without a panic.
func FuzzArgumentsObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[{"b":"\"\\"},1e400,-0.5,true,false,null,[]]}`, `{"":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		sent := Arguments{Kind: ArgumentsJSON, JSON: raw}
		object, err := sent.Object()
		if err != nil {
			return
		}
		var want map[string]any
		decode := json.NewDecoder(strings.NewReader(string(raw)))
		decode.UseNumber()
		if err := decode.Decode(&want); err != nil || len(want) != len(object) {
			t.Fatalf("%q: %d members, a decoder finds %d (%v)", raw, len(object), len(want), err)
		}
	})
}
