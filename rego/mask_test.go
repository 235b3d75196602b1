package rego

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

// maskedBy makes a policy of rules and a mask.
func maskedBy(rules string, mask ...string) fstest.MapFS {
	fsys := policyOf(rules)
	list, err := json.Marshal(mask)
	if err != nil {
		panic(err)
	}
	fsys["writ/data.yaml"] = &fstest.MapFile{Data: fmt.Appendf(nil, "stages: [rehearsal, general]\nmask: %s\n", list)}
	return fsys
}

// readsAll names everything that can be masked, and quotes nothing.
const readsAll = `
verdict contains {"outcome": "RUN", "code": "all", "reason": "All is read."} if {
	count(input.arguments) >= 0
	count(input.labels) >= 0
	[input.target, input.scope.selection, input.scope.count] != []
}
`

// R35: what a path hides. ■ stands for a commitment, and # for a number.
func TestMask(t *testing.T) {
	for _, test := range []struct{ mask, document, want string }{
		{`arguments.iban`, `{"arguments":{"iban":"DE1","to":"x"}}`, `{"arguments":{"iban":■,"to":"x"}}`},
		{`arguments.iban`, `{"arguments":{"to":{"iban":"DE1"}}}`, `{"arguments":{"to":{"iban":"DE1"}}}`},
		{`arguments.iban`, `{"arguments":{}}`, `{"arguments":{}}`},
		{`arguments.iban`, `{"tool":"iban"}`, `{"tool":"iban"}`},
		{`arguments.iban`, `{"arguments":{"ib\u0061n" : 1.0 }}`, `{"arguments":{"ib\u0061n" : ■ }}`},
		{`arguments.a.b`, `{"arguments":{"a":{"b":[1, 2],"c":3}}}`, `{"arguments":{"a":{"b":■,"c":3}}}`},
		{`arguments`, `{"arguments":{"a":{"b":1}}}`, `{"arguments":■}`},
		{`arguments[_]`, `{"arguments":{"a":{"b":1},"c":null}}`, `{"arguments":{"a":■,"c":■}}`},
		{`arguments.to[_].address`, `{"arguments":{"to":[ {"name":"n","address":"a@b"}, {"address":"c"} ]}}`, `{"arguments":{"to":[ {"name":"n","address":■}, {"address":■} ]}}`},
		{`arguments.to[_].address`, `{"arguments":{"to":{"x":{"address":"a@b"}}}}`, `{"arguments":{"to":{"x":{"address":■}}}}`},
		{`arguments["odd.key"]["~/"]`, `{"arguments":{"odd.key":{"~/":1}}}`, `{"arguments":{"odd.key":{"~/":■}}}`},
		{`target scope.selection scope.count labels.mail`, `{"target":"t","scope":{"stated":true,"selection":"s","count":3},"labels":{"mail":"m","team":"a"}}`, `{"target":■,"scope":{"stated":true,"selection":■,"count":■},"labels":{"mail":■,"team":"a"}}`},
		// The value may be where nobody expects it: another shape is hidden whole.
		{`arguments.to[_].address`, `{"arguments":{"to":["a@b", {"address":"c"}, ["d"]]}}`, `{"arguments":{"to":[■, {"address":■}, ■]}}`},
		{`arguments.to[_].address`, `{"arguments":{"to":"a@b"}}`, `{"arguments":{"to":■}}`},
		{`arguments.a.b`, `{"arguments":{"a":[{"b":1}]}}`, `{"arguments":{"a":■}}`},
		// Paths within each other hide what the wider one does, in any order.
		{`arguments.a arguments.a.b`, `{"arguments":{"a":{"c":1}}}`, `{"arguments":{"a":■}}`},
		{`arguments.a.b arguments.a`, `{"arguments":{"a":{"c":1}}}`, `{"arguments":{"a":■}}`},
		{`arguments[_].b arguments.a.c`, `{"arguments":{"a":{"d":1},"e":{"b":1,"d":2}}}`, `{"arguments":{"a":■,"e":{"b":■,"d":2}}}`},
		// What can't be followed is hidden whole.
		{`arguments.a`, `{"arguments":{"a":1}`, `■`},
		{`arguments.a[_]`, `{"arguments":{"a":[1,]}}`, `■`},
	} {
		p := load(t, maskedBy(readsAll, strings.Fields(test.mask)...), Options{})
		masked, open := p.Mask([]byte(test.document))
		got := string(masked)
		for i := range open {
			got = strings.Replace(got, string(open[i].AppendMasked(nil)), "■", 1)
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", test.mask, got, test.want)
		}
		if !json.Valid([]byte(test.document)) {
			continue
		}
		if back, err := decisions.Unmask(masked, open); err != nil || string(back) != test.document {
			t.Errorf("%s: disclosed %s, %v", test.mask, back, err)
		}
	}
}

