package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/writ-dev/writ/catalog"
)

// TestRealListsMutated: lists of real servers, fetched here, changed in one place at a
// time: exactly the digest that must move moves, and the difference names the tool, the
// kind and the path (R13–R15).
func TestRealListsMutated(t *testing.T) {
	requireNode(t)
	packages := []npmPackage{filesHints, memory, thinkingInputs, all}
	installAll(t, packages)
	l := newLab(t)
	var lists [][]any
	for _, p := range packages {
		tools := toolsOf(t, l.fetch(t, p))
		if ts := parsed(t, tools); len(ts.Tools) != len(tools) || len(tools) == 0 {
			t.Fatalf("%s offers %d tools, %d were read", p.name, len(tools), len(ts.Tools))
		}
		lists = append(lists, tools)
	}
	names := slices.Sorted(maps.Keys(mutations()))
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SampledFrom(lists).Draw(t, "list")
		name := rapid.SampledFrom(names).Draw(t, "mutation")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) //nolint:gosec // which place is changed
		after := clone(t, before)
		want, possible := mutations()[name](r, &after)
		if !possible {
			t.Skip("nothing of that kind is in the list")
		}
		a, b := parsed(t, before), parsed(t, after)
		if moved := a.Fingerprint != b.Fingerprint; moved != want.contract {
			t.Fatalf("%s: the fingerprint moved: %v", name, moved)
		}
		if moved := a.ProseDigest != b.ProseDigest; moved != want.prose {
			t.Fatalf("%s: the prose digest moved: %v", name, moved)
		}
		changes := catalog.Diff(a, b)
		if want.kind == "" && len(changes) > 0 || want.kind != "" && !want.among(changes) {
			t.Fatalf("%s: %+v, want %+v", name, changes, want)
		}
	})
}

// moved is what a mutation must move, and the one change that must be said.
type moved struct {
	contract, prose bool
	kind            catalog.ChangeKind
	tool, path      string
}

// among reports whether every change is of that kind and tool, at that path.
func (m moved) among(changes []catalog.Change) bool {
	return len(changes) == 1 && changes[0].Kind == m.kind && changes[0].Tool == m.tool &&
		changes[0].Path == m.path && changes[0].Contract == m.contract
}

type object = map[string]any

// mutations change a list in one place; they report false where it has no such place.
func mutations() map[string]func(*rand.Rand, *[]any) (moved, bool) {
	return map[string]func(*rand.Rand, *[]any) (moved, bool){
		"reorder": func(r *rand.Rand, tools *[]any) (moved, bool) {
			reorder(r, *tools)
			return moved{}, true
		},
		"reword": func(r *rand.Rand, tools *[]any) (moved, bool) {
			tool := pick(r, *tools)
			tool["description"] = "In other words."
			return moved{prose: true, kind: catalog.ProseChanged, tool: nameOf(tool)}, true
		},
		"reword an input": func(r *rand.Rand, tools *[]any) (moved, bool) {
			tool, name, input := pickInput(r, *tools)
			if input == nil {
				return moved{}, false
			}
			input["description"] = "In other words."
			return moved{prose: true, kind: catalog.ProseChanged, tool: nameOf(tool), path: name}, true
		},
		"add a tool": func(_ *rand.Rand, tools *[]any) (moved, bool) {
			*tools = append(*tools, object{"name": "get_new", "inputSchema": object{"type": "object"}})
			return moved{contract: true, prose: true, kind: catalog.ToolAdded, tool: "get_new"}, true
		},
		"drop a tool": func(r *rand.Rand, tools *[]any) (moved, bool) {
			i := r.IntN(len(*tools))
			name := nameOf((*tools)[i].(object))
			*tools = slices.Delete(*tools, i, i+1)
			return moved{contract: true, prose: true, kind: catalog.ToolRemoved, tool: name}, true
		},
		"add an input": func(r *rand.Rand, tools *[]any) (moved, bool) {
			tool, _, input := pickInput(r, *tools)
			if input == nil {
				return moved{}, false
			}
			properties(tool)["bcc"] = object{"type": "string"}
			return moved{contract: true, kind: catalog.InputAdded, tool: nameOf(tool), path: "bcc"}, true
		},
		"require": func(r *rand.Rand, tools *[]any) (moved, bool) {
			tool, name, input := pickInput(r, *tools)
			if input == nil {
				return moved{}, false
			}
			schema := tool["inputSchema"].(object)
			required, _ := schema["required"].([]any)
			if i := slices.Index(required, any(name)); i >= 0 {
				schema["required"] = slices.Delete(required, i, i+1)
				return moved{contract: true, kind: catalog.InputUnrequired, tool: nameOf(tool), path: name}, true
			}
			schema["required"] = append(required, name)
			return moved{contract: true, kind: catalog.InputRequired, tool: nameOf(tool), path: name}, true
		},
		"retype": func(r *rand.Rand, tools *[]any) (moved, bool) {
			tool, name, input := pickInput(r, *tools)
			if input == nil {
				return moved{}, false
			}
			if _, typed := input["type"]; !typed {
				return moved{}, false
			}
			input["type"] = "null"
			return moved{contract: true, kind: catalog.TypeChanged, tool: nameOf(tool), path: name}, true
		},
	}
}

func toolsOf(t *testing.T, pages string) []any {
	t.Helper()
	var tools []any
	for page := range strings.Lines(pages) {
		var p struct {
			Tools []any `json:"tools"`
		}
		d := json.NewDecoder(strings.NewReader(page))
		d.UseNumber()
		if err := d.Decode(&p); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, p.Tools...)
	}
	return tools
}

type failing interface{ Fatal(args ...any) }

func parsed(t failing, tools []any) *catalog.ToolSet {
	raw, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	ts, err := catalog.ParseToolSet(raw)
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

func clone(t failing, tools []any) []any {
	raw, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	var again []any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&again); err != nil {
		t.Fatal(err)
	}
	return again
}

// reorder shuffles tools, and the sets in every schema; keys have no order here.
func reorder(r *rand.Rand, tools []any) {
	r.Shuffle(len(tools), func(i, j int) { tools[i], tools[j] = tools[j], tools[i] })
	for _, tool := range tools {
		reorderSets(r, tool.(object)["inputSchema"])
	}
}

func reorderSets(r *rand.Rand, value any) {
	schema, _ := value.(object)
	for key, part := range schema {
		list, isList := part.([]any)
		if isList && (key == "required" || key == "type" || key == "enum") {
			r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		}
		if key != "default" && key != "const" {
			reorderSets(r, part)
		}
	}
}

func nameOf(tool object) string { return tool["name"].(string) }

func pick(r *rand.Rand, tools []any) object { return tools[r.IntN(len(tools))].(object) }

func properties(tool object) object {
	schema, _ := tool["inputSchema"].(object)
	inputs, _ := schema["properties"].(object)
	return inputs
}

// pickInput picks a tool that has inputs, and one of them; nil where none has.
func pickInput(r *rand.Rand, tools []any) (object, string, object) {
	for _, i := range r.Perm(len(tools)) {
		tool := tools[i].(object)
		names := slices.Sorted(maps.Keys(properties(tool)))
		if len(names) == 0 {
			continue
		}
		name := names[r.IntN(len(names))]
		if input, ok := properties(tool)[name].(object); ok {
			return tool, name, input
		}
	}
	return nil, "", nil
}
