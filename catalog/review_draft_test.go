package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// R16 for YAML: what would fill the memory, or never end, is refused at its place, by a
// check and by an edit.
func TestHostileReviews(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n")
	for i := range 12 {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 8), i)
	}
	for name, c := range map[string]struct {
		data, code string
		line       int
	}{
		"a bomb":          {bomb.String(), codeAlias, 1},
		"a circle":        {"tools: &a {b: *a}\n", codeAlias, 1},
		"a merged circle": {"a: &a\n  <<: *a\n", codeAlias, 1},
		"a large file":    {"workspace: demo\n" + strings.Repeat("#", maxYAML), codeTooLarge, 0},
		"a large text":    {"tools:\n  a:\n    description: " + strings.Repeat("a", maxText+1), codeTooLarge, 3},
		"deep braces":     {"tools: " + strings.Repeat("{a: ", 20_000), codeSyntax, 0},
	} {
		fsys := fstest.MapFS{"reviews/mail.yaml": {Data: []byte(c.data)}}
		found := false
		for _, f := range Check(fsys, today()) {
			found = found || f.Code == c.code && f.Line == c.line && f.Fix != ""
		}
		if !found {
			t.Errorf("%s: the check does not say %s in line %d", name, c.code, c.line)
		}
		_, err := OpenReviewDraft(fsys, "reviews/mail.yaml", today())
		if refused := (*FindingsError)(nil); !errors.As(err, &refused) {
			t.Errorf("%s: it can be edited: %v", name, err)
		}
	}
}

// The status of a directory counts what a check finds, review by review, beyond what a
// check lists.
func TestReviewStatuses(t *testing.T) {
	var tools strings.Builder
	for i := range 401 {
		fmt.Fprintf(&tools, `,{"name": "t%d", "inputSchema": {"type": "object"}}`, i)
	}
	list := "[" + tools.String()[1:] + "]"
	all := ReviewStatuses(fstest.MapFS{
		"toolsets/mail.json":   {Data: []byte(list)},
		"reviews/mail.yaml":    {Data: Skeleton("mail", "demo", "", listOf(t, list))},
		"reviews/broken.yaml":  {Data: []byte("tools: [")},
		"reviews/other.yaml":   {Data: []byte("workspace: demo\nserver: x\ntoolset: toolsets/mail.json\nprose_digest: pd1:old\ntools:\n  t1:\n    effect: raed\n    recheck: [why]\n")},
		"releases/broken.yaml": {Data: []byte("[")},
	}, today())
	if len(all) != 3 || all[0].File != "reviews/broken.yaml" || all[0].Open() != 1 {
		t.Fatalf("got %v", all)
	}
	if mail := all[1]; mail.Open() != 401 || len(mail.Findings) != 0 || fmt.Sprint(mail.Tools[400].Missing) != "[effect risk undo exposure description]" {
		t.Errorf("got %d open, %v", mail.Open(), mail.Findings)
	}
	other := all[2]
	one := other.Tools[0]
	if len(other.Findings) != 1 || len(other.Unreviewed) != 400 || fmt.Sprint(one.Missing, one.Recheck) != "[risk undo exposure description] [why]" ||
		len(one.Wrong) != 1 || one.Wrong[0].Code != codeWrongWord {
		t.Errorf("got %+v", other)
	}
}
