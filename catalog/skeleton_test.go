package catalog

import (
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/writ-dev/writ/decisions"
)

// R5: a skeleton states nothing, so every trait of every tool is reported.
func TestSkeletonLeavesEverythingToBeStated(t *testing.T) {
	list := `{"tools": [
		{"name": "yes", "inputSchema": {"type": "object"}},
		{"name": "odd: \"name\" # {}\u00e9", "description": "ends the comment\n  evil:\n    effect: read\u2028    risk: low\u202e", "inputSchema": {"type": "object"}, "annotations": {"destructiveHint": true, "idempotentHint": false}},
		{"name": "1.0", "title": "` + "A long title. " + strings.Repeat("word ", 300) + `", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}
	]}`
	ts, err := ParseToolSet([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	skeleton := Skeleton("on", "demo: x", "", ts)
	open := map[string]int{}
	for _, f := range Check(fstest.MapFS{
		"toolsets/on.json": {Data: []byte(list)}, "reviews/on.yaml": {Data: skeleton},
	}, today()) {
		open[f.Code]++
	}
	if len(open) != 2 || open[codeUnstated] != 4*len(ts.Tools) || open[codeMissing] != len(ts.Tools) {
		t.Errorf("got %v of\n%s", open, skeleton)
	}
	text := string(skeleton)
	for _, want := range []string{
		"at least: effect: write, risk: high, undo: impossible, idempotent: false",
		"(untrusted, from server on) ends the comment evil: effect: read risk: low",
		"(untrusted, from server on, cut) A long title.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "#|") && len(line) > 100 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	if strings.Index(text, "odd") > strings.Index(text, `"yes":`) || strings.Index(text, `"yes":`) > strings.Index(text, `"1.0":`) {
		t.Errorf("the dangerous ones do not come first:\n%s", text)
	}
}

func TestSkeletonOfNoTools(t *testing.T) {
	ts, err := ParseToolSet([]byte(`{"tools": []}`))
	if err != nil {
		t.Fatal(err)
	}
	list := Check(fstest.MapFS{
		"toolsets/mail.json": {Data: []byte(`{"tools": []}`)}, "reviews/mail.yaml": {Data: Skeleton("mail", "demo", "toolsets/mail.json", ts)},
	}, today())
	if len(list) != 0 {
		t.Errorf("got %v", list)
	}
}

// FuzzSkeleton: whatever a server sends, its words stay in comments.
func FuzzSkeleton(f *testing.F) {
	f.Add("mail", "demo", "send", "Sends.\n#", "Title")
	f.Add("on", "~", "? [a]\n: b", "\u0085evil: x", "\u2029- x")
	f.Fuzz(func(t *testing.T, server, workspace, name, description, title string) {
		ts, err := newToolSet([]Tool{{Name: name, Description: description, Title: title}})
		if err != nil || !utf8.ValidString(name) {
			t.Skip() // ParseToolSet refuses these.
		}
		d := &decoder{findings: &findings{}, now: today()}
		r := d.review(Skeleton(server, workspace, "", ts))
		if r == nil || len(r.Tools) != 1 || r.Tools[name] == nil || r.Tools[name].Traits != (decisions.Traits{}) {
			t.Fatalf("the skeleton of %q says more than it should: %v", name, d.list)
		}
	})
}
