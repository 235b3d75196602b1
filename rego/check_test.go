package rego

import (
	"strings"
	"testing"
	"testing/fstest"
)

// What does not load, and the place and the words of its finding. Each rule stands
// after `package writ` and a blank line: its first line is line 3.
func TestFindings(t *testing.T) {
	verdict := func(body string) string {
		return "verdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"} if {\n" + body + "\n}\n"
	}
	for _, test := range []struct{ name, rules, want string }{
		{"good", verdict("\tinput.stage == \"general\""), ""},
		{"syntax", verdict("\tinput.stage == "), "rules.rego:5: unexpected } token"},
		{"not Rego v1", "verdict[x] { x := 1 }\n", "rules.rego:3: "},
		{"misspelt input", verdict("\tinput.stge == \"general\""), "rules.rego:4: undefined ref: input.stge"},
		{"misspelt trait", verdict("\tinput.traits.efect == \"read\""), "rules.rego:4: undefined ref: input.traits.efect"},
		{"misspelt in a variable", verdict("\tt := input.traits\n\tt.efect == \"read\""), "rules.rego:5: undefined ref"},
		{"misspelt in a parameter", verdict("\tgentle(input.traits)") + "\ngentle(t) if t.efect == \"read\"\n", "rules.rego:7: input.traits has no key \"efect\"; expected one of collection, effect"},
		{"misspelt two calls deep", verdict("\tf(input.traits)") + "\nf(t) if g(t)\n\ng(t) if t.efect == \"read\"\n", "rules.rego:9: input.traits has no key \"efect\""},
		{"whole input in object.get", verdict("\tobject.get(input, \"stge\", \"general\") == \"general\""), "rules.rego:4: input is used as a whole"},
		{"whole input in a variable", verdict("\ti := input\n\ti.stage == \"general\""), "rules.rego:4: input is used as a whole"},
		{"whole input iterated", verdict("\tsome k, v in input\n\tk == v"), "rules.rego:4: the key of input is not a constant"},
		{"object.get on traits", verdict("\tobject.get(input.traits, \"efect\", \"read\") == \"read\""), "rules.rego:4: every key of input.traits is always there"},
		{"dynamic key", verdict("\tsome k in [\"stage\"]\n\tinput[k] == \"general\""), "rules.rego:5: the key of input is not a constant"},
		{"dynamic trait", verdict("\tsome k in [\"efect\"]\n\tinput.traits[k] == \"read\""), "rules.rego:5: the key of input.traits is not a constant"},
		{"dynamic argument", verdict("\tsome k in [\"a\"]\n\tinput.arguments[k] == \"read\""), "rules.rego:5: the key of input.arguments is not a constant"},
		{"argument of a parameter's name", verdict("\tf(\"a\")") + "\nf(k) if input.arguments[k] == 5\n", "rules.rego:7: the key of input.arguments is not a constant"},
		{"all arguments", verdict("\tsome k, v in input.arguments\n\tstartswith(k, \"x\")\n\tv == 5"), ""},
		{"any argument", verdict("\tinput.arguments[_] == 5"), ""},
		{"optional argument", verdict("\tobject.get(input.arguments, \"bcc\", null) == 5"), ""},
		{"all labels", verdict("\tsome k, v in input.labels\n\tk == v"), ""},
		{"argument through a variable", verdict("\ta := input.arguments\n\ta.amount > 5"), "rules.rego:5: argument \"amount\" is read through a variable"},
		{"argument through a parameter", verdict("\tf(input.arguments)") + "\nf(a) if a.amount > 5\n", "rules.rego:7: argument \"amount\" is read through a variable"},
		{"unknown trait word", verdict("\tinput.traits.effect == \"reed\""), "rules.rego:4: input.traits.effect is never \"reed\"; expected one of [\"write\" \"read\"]"},
		{"unknown trait word in a list", verdict("\tinput.traits.exposure in {\"none\", \"intern\"}"), "rules.rego:4: input.traits.exposure is never \"intern\""},
		{"unknown trait word in a parameter", verdict("\tf(input.traits.effect)") + "\nf(e) if e == \"reed\"\n", "rules.rego:7: input.traits.effect is never \"reed\""},
		{"unknown source", verdict("\tinput.sources.risk == \"reviewed\""), "rules.rego:4: input.sources.risk is never \"reviewed\""},
		{"unknown stage", verdict("\tinput.stage != \"genral\""), "rules.rego:4: input.stage is never \"genral\""},
		{"string against number", verdict("\tinput.tool > 5"), "rules.rego:4: 5 is compared with input.tool, which is no number"},
		{"number against string", verdict("\tinput.scope.count < \"5\""), "rules.rego:4: \"5\" is compared with input.scope.count, which is no string"},
		{"truth against string", verdict("\tinput.traits.collection == \"true\""), "rules.rego:4: "},
		{"null", verdict("\tinput.target != null"), "rules.rego:4: input.target is never null"},
		{"unknown outcome", "verdict contains {\"outcome\": \"RUNS\", \"code\": \"c\", \"reason\": \"r\"}\n", "rules.rego:3: unknown value in a verdict: outcome"},
		{"unknown approval", "verdict contains {\"outcome\": \"AWAIT_APPROVAL\", \"approval\": \"percall\", \"code\": \"c\", \"reason\": \"r\"}\n", "rules.rego:3: unknown value in a verdict: approval"},
		{"bad code", "verdict contains {\"outcome\": \"RUN\", \"code\": \"Not So\", \"reason\": \"r\"}\n", "rules.rego:3: unknown value in a verdict: code"},
		{"no verdict", "verdicts contains 1\n", "no rule contributes to data.writ.verdict"},
		{"misspelt verdict", verdict("\tinput.stage == \"general\"") + "\nverdicts contains {\"outcome\": \"REFUSE\", \"code\": \"c\", \"reason\": \"r\"} if input.tool == \"x\"\n", "rules.rego:7: no verdict depends on writ.verdicts"},
		{"unused helper", verdict("\tinput.stage == \"general\"") + "\nlarge if input.scope.count > 5\n", "rules.rego:7: no verdict depends on writ.large"},
		{"unused function", verdict("\tinput.stage == \"general\"") + "\nlarge(x) if x > 5\n", "rules.rego:7: no verdict depends on writ.large"},
		{"helper with an else", verdict("\tsize == 1") + "\nsize := 2 if input.scope.count > 5\n\nelse := 1\n", ""},
		{"no reason", "verdict contains {\"outcome\": \"RUN\", \"code\": \"c\"}\n", "rules.rego:3: unknown value in a verdict: a verdict does not say its reason"},
		{"no approval", "verdict contains {\"outcome\": \"AWAIT_APPROVAL\", \"code\": \"c\", \"reason\": \"r\"}\n", "rules.rego:3: unknown value in a verdict: AWAIT_APPROVAL with approval none"},
		{"unknown key", "verdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\", \"permit\": 5}\n", "rules.rego:3: unknown value in a verdict: key \"permit\""},
		{"computed outcome", "verdict contains {\"outcome\": o, \"code\": \"c\", \"reason\": \"r\"} if some o in [\"RUN\", input.target]\n", ""},
		{"network", verdict("\thttp.send({\"method\": \"get\", \"url\": \"http://localhost\"}).status_code == 200"), "rules.rego:4: undefined function http.send"},
		{"clock", verdict("\ttime.now_ns() > 5"), "rules.rego:4: undefined function time.now_ns"},
		{"environment", verdict("\topa.runtime().env.HOME == \"/\""), "rules.rego:4: undefined function opa.runtime"},
		{"randomness", verdict("\trand.intn(\"x\", 5) == 3"), "rules.rego:4: undefined function rand.intn"},
		{"unbounded shift", verdict("\tbits.lsh(1, input.scope.count) > 5"), "rules.rego:4: undefined function bits.lsh"},
		{"look-up", verdict("\tnet.lookup_ip_addr(\"localhost\") == {\"127.0.0.1\"}"), "rules.rego:4: undefined function net.lookup_ip_addr"},
		{"unused variable", verdict("\tx := 5"), "rules.rego:4: assigned var x unused"},
	} {
		t.Run(test.name, func(t *testing.T) { wantFinding(t, Check(policyOf(test.rules)), test.want) })
	}
}

