package rego

import (
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// payRules name an argument that only some calls need.
const payRules = `
verdict contains {"outcome": "RUN", "code": "base", "reason": "base"}

verdict contains {"outcome": "REFUSE", "code": "too_much", "reason": "too much"} if {
	input.arguments.amount > 100
	input.tool == "pay"
}
`

// R11: an argument that a rule needs and that is not there refuses; one that no rule
// needs for this call does not.
func TestMissingArguments(t *testing.T) {
	const base = "verdict contains {\"outcome\": \"RUN\", \"code\": \"base\", \"reason\": \"base\"}\n\n"
	refuse := func(body string) string {
		return base + "verdict contains {\"outcome\": \"REFUSE\", \"code\": \"hit\", \"reason\": \"hit\"} if {\n" + body + "\n}\n\n"
	}
	for _, test := range []struct {
		name, rules, tool, arguments string
		want                         decisions.Code
		missing                      string
	}{
		{"there and small", payRules, "pay", `{"amount": 5}`, "base", ""},
		{"there and large", payRules, "pay", `{"amount": 500}`, "too_much", ""},
		{"absent", payRules, "pay", `{"to": "x"}`, "input_missing", "input.arguments.amount"},
		{"absent, other tool", payRules, "send", `{"to": "x"}`, "base", ""},
		{"omitted", payRules, "pay", ``, "input_missing", "input.arguments.amount"},
		{"omitted, other tool", payRules, "send", ``, "base", ""},
		{"negated", refuse("\tinput.tool == \"pay\"\n\tnot input.arguments.ok"), "pay", `{}`, "input_missing", "input.arguments.ok"},
		{"negated, other tool", refuse("\tnot input.arguments.ok\n\tinput.tool == \"pay\""), "send", `{}`, "base", ""},
		{"helper negated", refuse("\tnot small") + "small if input.arguments.amount < 5\n\nsmall if input.tool == \"send\"", "pay", `{}`, "input_missing", "input.arguments.amount"},
		{"helper negated, other tool", refuse("\tnot small") + "small if input.arguments.amount < 5\n\nsmall if input.tool == \"send\"", "send", `{}`, "input_missing", "input.arguments.amount"}, // stricter than need be
		{"default", refuse("\tlimit > 5") + "default limit := 0\n\nlimit := input.arguments.amount if input.tool == \"pay\"", "pay", `{}`, "input_missing", "input.arguments.amount"},
		{"default, other tool", refuse("\tlimit > 5") + "default limit := 0\n\nlimit := input.arguments.amount if input.tool == \"pay\"", "send", `{}`, "base", ""},
		{"else", refuse("\tlimit > 5") + "limit := input.arguments.amount if {\n\tinput.tool == \"pay\"\n} else := 0", "pay", `{}`, "input_missing", "input.arguments.amount"},
		{"function", refuse("\tlarge(input.arguments.amount)\n\tinput.tool == \"pay\"") + "large(x) if x > 5", "pay", `{}`, "input_missing", "input.arguments.amount"},
		{"function, other tool", refuse("\tlarge(input.arguments.amount)\n\tinput.tool == \"pay\"") + "large(x) if x > 5", "send", `{}`, "base", ""},
		{"every", refuse("\tinput.tool == \"pay\"\n\tevery x in input.arguments.list { x > 1 }"), "pay", `{}`, "input_missing", "input.arguments.list"},
		{"every, other tool", refuse("\tinput.tool == \"pay\"\n\tevery x in input.arguments.list { x > 1 }"), "send", `{}`, "base", ""},
		{"comprehension", refuse("\tinput.tool == \"pay\"\n\tcount([x | some x in input.arguments.list]) == 0"), "pay", `{}`, "input_missing", "input.arguments.list"},
		{"comprehension, other tool", refuse("\tinput.tool == \"pay\"\n\tcount([x | some x in input.arguments.list]) == 0"), "send", `{}`, "base", ""},
		{"nested", refuse("\tinput.arguments.to.address == \"x\""), "pay", `{"to": {"name": "y"}}`, "input_missing", "input.arguments.to.address"},
		{"nested in no object", refuse("\tinput.arguments.to.address == \"x\""), "pay", `{"to": "x"}`, "input_missing", "input.arguments.to.address"},
		{"optional, absent", refuse("\tobject.get(input.arguments, \"bcc\", null) == \"x\""), "pay", `{}`, "base", ""},
		{"optional, there", refuse("\tobject.get(input.arguments, \"bcc\", null) == \"x\""), "pay", `{"bcc": "x"}`, "hit", ""},
		{"optional, omitted", refuse("\tobject.get(input.arguments, \"bcc\", null) == \"x\""), "pay", ``, "input_missing", "input.arguments"},
		{"optional beside named", refuse("\tobject.get(input.arguments, \"bcc\", null) == \"x\"") + refuse("\tinput.tool == \"pay\"\n\tinput.arguments.amount > 5"), "send", `{"bcc": "y"}`, "base", ""},
		{"optional in a closure beside named", refuse("\tnot object.get(input.arguments, \"bcc\", null) == \"y\"") + refuse("\tinput.tool == \"pay\"\n\tinput.arguments.amount > 5"), "send", `{"bcc": "y"}`, "base", ""},
		{"imported", "import input.arguments as a\n\n" + refuse("\ta.amount > 5"), "pay", `{}`, "input_missing", "input.arguments.amount"},
		{"dashed key", refuse("\tinput.arguments[\"a-b\"] > 5"), "pay", `{}`, "input_missing", "a-b"},
		{"null is there", refuse("\tinput.arguments.amount > 100"), "pay", `{"amount": null}`, "base", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := load(t, policyOf(test.rules), Options{})
			v := p.Evaluate(t.Context(), call(test.tool, test.arguments))
			if v.Reason.Code != test.want || !strings.Contains(v.Reason.Sentence, test.missing) {
				t.Errorf("got %s %q; want %s naming %q", v.Reason.Code, v.Reason.Sentence, test.want, test.missing)
			}
			if again := p.Replay(t.Context(), v.Inputs); again.Reason != v.Reason {
				t.Errorf("replay of %s says %v", v.Inputs, again.Reason)
			}
		})
	}
}