// R35: equal values have other commitments each time, or two entries could be matched.
func TestMaskIsSalted(t *testing.T) {
	p := load(t, maskedBy(readsAll, "arguments.a"), Options{})
	one, _ := p.Mask([]byte(`{"arguments":{"a":1}}`))
	two, _ := p.Mask([]byte(`{"arguments":{"a":1}}`))
	if bytes.Equal(one, two) {
		t.Errorf("twice %s", one)
	}
	if plain := load(t, policyOf(readsAll), Options{}); string(second(plain.Mask([]byte(`{"target":"x"}`)))) != `{"target":"x"}` {
		t.Error("a policy without a mask hides something")
	}
}

// R35: whoever writes a policy is told what it puts into the log.
func TestShows(t *testing.T) {
	for mask, want := range map[string]string{
		"":                                   "arguments labels scope.count scope.selection target",
		"arguments":                          "labels scope.count scope.selection target",
		"arguments[_] labels target":         "arguments scope.count scope.selection",
		"scope.selection scope.count labels": "arguments target",
	} {
		p := load(t, maskedBy(readsAll, strings.Fields(mask)...), Options{})
		if got := strings.Join(p.Shows(), " "); got != want {
			t.Errorf("mask %s: shown are %s, want %s", mask, got, want)
		}
	}
	part := load(t, maskedBy("verdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"} if input.arguments.a.b == input.session\n", "arguments.a"), Options{})
	if got := part.Shows(); len(got) > 0 {
		t.Errorf("shown are %v, want none", got)
	}
}

func second(masked []byte, _ []decisions.Disclosure) []byte { return masked }

// R35: whatever is sent, what opens the commitments gives back the very bytes, and
// nothing at or below a masked path stays in the clear.
func TestMaskRapid(t *testing.T) {
	masks := []string{"arguments.k0", "arguments.k1[_]", "arguments.k2.k0", "arguments[_].k1", "arguments.k1[_].k2", "labels.k0", "arguments"}
	rapid.Check(t, func(t *rapid.T) {
		chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(masks), 1, 4, rapid.ID).Draw(t, "mask")
		var all []maskPath
		for _, text := range chosen {
			p, err := parseMaskPath(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		p := &Policy{mask: newMask(all)}
		document := fmt.Sprintf(`{"labels":{"k0":"v"},"arguments":%s}`, drawJSON(t, 3, true))
		masked, open := p.Mask([]byte(document))
		back, err := decisions.Unmask(masked, open)
		if err != nil || string(back) != document {
			t.Fatalf("%s was masked as %s and disclosed as %s, %v", document, masked, back, err)
		}
		var kept any
		if err := json.Unmarshal(masked, &kept); err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			if shown := shows(kept, path); shown != nil {
				t.Fatalf("%v of %s shows %v: %s", path, document, shown, masked)
			}
		}
	})
}

// shows returns what a path leads to that is no commitment: the dumb twin.
func shows(at any, path maskPath) any {
	object, isObject := at.(map[string]any)
	if isObject && object["..."] != nil {
		return nil
	}
	if len(path) == 0 {
		return at
	}
	list, isList := at.([]any)
	switch {
	case isObject && path[0] != anyKey:
		if below, there := object[path[0]]; there {
			return shows(below, path[1:])
		}
		return nil
	case isObject:
		for _, below := range object {
			list = append(list, below)
		}
	case !isList, path[0] != anyKey:
		return at
	}
	for _, below := range list {
		if shown := shows(below, path[1:]); shown != nil {
			return shown
		}
	}
	return nil
}

// drawJSON draws a value with keys k0 to k2, in more than one spelling.
func drawJSON(t *rapid.T, depth int, object bool) string {
	kind := rapid.IntRange(0, 4).Draw(t, "kind")
	if object {
		kind = 4
	}
	if depth == 0 || kind < 3 {
		return rapid.SampledFrom([]string{`1`, `1.0`, `"x"`, `"\u0078{\"...\":\""`, `null`, ` true `}).Draw(t, "scalar")
	}
	var parts []string
	for i := range rapid.IntRange(0, 3).Draw(t, "size") {
		value := drawJSON(t, depth-1, false)
		if kind == 4 {
			value = fmt.Sprintf(rapid.SampledFrom([]string{`"k%d":%s`, ` "\u006b%d" : %s`}).Draw(t, "key"), i, value)
		}
		parts = append(parts, value)
	}
	if kind == 4 {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[ " + strings.Join(parts, " , ") + "]"
}

// A mask that would hide nothing, or the wrong thing, does not load.
func TestMaskFindings(t *testing.T) {
	const reads = `
verdict contains {"outcome": "RUN", "code": "c", "reason": "r"} if {
	input.arguments.to[_].address != ""
	input.arguments.pay.amount > 5
	input.labels.mail != ""
	input.session != ""
}
`
	for _, test := range []struct{ mask, want string }{
		{`arguments.to[_].address`, ""},
		{`arguments.pay`, ""},
		{`arguments.pay.amount.value`, ""},
		{`labels.mail`, ""},
		{`arguments.too[_].address`, "writ/data.yaml:2: mask path arguments.too[_].address: no rule reads it"},
		{`arguments.pay.iban`, "writ/data.yaml:2: mask path arguments.pay.iban: no rule reads it"},
		{`target`, "mask path target: no rule reads it"},
		{`session`, "mask path session: an entry shows it elsewhere"},
		{`traits.effect`, "mask path traits.effect: an entry shows it elsewhere"},
		{`scope`, "mask path scope: an entry shows it elsewhere"},
		{`target.x`, "mask path target.x: an entry shows it elsewhere"},
		{``, "writ/data.yaml:2: mask path : expected keys and [_]"},
		{`arguments.to[0].address`, "0 is no key; expected keys and [_]"},
		{`arguments.to[i].address`, "i is a variable; expected keys and [_]"},
		{`arguments..to`, "expected keys and [_]"},
		{`arguments.to[`, "expected keys and [_]"},
		{`arguments.to == 5`, "expected keys and [_]"},
	} {
		t.Run(test.mask, func(t *testing.T) { wantFinding(t, Check(maskedBy(reads, test.mask)), test.want) })
	}
	noList := policyOf(reads)
	noList["writ/data.yaml"].Data = []byte("stages: [general]\nmask: arguments.pay\n")
	wantFinding(t, Check(noList), "writ/data.yaml:2: data.writ.mask: expected a list of input paths")
}

// R35: what a rule says is shown, so a masked value that it quotes is withheld, and
// where only the policy's own words make sense it refuses.
func TestMaskedValueIsNotQuoted(t *testing.T) {
	const rules = `
verdict contains object.union({"outcome": "RUN", "code": "c", "reason": "Amounts of 100 are fine."}, more) if {
	input.arguments.say in {"nothing"}
	more := {}
}

verdict contains {"outcome": "RUN", "code": "c", "reason": sprintf("To %v.", [input.arguments.to])} if input.arguments.say == "reason"

verdict contains {"outcome": "RUN", "code": "c", "reason": sprintf("Of %v.", [input.arguments.amount])} if input.arguments.say == "amount"

verdict contains {"outcome": "RUN", "code": "c", "reason": sprintf("For %v.", [input.tool])} if input.arguments.say == "tool"

verdict contains {"outcome": "RUN", "code": "c", "reason": "r", "obligations": [{"kind": "mail", "value": input.arguments.to[0]}]} if input.arguments.say == "obligation"

verdict contains {"outcome": "RUN", "code": input.arguments.to[0], "reason": "r"} if input.arguments.say == "code"

verdict contains {"outcome": input.arguments.to[0], "code": "c", "reason": "r"} if input.arguments.say == "outcome"
`
	const withheld = "The sentence quotes a value that the policy masks, so it is withheld."
	p := load(t, maskedBy(rules, "arguments.to[_]", "arguments.amount"), Options{})
	type said struct {
		Code     decisions.Code
		Sentence string
	}
	for say, want := range map[string]said{
		"nothing":    {"c", "Amounts of 100 are fine."},
		"reason":     {"c", withheld},
		"amount":     {"c", withheld},
		"tool":       {"c", "For pay."},
		"obligation": {decisions.CodePolicyUnknown, "The policy is wrong: it writes a value that it masks into a code, a rule's name or an obligation."},
		"code":       {decisions.CodePolicyUnknown, "The policy is wrong: it writes a value that it masks into a code, a rule's name or an obligation."},
		"outcome":    {decisions.CodePolicyUnknown, withheld},
	} {
		for range 2 { // the second answer is remembered
			v := p.Evaluate(t.Context(), call("pay", fmt.Sprintf(`{"say":%q,"to":["secret"],"amount":1e2}`, say)))
			if diff := cmp.Diff(want, said{v.Reason.Code, v.Reason.Sentence}); diff != "" {
				t.Errorf("%s: %s", say, diff)
			}
			if len(v.Obligations) > 0 || !strings.Contains(string(v.Inputs), "secret") {
				t.Errorf("%s: %+v", say, v)
			}
		}
	}
}

func FuzzEachPart(f *testing.F) {
	f.Add([]byte(`{"a":[1, {"b":null}]}`))
	f.Add([]byte(`[ "x" ,{}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var parts []string
		err := eachPart(text, func(_ string, from, to int) { parts = append(parts, string(text[from:to])) })
		if !json.Valid(text) {
			return
		}
		var object map[string]json.RawMessage
		var list []json.RawMessage
		if json.Unmarshal(text, &object) != nil && json.Unmarshal(text, &list) != nil || object == nil && list == nil {
			return
		}
		if text[0] != '{' && text[0] != '[' { // space in front: the document has none
			return
		}
		if err != nil || len(parts) < len(object)+len(list) {
			t.Fatalf("%s: %q, %v", text, parts, err)
		}
		for i := range list {
			if parts[i] != string(list[i]) {
				t.Fatalf("element %d of %s is %s", i, text, parts[i])
			}
		}
	})
}

func FuzzMaskPath(f *testing.F) {
	for _, seed := range []string{`arguments.to[_].address`, `labels["a.b"]`, `arguments[`, `target == 1`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := parseMaskPath(text)
		if err != nil || !path.allowed() {
			return
		}
		for _, key := range path {
			if key != anyKey && strings.Contains(key, anyKey) {
				t.Fatalf("%q has the key %q", text, key)
			}
		}
		newMask([]maskPath{path}).find([]byte(`{"arguments":{"to":[{"address":1}]}}`))
	})
}
