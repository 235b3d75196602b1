package rego

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/dependencies"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

// Random policies over random calls, judged thrice with memory and once by the dumb
// twin: plain OPA over the whole document. All agree, also where another policy and a
// reload of the same one judge in between; at least half of the comparisons are of
// remembered answers.
func TestDifferential(t *testing.T) {
	hits, total := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rules := []string{randomRules().Draw(t, "rules"), randomRules().Draw(t, "other rules")}
		policies := make([]*Policy, len(rules))
		calls := rapid.SliceOfN(randomInput(), 1, 8).Draw(t, "calls")
		for round := range 3 {
			for i := range policies {
				if policies[i] == nil || round == 1 && rapid.IntRange(0, 3).Draw(t, "reload") == 0 {
					policies[i] = reloaded(t, rules[i])
				}
			}
			for _, in := range calls {
				for _, p := range policies {
					v := p.Evaluate(t.Context(), in)
					if total++; v.Remembered {
						hits++
					}
					p.compare(t, in, v)
				}
			}
		}
	})
	if hits*2 < total {
		t.Errorf("%d of %d answers were remembered; want half", hits, total)
	}
}

func reloaded(t *rapid.T, rules string) *Policy {
	p, err := Load(t.Context(), policyOf(rules), Options{Remember: 256, Deadline: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compare holds a verdict against the twin's and against that of a replay.
func (p *Policy) compare(t *rapid.T, in *Input, v Verdict) {
	if diff := cmp.Diff(outline(p.plainly(t, in)), outline(v)); diff != "" && !stricter(v) {
		t.Fatalf("%s: %s", v.Inputs, diff)
	}
	if diff := cmp.Diff(outline(p.Replay(t.Context(), v.Inputs)), outline(v)); diff != "" {
		t.Fatalf("replay of %s: %s", v.Inputs, diff)
	}
	if !v.Remembered {
		p.independent(t, in, v)
	}
}

// stricter: the engine refuses where plain OPA takes an absent argument for no, and
// stops there before it meets an error.
func stricter(v Verdict) bool {
	return v.Reason.Code == decisions.CodeInputMissing || v.Reason.Code == decisions.CodePolicyError
}

// outline is what a caller sees of a verdict.
func outline(v Verdict) string {
	v.Inputs, v.Remembered = nil, false
	return fmt.Sprintf("%+v", v)
}

// plainly judges without plan, probe and memory.
func (p *Policy) plainly(t *rapid.T, in *Input) Verdict {
	all := newDocument([]inputPath{{}}, nil)
	whole, err := all.append(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	plain := p.judge
	plain.probe, plain.words = nil, nil
	v, err := plain.verdict(t.Context(), whole)
	if err != nil {
		return refusal(decisions.CodePolicyError, sentence(err))
	}
	return v
}

// independent checks the probe: where it lets a call through, no value of an absent
// argument would have changed the answer.
func (p *Policy) independent(t *rapid.T, in *Input, v Verdict) {
	if in.Arguments == nil || stricter(v) {
		return
	}
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal(in.Arguments, &arguments); err != nil {
		t.Fatal(err)
	}
	// A rule that looks at all arguments may well see one more.
	if p.judge.probe == nil || p.judge.probe.whole {
		return
	}
	for _, name := range []string{"amount", "to"} {
		if _, there := arguments[name]; there {
			continue
		}
		for _, value := range []string{"0", "7", `"x"`, "null", "[1]"} {
			filled := *in
			filled.Arguments = json.RawMessage(strings.Replace(string(in.Arguments), "{", fmt.Sprintf("{%q: %s,", name, value), 1))
			if len(arguments) == 0 {
				filled.Arguments = json.RawMessage(fmt.Sprintf("{%q: %s}", name, value))
			}
			if got := p.plainly(t, &filled); got.Outcome != v.Outcome {
				t.Fatalf("%s: without %s the answer is %v, with %s it is %v", v.Inputs, name, v.Outcome, value, got.Outcome)
			}
		}
	}
}

// randomRules composes policies from conditions of every form that Rego has.
func randomRules() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var b strings.Builder
		for i := range rapid.IntRange(1, 4).Draw(t, "rules") {
			outcome := rapid.SampledFrom([]string{"RUN", "RECORD_ONLY", "REFUSE"}).Draw(t, "outcome")
			reason := rapid.SampledFrom([]string{`"r"`, `"r"`, `"r"`, `"r"`, `sprintf("r %v", [input.tool])`, `sprintf("r %v", [input.arguments.amount])`}).Draw(t, "reason")
			fmt.Fprintf(&b, "verdict contains {\"outcome\": %q, \"code\": \"c%d\", \"reason\": %s} if {\n", outcome, i, reason)
			for _, c := range rapid.SliceOfNDistinct(rapid.SampledFrom(conditions()), 1, 3, rapid.ID[string]).Draw(t, "conditions") {
				b.WriteString("\t" + c + "\n")
			}
			b.WriteString("}\n\n")
		}
		return usedHelpers(b.String()) + b.String()
	})
}

// usedHelpers are those that the verdicts name: a rule that none depends on does not load.
func usedHelpers(verdicts string) string {
	var used strings.Builder
	for _, helper := range strings.Split(helpers, "\n---\n") {
		name := strings.FieldsFunc(strings.TrimPrefix(strings.TrimSpace(helper), "default "), func(r rune) bool { return !unicode.IsLetter(r) })[0]
		if strings.Contains(verdicts, name) {
			used.WriteString(strings.TrimSpace(helper) + "\n\n")
		}
	}
	return used.String()
}

func conditions() []string {
	return []string{
		`input.tool == "pay"`,
		`input.tool != "pay"`,
		`not input.traits.collection`,
		`input.traits.effect in {"write"}`,
		`input.traits.risk == data.writ.stages[0]`,
		`input.arguments.amount > 5`,
		`not input.arguments.amount > 5`,
		`input.arguments.amount == 7`,
		`json.marshal(input.arguments.amount) == "7.0"`,
		`object.get(input.arguments, "amount", 0) > 5`,
		`object.get(input.arguments, ["to", "address"], "y") == "x"`,
		`object.get(input.labels, "team", input.tool) == "a"`,
		`input.arguments.to.address == "x"`,
		`count([x | some x in input.arguments.list]) == 0`,
		`every x in input.arguments.list { x > 1 }`,
		`some k, v in input.labels; startswith(k, v)`,
		`input.labels.team == "a"`,
		`large(input.arguments.amount)`,
		`not large(input.arguments.amount)`,
		`limit > 5`,
		`capped == "high"`,
		`not shut`,
		`shut with input.tool as "send"`,
		`input.scope.count / input.toolset_age_seconds > 1`,
		`sized[input.tool] > 1`,
		`1 > 2`,
		// What follows tells the classes of values apart, and nothing else of them.
		`startswith(input.tool, "pay")`,
		`endswith(input.tool, "y")`,
		`not contains(input.target, "/etc")`,
		`input.target in {"/srv", "/etc/passwd"}`,
		`"/srv" < input.target`,
		`input.arguments.amount >= 7`,
		`500 != input.arguments.amount`,
		`input.arguments.amount < "x"`,
		`input.arguments.amount in [5, 7, null]`,
		`input.arguments.amount == false`,
		`input.arguments.flag`,
		`not input.arguments.flag`,
		`startswith(input.arguments.to, "x")`,
		`input.arguments.to.address > "a"`,
		`input.labels.team < "b"`,
		`input.scope.count >= 1`,
		`fits`,
		`pair == [true, false]`,
		`early == true with input.tool as "pay"`,
	}
}

const helpers = `
default limit := 0

limit := input.arguments.amount if input.tool == "pay"
---
capped := "high" if {
	input.arguments.amount > 100
} else := "low" if {
	input.tool == "pay"
} else := "none"
---
large(x) if x > 5

large(x) if x == "x"
---
shut if input.tool == "send"

shut if input.arguments.to == "x"
---
sized[input.tool] := count(input.labels)

sized.pay := 5
---
fits if input.arguments.amount < 100

fits if not input.tool == "pay"
---
pair := [x, y] if {
	x := input.tool == "pay"
	y := input.arguments.amount > 7
}
---
default early := false

early if {
	input.tool < "q"
	not input.arguments.amount == 7
}

`

func randomInput() *rapid.Generator[*Input] {
	return rapid.Custom(func(t *rapid.T) *Input {
		in := &Input{
			Tool:        rapid.SampledFrom([]string{"pay", "send", "pa", "payment", "p", "zap"}).Draw(t, "tool"),
			Target:      rapid.SampledFrom([]string{"", "/srv", "/srv2", "/sr", "/etc/passwd", "/etc/p\u00e4", "a\xff"}).Draw(t, "target"),
			Count:       int64(rapid.IntRange(0, 2).Draw(t, "count")),
			ScopeStated: rapid.Bool().Draw(t, "stated"),
			Labels:      map[string]string{"team": rapid.SampledFrom([]string{"a", "te", "aa", "b"}).Draw(t, "team")},
		}
		in.Classified.Traits.Single = rapid.Bool().Draw(t, "single")
		if rapid.Bool().Draw(t, "effect") {
			in.Classified.Traits.Effect = decisions.Read
		}
		if rapid.Bool().Draw(t, "sent") {
			in.Arguments = json.RawMessage(rapid.SampledFrom([]string{
				`{}`, `{"amount": 7}`, `{"amount":7.0}`, `{"amount": 7e0, "to": "x"}`, `{"amount": 1e400}`, `{"amount": "x"}`,
				`{"amount": null}`, `{"to": {"address": "x"}}`, `{"list": []}`, `{"amount": 6}`, `{"amount": 8}`, `{"amount": 7.5}`, `{"amount": 99}`, `{"amount": 100}`, `{"amount": -0}`,
				`{"amount": 7.00000000000000000001}`, `{"amount": [7]}`, `{"amount": {}}`, `{"amount": "500"}`, `{"amount": ""}`, `{"amount": "y"}`,
				`{"amount": 70e-1}`, `{"amount": true}`, `{"amount": false, "flag": null}`, `{"flag": false}`, `{"flag": true, "to": "y"}`, `{"flag": [], "to": "x\u0041"}`,
				`{"to": {"address": "a"}}`, `{"to": {"address": 5}}`, `{"to": {"address": "b", "x": 1}, "amount": 9}`, `{"to": "xy", "amount": 9}`, `{"to": 1}`, `{"list": [2, 3], "amount": 500}`, `{"\u0061mount": 7}`,
			}).Draw(t, "arguments"))
		}
		return in
	})
}

// What the walk finds covers what OPA's own analysis finds.
func TestReadsCoverDependencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, err := Load(t.Context(), policyOf(randomRules().Draw(t, "rules")), Options{Deadline: unhurried})
		if err != nil {
			t.Fatal(err)
		}
		base, err := dependencies.Base(p.judge.compiler, p.judge.query)
		if err != nil {
			t.Fatal(err)
		}
		reads := readPaths(p.judge.compiler)
		for _, r := range base {
			if r.HasPrefix(ast.InputRootRef) && !wanted(reads, strings.TrimPrefix(constantPath(r).String(), "input.")) {
				t.Errorf("%v is not among %v", r, reads)
			}
		}
	})
}
