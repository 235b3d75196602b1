package rego

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// classable are rules about one input each that are nothing but atoms.
func classable() []string {
	return []string{
		`input.tool == "pay"`, `"pay" != input.tool`, `input.tool < "pay"`, `"pb" <= input.tool`,
		`input.tool in {"pay", "send"}`, `not input.tool in ["zap"]`,
		`startswith(input.tool, "pa")`, `not endswith(input.tool, "y")`, `contains(input.tool, "en")`, `contains(input.tool, "ü")`,
		`input.arguments.amount > 7`, `input.arguments.amount >= 7`, `7 < input.arguments.amount`, `input.arguments.amount <= -2.5`,
		`input.arguments.amount == 7`, `input.arguments.amount != 7`, `input.arguments.amount == "7"`, `input.arguments.amount == null`,
		`input.arguments.amount in [1, true, "7"]`, `input.arguments.amount < "x"`, `input.arguments.amount < false`, `input.arguments.amount > "x"`,
		`input.arguments.amount`, `not input.arguments.amount`, `startswith(input.arguments.amount, "x")`,
		`input.arguments.to.address == "x"`, `input.labels.team < "b"`, `input.scope.count > 1`, `input.scope.count == 1`,
	}
}

// unclassable use an input in a way that tells more of it than its class.
func unclassable() []string {
	return []string{
		`json.marshal(input.arguments.amount) == "7.0"`, `count(input.tool) == 3`, `input.tool == input.target`, `x := input.tool; x == "send"`,
		`named(input.tool)`, `startswith(input.tool, input.labels.team)`, `input.arguments[_] == 8`, `some v in input.arguments; v == 6`,
		`object.get(input.arguments, "amount", 0) == 8`, `input.tool == lower("ZAP")`,
		`sized[input.tool] == 1`, `startswith(input.tool, "pa") with startswith as always`, `input.tool == "pay" with data.other as input.tool`,
	}
}

const classHelpers = `
named("send") := true
---
sized := {"send": 1}
---
always(a, b) if a != b
`

// classInputs differ in what the rules above ask, at and around their constants, and in
// how a value is written.
func classInputs() (inputs []*Input) {
	for _, tool := range []string{"", "p", "pa", "pay", "payment", "pb", "pc", "say", "send", "zap", "üben", `a"b`, "a\\", "p\xffy"} {
		inputs = append(inputs, &Input{Tool: tool, Arguments: json.RawMessage(`{"amount": 1}`)})
	}
	for _, amount := range []string{
		"7", "7.0", "70e-1", "7.00000000000000000001", "6", "8", "7.5", "-2.5", "-2.50", "-2.4", "-3", "0", "-0", "1", "1.0", "1e400", "9007199254740993", "9007199254740992",
		`"7"`, `"\u0037"`, `"x"`, `"x1"`, `"w"`, `""`, `"` + "\xff" + `"`, "true", "false", "null", "[]", "[7]", "{}", `{"a": 7}`,
	} {
		inputs = append(inputs, &Input{Tool: "pay", Arguments: json.RawMessage(`{"amount": ` + amount + `}`)})
	}
	for _, arguments := range []string{`{}`, `{"to": 1}`, `{"to": {}}`, `{"to": {"address": "x"}}`, `{"to": {"address": "y"}, "amount": 1}`, `{"\u0061mount": 8}`} {
		inputs = append(inputs, &Input{Arguments: json.RawMessage(arguments)})
	}
	for _, team := range []string{"a", "b", "bb", ""} {
		inputs = append(inputs, &Input{Labels: map[string]string{"team": team, "other": "x"}})
	}
	for count := range int64(3) {
		inputs = append(inputs, &Input{ScopeStated: true, Count: count, Target: "zap"})
	}
	return append(inputs, &Input{})
}

