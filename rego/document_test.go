package rego

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

// The document holds what is read, in the order of the fields, and nothing else (R35).
func TestDocument(t *testing.T) {
	in := &Input{
		Workspace: "w", Stage: "limited", Tool: "say \"hi\"\n", Target: "ünïcode",
		ScopeStated: true, Selection: "all", Count: 3,
		Arguments:  json.RawMessage(` { "b" : 1.0 , "a\u0062" : {"x": [1, {"y": "}"}], "z": 2}, "c": "\"", "d": 1e5 } `),
		ToolsetAge: 90*time.Second + 1, Labels: map[string]string{"team": "a", "env": "b"},
		Time: time.Date(2026, 11, 30, 12, 0, 0, 5, time.FixedZone("", 3600)),
		Classified: decisions.Classify(decisions.Statement{
			Traits: decisions.Traits{Effect: decisions.Read}, Source: decisions.Source{Kind: decisions.Review},
		}),
	}
	for _, test := range []struct{ reads, want string }{
		{"", `{}`},
		{"tool", `{"tool":"say \"hi\"\n"}`},
		{"target", `{"target":"ünïcode"}`},
		{"tool stage workspace", `{"workspace":"w","stage":"limited","tool":"say \"hi\"\n"}`},
		{"traits.risk stage traits.effect", `{"stage":"limited","traits":{"effect":"read","risk":"high"}}`},
		{"traits", `{"traits":{"effect":"read","risk":"high","undo":"impossible","exposure":"outbound","collection":true,"idempotent":false}}`},
		{"traits.effect sources.risk scope", `{"traits":{"effect":"read"},"sources":{"risk":"review"},"scope":{"stated":true,"selection":"all","count":3}}`},
		{"scope.count toolset_age_seconds prose_changed", `{"scope":{"count":3},"toolset_age_seconds":90,"prose_changed":false}`},
		{"time", `{"time":"2026-11-30T11:00:00.000000005Z"}`},
		{"labels", `{"labels":{"env":"b","team":"a"}}`},
		{"labels.team labels.none", `{"labels":{"team":"a"}}`},
		{"arguments.b", `{"arguments":{"b":1.0}}`},
		{"arguments.ab.z stage arguments.d", `{"stage":"limited","arguments":{"a\u0062":{"z":2},"d":1e5}}`},
		{"arguments.ab.x", `{"arguments":{"a\u0062":{"x":[1, {"y": "}"}]}}}`},
		{"arguments.b.c arguments.none", `{"arguments":{}}`},
		{"arguments labels.env", `{"labels":{"env":"b"},"arguments":{"b":1.0,"a\u0062":{"x": [1, {"y": "}"}], "z": 2},"c":"\"","d":1e5}}`},
	} {
		d := newDocument(paths(test.reads), nil)
		got, err := d.append(nil, in)
		if err != nil || string(got) != test.want {
			t.Errorf("reads %q: %s, %v; want %s", test.reads, got, err, test.want)
		}
	}
}

func paths(reads string) []inputPath {
	var ps []inputPath
	for r := range strings.FieldsSeq(reads) {
		ps = append(ps, strings.Split(r, "."))
	}
	return ps
}

// The dumb twin: decode all, keep what is named, and compare as values.
func TestPickTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arguments := anyObject(3).Draw(t, "arguments")
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		var reads []inputPath
		for _, keys := range rapid.SliceOfN(rapid.SliceOfN(key(), 0, 3), 1, 4).Draw(t, "reads") {
			reads = append(reads, append(inputPath{argumentsPath}, keys...))
		}
		d := newDocument(reads, nil)
		got, err := d.append(nil, &Input{Arguments: raw})
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal(got, &value); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		want := map[string]any{argumentsPath: kept(arguments, picked(reads, argumentsPath, nil))}
		if diff := cmp.Diff(want, value); diff != "" {
			t.Fatalf("%s of %s: %s", got, raw, diff)
		}
	})
}

// kept is the twin of pick.appendObject.
func kept(object map[string]any, p *pick) map[string]any {
	if p.whole {
		return object
	}
	result := map[string]any{}
	for k, v := range object {
		below, isObject := v.(map[string]any)
		switch keep := p.keys[k]; {
		case keep == nil:
		case keep.whole:
			result[k] = v
		case isObject:
			result[k] = kept(below, keep)
		}
	}
	return result
}

func key() *rapid.Generator[string] { return rapid.SampledFrom([]string{"a", "b", "\"", "ü\n", ""}) }

func anyObject(depth int) *rapid.Generator[map[string]any] {
	return rapid.MapOfN(key(), anyValue(depth-1), 0, 4)
}

func anyValue(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Just[any](true), rapid.Map(rapid.StringN(0, 5, -1), func(s string) any { return s }),
		rapid.Map(rapid.Int32(), func(n int32) any { return float64(n) }),
	}
	if depth > 0 {
		scalars = append(scalars,
			rapid.Map(anyObject(depth), func(o map[string]any) any { return o }),
			rapid.Map(rapid.SliceOfN(anyValue(depth-1), 1, 3), func(l []any) any { return l }))
	}
	return rapid.OneOf(scalars...)
}

// Whatever the arguments are, the document is either refused or one whose other
// fields stand as they were set.
func FuzzDocument(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a": 1}`, `{"a":{"b":[1,"}"]}}`, `{"\u0061":"\\"}`, `{"a":1},"stage":"x"`, `{"a":[}`} {
		f.Add([]byte(seed))
	}
	whole, named := newDocument(paths("stage arguments"), nil), newDocument(paths("stage arguments.a.b arguments.c"), nil)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		for _, d := range []document{whole, named} {
			b, err := d.append(nil, &Input{Stage: "rehearsal", Arguments: arguments})
			var got map[string]json.RawMessage
			if err != nil || json.Unmarshal(b, &got) != nil {
				continue
			}
			if string(got["stage"]) != `"rehearsal"` || len(got) > 2 {
				t.Errorf("%q made the document %s", arguments, b)
			}
		}
		if b, err := whole.append(nil, &Input{Arguments: arguments}); json.Valid(arguments) && err != nil && arguments[0] == '{' {
			t.Errorf("valid %q is refused: %s, %v", arguments, b, err)
		}
	})
}
