package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tree is JSON as encoding/json decodes it.
type tree = map[string]any

// drawSchema draws a schema that has a bit of everything, in places and in values.
func drawSchema(t *rapid.T, depth int) any {
	if depth == 0 || rapid.IntRange(0, 9).Draw(t, "boolean") == 0 {
		return rapid.SampledFrom([]any{true, false, tree{}, tree{"type": "string"}, tree{"const": tree{"title": "x"}}}).Draw(t, "leaf")
	}
	names := rapid.SampledFrom([]string{"a", "b", "title", "description", "required", "enum"})
	s := tree{}
	for range rapid.IntRange(0, 4).Draw(t, "keywords") {
		switch k := rapid.SampledFrom([]string{"title", "description", "examples", "properties", "required", "enum", "type", "items", "allOf",
			"$defs", "not", "default", "maximum", "x-unknown", "$schema", "dependencies"}).Draw(t, "keyword"); k {
		case "title", "description", "$schema", "x-unknown":
			s[k] = rapid.SampledFrom([]any{"one", "two", tree{"title": "x"}}).Draw(t, "text")
		case "examples", "default":
			s[k] = rapid.SampledFrom([]any{[]any{"b", "a"}, tree{"title": "x"}, []any{}}).Draw(t, "value")
		case "properties", "$defs", "dependencies":
			object := tree{}
			for range rapid.IntRange(0, 3).Draw(t, "entries") {
				object[names.Draw(t, "name")] = drawSchema(t, depth-1)
			}
			s[k] = object
		case "required":
			s[k] = rapid.SampledFrom([]any{[]any{}, []any{"a"}, []any{"a", "b"}, []any{"title", "b", "a"}, true, []any{1.0}}).Draw(t, "required")
		case "enum":
			s[k] = rapid.SampledFrom([]any{[]any{1.0, "b", "a"}, []any{"a"}, []any{tree{"title": "x"}, nil}, "odd"}).Draw(t, "enum")
		case "type":
			s[k] = rapid.SampledFrom([]any{"object", "string", []any{"string", "null"}}).Draw(t, "type")
		case "maximum":
			s[k] = float64(rapid.IntRange(-3, 3).Draw(t, "maximum"))
		case "allOf":
			s[k] = []any{drawSchema(t, depth-1), drawSchema(t, depth-1)}
		default:
			s[k] = drawSchema(t, depth-1)
		}
	}
	return s
}

func drawTools(t *rapid.T) []any {
	tools := []any{}
	for i := range rapid.IntRange(0, 3).Draw(t, "tools") {
		tool := tree{"name": string(rune('a' + i))}
		if rapid.IntRange(0, 3).Draw(t, "input") > 0 {
			tool["inputSchema"] = drawSchema(t, 3)
		}
		for _, key := range []string{"description", "title"} {
			if rapid.Bool().Draw(t, key) {
				tool[key] = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "words")
			}
		}
		if rapid.Bool().Draw(t, "annotated") {
			tool["annotations"] = tree{"readOnlyHint": rapid.SampledFrom([]any{true, false, nil}).Draw(t, "hint")}
		}
		if rapid.Bool().Draw(t, "output") {
			tool["outputSchema"] = drawSchema(t, 1)
		}
		tools = append(tools, tool)
	}
	return tools
}

// contractTwin is R15 over decoded JSON, as simply as it can be said.
func contractTwin(v any, root bool) any {
	s, ok := v.(tree)
	if !ok {
		return v
	}
	out := tree{}
	for k, v := range s {
		list, isList := v.([]any)
		object, isObject := v.(tree)
		switch {
		case k == "title", k == "description", k == "examples", k == "$comment", k == "$schema" && root:
			continue
		case (k == "required" || k == "enum" || k == "type") && isList:
			if k == "required" && len(list) == 0 {
				continue
			}
			v = slices.SortedFunc(slices.Values(list), func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		case (k == "properties" || k == "$defs" || k == "dependencies") && isObject:
			named := tree{}
			for name, schema := range object {
				named[name] = contractTwin(schema, false)
			}
			v = named
		case k == "allOf" && isList:
			v = []any{contractTwin(list[0], false), contractTwin(list[1], false)}
		case k == "items", k == "not":
			v = contractTwin(v, false)
		}
		out[k] = v
	}
	return out
}

// toolsTwin returns what the fingerprint depends on, in the order of names.
func toolsTwin(tools []any) string {
	out := tree{}
	for _, t := range tools {
		t := t.(tree)
		out[t["name"].(string)] = tree{}
		if input, ok := t["inputSchema"]; ok {
			out[t["name"].(string)] = tree{"input": contractTwin(input, true)}
		}
	}
	return marshal(out)
}

func marshal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// shuffled writes the list with its keys, sets and tools in another order.
func shuffled(v any, key string, r *rand.Rand) string {
	switch v := v.(type) {
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = shuffled(v[i], "", r)
		}
		if key == "tools" {
			r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		}
		return "[" + strings.Join(parts, " , ") + "]"
	case tree:
		keys := slices.Sorted(maps.Keys(v))
		r.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for i, k := range keys {
			keys[i] = marshal(k) + ": " + shuffled(v[k], "", r)
		}
		return "{" + strings.Join(keys, ",\n") + "}"
	}
	return marshal(v)
}