func wantFinding(t *testing.T, found []Finding, want string) {
	t.Helper()
	if want == "" {
		if len(found) > 0 {
			t.Errorf("found %v; want nothing", found)
		}
		return
	}
	for _, f := range found {
		if strings.Contains(f.String(), want) {
			return
		}
	}
	t.Errorf("found %v; want %q", found, want)
}

// Two data files may share a directory's place, but not a value.
func TestDataIsWrittenOnce(t *testing.T) {
	fsys := policyOf("verdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"}")
	fsys["writ/data.json"] = &fstest.MapFile{Data: []byte(`{"limits": {"pay": 5}}`)}
	wantFinding(t, Check(fsys), "")
	fsys["data.yaml"] = &fstest.MapFile{Data: []byte("writ: {stages: [a]}")}
	wantFinding(t, Check(fsys), `"stages" has a value already`)
	fsys["writ/limits/data.yaml"] = &fstest.MapFile{Data: []byte("pay: 6")}
	wantFinding(t, Check(fsys), `"pay" has a value already`)
	fsys["writ/limits/pay/data.yaml"] = &fstest.MapFile{Data: []byte("x: 6")}
	wantFinding(t, Check(fsys), `expected none beside the directory`)
}

// What is wrong with data, files and the stage table.
func TestDataFindings(t *testing.T) {
	const rules = "package writ\n\nverdict contains {\"outcome\": \"RUN\", \"code\": \"c\", \"reason\": \"r\"}\n"
	table := func(row string) string {
		return "stages: [rehearsal, general]\nstage_table:\n  read_low: " + row + "\n"
	}
	for _, test := range []struct{ name, file, content, want string }{
		{"good", "writ/data.yaml", table("{rehearsal: RUN, general: S}"), ""},
		{"at the root", "data.yaml", "writ:\n  stages: [a,\n    a]\n", `data.yaml:3: stage "a" is empty`},
		{"good JSON", "writ/data.json", `{"stages": ["rehearsal"]}`, ""},
		{"no stages", "writ/data.yaml", "x: 1\n", "data.writ.stages: expected 1 to 16"},
		{"a stage twice", "writ/data.yaml", "stages: [a,\n  a]\n", `writ/data.yaml:2: stage "a" is empty or repeated`},
		{"a stage that is a number", "writ/data.yaml", "stages: [a, 5]\n", "writ/data.yaml:1: data.writ.stages: expected"},
		{"misspelt answer", "writ/data.yaml", table("{rehearsal: RUN,\n    general: RUNS}"), "writ/data.yaml:4: RUNS is no answer"},
		{"misspelt stage", "writ/data.yaml", table("{rehearsal: RUN, general: A, generl: RUN}"), `writ/data.yaml:3: "generl" is no stage`},
		{"a stage that is left out", "writ/data.yaml", table("{rehearsal: RUN}"), `writ/data.yaml:3: row read_low says nothing for stage "general"`},
		{"a row that is a word", "writ/data.yaml", table("RUN"), "writ/data.yaml:3: row read_low is RUN"},
		{"broken YAML", "writ/data.yaml", "stages: [a\n", "writ/data.yaml: expected one object"},
		{"two documents", "writ/data.yaml", "stages: [a]\n---\nstages: [b]\n", "writ/data.yaml: holds a second document"},
		{"a key twice", "writ/data.yaml", "stages: [a]\nstages: [b]\n", "already defined at line 1"},
		{"broken JSON", "writ/data.json", `{"stages": ["a"]} x`, "writ/data.json: something follows"},
		{"another name", "writ/table.yaml", "x: 1\n", "writ/table.yaml: is not read as data"},
		{"another kind of file", "writ/rules.wasm", "x", "writ/rules.wasm: is neither Rego"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys := fstest.MapFS{"writ/rules.rego": {Data: []byte(rules)}, test.file: {Data: []byte(test.content)}}
			wantFinding(t, Check(fsys), test.want)
		})
	}
}
