package rego

import (
	"strings"
	"testing"
)

// R35: what a rule reads of arguments and labels, and so what the log gets. A constant
// key of object.get is all that the call depends on.
func TestReads(t *testing.T) {
	for _, test := range []struct{ body, want string }{
		{`object.get(input.arguments, "bcc", null) == 5`, "arguments.bcc"},
		{`object.get(input.arguments, ["to", "address"], null) == 5`, "arguments.to.address"},
		{`object.get(input.labels, "team", "") == "a"`, "labels.team"},
		{`object.get(input.labels, "team", input.labels.env) == "a"`, "labels.env labels.team"},
		{`object.get(input.labels, "team", object.get(input.arguments, "bcc", "")) == "a"`, "arguments.bcc labels.team"},
		{`x := object.get(input.arguments, "bcc", null); y := object.get(input.arguments, "cc", null); x == y`, "arguments.bcc arguments.cc"},
		{`some y in [object.get(input.arguments, "bcc", null)]; y == 5`, "arguments.bcc"},
		{`count([x | x := object.get(input.arguments, "bcc", null)]) == 1`, "arguments.bcc"},
		{`not object.get(input.arguments, "bcc", null) == 5`, "arguments.bcc"},
		// Everything else reads the whole.
		{`object.get(input.arguments, input.tool, null) == 5`, "arguments tool"},
		{`object.get(input.arguments, 5, null) == 5`, "arguments"},
		{`object.get(input.arguments, [], null) == {}`, "arguments"},
		{`object.get(input.arguments, ["to", 0], null) == 5`, "arguments"},
		{`object.get(input.arguments, "bcc", input.arguments) == 5`, "arguments"},
		{`object.get(input.arguments, "bcc", null) == 5; count(input.arguments) > 1`, "arguments"},
		{`object.get(input.arguments, "bcc", null) == 5; some k, v in input.labels; k == v`, "arguments.bcc labels"},
		{`a := input.arguments; object.get(a, "bcc", null) == 5`, "arguments"},
		{`f(input.arguments)`, "arguments"},
		{`object.get(input.arguments.to, "address", null) == 5`, "arguments.to"},
	} {
		rules := "verdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"} if {\n\t" + strings.ReplaceAll(test.body, "; ", "\n\t") + "\n}\n"
		if strings.Contains(test.body, "f(") {
			rules += "\nf(a) if object.get(a, \"bcc\", null) == 5\n"
		}
		p := load(t, policyOf(rules), Options{})
		if got := strings.Join(p.Reads(), " "); got != test.want {
			t.Errorf("%s reads %s, want %s", test.body, got, test.want)
		}
	}
}

// An import is another name for the same, and `with` reads what it replaces.
func TestReadsOfOtherNames(t *testing.T) {
	const head = "import input.arguments as sent\n\nverdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"} if {\n"
	for body, want := range map[string]string{
		"\tobject.get(sent, \"bcc\", null) == 5\n}\n": "arguments.bcc",
		"\tcount(sent) == 5\n}\n":                     "arguments",
	} {
		p := load(t, policyOf(head+body), Options{})
		if got := strings.Join(p.Reads(), " "); got != want {
			t.Errorf("%s reads %s, want %s", body, got, want)
		}
	}
}