func parseTree(t *rapid.T, tools []any) *ToolSet {
	ts, err := ParseToolSet([]byte(marshal(tools)))
	if err != nil {
		t.Fatalf("%s: %v", marshal(tools), err)
	}
	return ts
}

// R13, R15: two lists have one fingerprint if and only if they have one contract.
func TestFingerprintTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, two := drawTools(t), drawTools(t)
		a, b := parseTree(t, one), parseTree(t, two)
		if same := toolsTwin(one) == toolsTwin(two); (a.Fingerprint == b.Fingerprint) != same {
			t.Fatalf("%s\n%s\nshould be the same: %v", marshal(one), marshal(two), same)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		again, err := ParseToolSet([]byte(shuffled(one, "tools", rand.New(rand.NewPCG(seed, 0)))))
		if err != nil {
			t.Fatal(err)
		}
		if again.Fingerprint != a.Fingerprint || again.ProseDigest != a.ProseDigest {
			t.Fatalf("the order in %s changes a digest", marshal(one))
		}
	})
}

// R14: fingerprints differ if and only if a contract change is listed; prose digests,
// where tools stay, if and only if another is.
func TestDiffListsWhatDigestsSee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one := drawTools(t)
		two := drawTools(t)
		if rapid.Bool().Draw(t, "near") && len(one) > 0 {
			two = slices.Clone(one)
			tool := maps.Clone(two[0].(tree))
			tool["inputSchema"] = drawSchema(t, 2)
			two[0] = tool
		}
		a, b := parseTree(t, one), parseTree(t, two)
		contract, prose := 0, 0
		for _, change := range Diff(a, b) {
			if change.Contract {
				contract++
			} else {
				prose++
			}
			if change.Words == "" || change.Tool == "" {
				t.Fatalf("%+v says nothing", change)
			}
		}
		if (contract > 0) != (a.Fingerprint != b.Fingerprint) {
			t.Fatalf("%s\n%s\nlists %d contract changes", marshal(one), marshal(two), contract)
		}
		if len(one) == len(two) && (prose > 0) != (a.ProseDigest != b.ProseDigest) {
			t.Fatalf("%s\n%s\nlists %d prose changes: %v", marshal(one), marshal(two), prose, Diff(a, b))
		}
		if len(Diff(a, a)) != 0 {
			t.Fatalf("%s differs from itself", marshal(one))
		}
	})
}

func FuzzParseToolSet(f *testing.F) {
	f.Add([]byte(pay(`{"properties":{"a":{"title":"x","enum":["b","a"]}},"required":["a"]}`)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","annotations":{"readOnlyHint":true}}],"nextCursor":null}}`))
	f.Add([]byte(`[{"tools":[]}] {"tools":[{"name":"\ud83d\ude00","outputSchema":{"items":[{"$ref":"#/examples/0"}]}}]}`))
	f.Fuzz(func(t *testing.T, list []byte) {
		ts, err := ParseToolSet(list)
		if err != nil {
			if !errors.Is(err, ErrToolSet) || ts != nil {
				t.Fatalf("%v, %v", ts, err)
			}
			return
		}
		if !json.Valid(ts.ContractDocument()) || !json.Valid(ts.ProseDocument()) {
			t.Fatalf("%s\n%s", ts.ContractDocument(), ts.ProseDocument())
		}
		// A list made of the contracts alone is the same contract.
		var again bytes.Buffer
		for i := range ts.Tools {
			name := quote(nil, ts.Tools[i].Name)
			fmt.Fprintf(&again, `[{"name":%s`, name)
			if input := lookup(ts.Tools[i].Contract, "input"); input != nil {
				fmt.Fprintf(&again, `,"inputSchema":%s`, input)
			}
			again.WriteString("}]\n")
		}
		again.WriteString("[]")
		back, err := ParseToolSet(again.Bytes())
		if err != nil || back.Fingerprint != ts.Fingerprint {
			t.Fatalf("%s: %v", again.Bytes(), err)
		}
		for _, change := range Diff(ts, back) {
			if change.Contract {
				t.Fatalf("%v", change)
			}
		}
	})
}