// Values of one class get one answer, and it is the one that each would get by itself:
// for every rule, and for pairs of rules, over all inputs in turn.
func TestClassesAreSound(t *testing.T) {
	all := append(classable(), unclassable()...)
	for i, rule := range all {
		for j := range 4 { // alone, and with three others
			rules := []string{rule}
			if j > 0 {
				rules = append(rules, all[(i+j*j*3)%len(all)])
			}
			t.Run(strings.Join(rules, "; "), func(t *testing.T) {
				t.Parallel()
				soundly(t, load(t, policyOf(classRules(rules)), Options{SkipTests: true, Deadline: unhurried}))
			})
		}
	}
}

func classRules(conditions []string) string {
	var b strings.Builder
	b.WriteString("verdict contains {\"outcome\": \"RUN\", \"code\": \"base\", \"reason\": \"base\"}\n\n")
	for i, c := range conditions {
		fmt.Fprintf(&b, "verdict contains {\"outcome\": \"REFUSE\", \"code\": \"c%d\", \"reason\": \"r\"} if {\n\t%s\n}\n\n", i, c)
	}
	for _, helper := range strings.Split(classHelpers, "---") {
		name := strings.TrimSpace(strings.FieldsFunc(strings.TrimSpace(helper), func(r rune) bool { return r == '(' || r == ' ' })[0])
		if strings.Contains(b.String(), name) {
			b.WriteString(strings.TrimSpace(helper) + "\n\n")
		}
	}
	return b.String()
}

func soundly(t *testing.T, p *Policy) {
	t.Helper()
	for _, in := range classInputs() {
		v := p.Evaluate(t.Context(), in)
		if diff := cmp.Diff(outline(p.Replay(t.Context(), v.Inputs)), outline(v)); diff != "" {
			t.Errorf("%s: the answer of its class is not its own: %s", v.Inputs, diff)
		}
		document, err := p.document.append(nil, in)
		if err != nil || string(document) != string(v.Inputs) {
			t.Errorf("the inputs are %s, %v; want the call's own: %s", v.Inputs, err, document)
		}
	}
}

// A key with a dot in it is not a path: what is asked of the one says nothing of the other.
func TestClassesOfDottedKeys(t *testing.T) {
	p := load(t, policyOf(classRules([]string{`input.arguments.a.b > 5`, `json.marshal(input.arguments["a.b"]) == "8"`})), Options{SkipTests: true, Deadline: unhurried})
	for i, arguments := range []string{`{"a": {"b": 1}, "a.b": 7}`, `{"a": {"b": 2}, "a.b": 8}`, `{"a": {"b": 3}, "a.b": 7}`} {
		v := p.Evaluate(t.Context(), &Input{Arguments: json.RawMessage(arguments)})
		if diff := cmp.Diff(outline(p.Replay(t.Context(), v.Inputs)), outline(v)); diff != "" || v.Remembered != (i == 2) {
			t.Errorf("%s: remembered %v: %s", arguments, v.Remembered, diff)
		}
	}
}

// Each rule by itself: is its input classed?
func TestClassed(t *testing.T) {
	classed := func(rule string) bool {
		return load(t, policyOf(classRules([]string{rule})), Options{SkipTests: true}).classes != nil
	}
	for _, rule := range classable() {
		if !classed(rule) {
			t.Errorf("%s: not classed", rule)
		}
	}
	for _, rule := range unclassable() {
		if classed(rule) {
			t.Errorf("%s: classed", rule)
		}
	}
}

// A policy of many rules that compare a tool and an amount has few different questions.
func TestClassesAreFew(t *testing.T) {
	p := load(t, policyOf(classRules([]string{`startswith(input.tool, "pay_")`, `input.arguments.amount > 9000`})), Options{})
	hits := 0
	for i := range 1000 {
		in := &Input{Tool: fmt.Sprintf("pay_%d", i), Arguments: json.RawMessage(fmt.Sprintf(`{"amount": %d}`, 20*i))}
		if v := p.Evaluate(t.Context(), in); v.Remembered {
			hits++
		}
	}
	if hits < 997 {
		t.Errorf("%d of 1,000 answers were remembered; want all but one for each class of amounts", hits)
	}
}
