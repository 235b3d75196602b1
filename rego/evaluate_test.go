package rego

import (
	"context"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
)

// R11: no policy, no answer.
func TestNilPolicyRefuses(t *testing.T) {
	var p *Policy
	for _, v := range []Verdict{p.Evaluate(t.Context(), &Input{}), p.Replay(t.Context(), nil)} {
		if v.Outcome != decisions.Refuse || v.Reason.Code != decisions.CodePolicyUndefined {
			t.Errorf("got %+v", v)
		}
	}
}

// heavy counts to 10^10 for calls of tool "heavy".
const heavy = `
verdict contains {"outcome": "RUN", "code": "base", "reason": "base"}

verdict contains {"outcome": "REFUSE", "code": "counted", "reason": "counted"} if {
	input.tool == "heavy"
	some x in numbers.range(1, 100000)
	some y in numbers.range(1, 100000)
	x + y == -1
}
`

// R11: an evaluation that does not end in time refuses, and the next call is judged
// afresh.
func TestTimeout(t *testing.T) {
	p := load(t, policyOf(heavy), Options{Deadline: time.Millisecond})
	for range 2 {
		v := p.Evaluate(t.Context(), call("heavy", ""))
		if v.Outcome != decisions.Refuse || v.Reason.Code != decisions.CodePolicyTimeout || v.Remembered {
			t.Errorf("got %+v", v)
		}
	}
}

// A caller that goes away ends the evaluation too.
func TestCancelled(t *testing.T) {
	p := load(t, policyOf(heavy), Options{Deadline: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v := p.Evaluate(ctx, call("heavy", "")); v.Reason.Code != decisions.CodePolicyTimeout {
		t.Errorf("got %+v", v)
	}
	if v := p.Evaluate(t.Context(), call("light", "")); v.Outcome != decisions.Run {
		t.Errorf("got %+v", v)
	}
}

// Arguments that are no JSON object can't be judged, nor can they change the rest of
// the document.
func TestMalformedArguments(t *testing.T) {
	p := load(t, policyOf(`
verdict contains {"outcome": "RUN", "code": "base", "reason": "base"} if {
	input.stage == "general"
	object.get(input.arguments, "a", 1) == 1
	input.arguments.b == 1
}
`), Options{})
	for _, arguments := range []string{
		`[]`, `1`, `{`, `{"b": 1`, `{"b": 1}}`, `{"b": 1},"stage":"general"`, `{"b": }`, `{"b" 1}`, `{"b": 1]}`,
		`{"b": 1, }`, `{b: 1}`, `{"b": 1} {}`, `{"b": [}`, `{"b": "\x"}`, `{"\x": 1}`, `{"b": nul}`, `{"b": 01}`,
	} {
		v := p.Evaluate(t.Context(), &Input{Stage: "rehearsal", Arguments: []byte(arguments)})
		if v.Outcome != decisions.Refuse || v.Reason.Code != decisions.CodePolicyError {
			t.Errorf("%s: got %+v", arguments, v)
		}
	}
}

// The revision covers every file's path and bytes, and nothing else.
func TestRevision(t *testing.T) {
	with := func(name, content string) string {
		fsys := policyOf(`verdict contains {"outcome": "RUN", "code": "c", "reason": "r"}`)
		fsys[name] = &fstest.MapFile{Data: []byte(content)}
		return load(t, fsys, Options{}).Revision()
	}
	revisions := map[string]string{}
	for _, file := range [][2]string{{"README.md", "a"}, {"README.md", "b"}, {"NOTES.md", "a"}, {"writ/README.md", "a"}} {
		r := with(file[0], file[1])
		if other, ok := revisions[r]; ok {
			t.Errorf("%v and %v have one revision", file, other)
		}
		revisions[r] = file[0] + " " + file[1]
		if again := with(file[0], file[1]); again != r {
			t.Errorf("%v: revision %s, then %s", file, r, again)
		}
	}
	if a, b := with(".git/config", "a"), with(".git/config", "b"); a != b {
		t.Error("a hidden file changes the revision")
	}
}

// The same policy from a directory and from the binary is the same revision, and
// says what it reads.
func TestDefaultFromDirectory(t *testing.T) {
	embedded, err := Load(t.Context(), Default(), Options{Deadline: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	onDisk, err := Load(t.Context(), os.DirFS("policy"), Options{Deadline: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	if embedded.Revision() != onDisk.Revision() {
		t.Errorf("embedded %s, on disk %s", embedded.Revision(), onDisk.Revision())
	}
	reads := []string{
		"scope.stated", "stage", "traits.collection", "traits.effect",
		"traits.exposure", "traits.risk", "traits.undo",
	}
	if diff := cmp.Diff(reads, embedded.Reads()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"rehearsal", "supervised", "limited", "general"}, embedded.Stages()); diff != "" {
		t.Error(diff)
	}
}

// A policy that can't be used is never half of one.
func TestLoadRefuses(t *testing.T) {
	p, err := Load(t.Context(), policyOf("verdict contains {\"outcome\": \"RUNS\", \"code\": \"c\", \"reason\": \"r\"} if input.stge == \"x\""), Options{Deadline: unhurried})
	if p != nil || err == nil {
		t.Fatalf("got %v, %v", p, err)
	}
	want := "the policy can't be used:\n" +
		"  writ/rules.rego:3: undefined ref: input.stge; expected one of arguments, automation,"
	if got := err.Error(); len(got) < len(want) || got[:len(want)] != want {
		t.Errorf("got %s", got)
	}
	if _, err := Load(t.Context(), fstest.MapFS{}, Options{Deadline: unhurried}); err == nil {
		t.Error("an empty directory loads")
	}
}
