package catalog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	gocmp "github.com/google/go-cmp/cmp"
)

const nextList = `{"tools": [
  {"name": "search", "description": "Search the mailbox for messages that match.", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}, "annotations": {"readOnlyHint": true}},
  {"name": "send", "description": "Send a message.", "inputSchema": {"type": "object", "properties": {"bcc": {"type": "string"}}, "required": ["bcc"]}, "annotations": {"destructiveHint": true}},
  {"name": "list_b", "description": "Now with words.", "inputSchema": {"type": "object"}},
  {"name": "purge", "inputSchema": {"type": "object"}}
]}`

const reviewed = `
  # Kept as it is.
  search: {effect: write, risk: high, undo: impossible, exposure: outbound, description: Looks.} # why

  send:
    # Still here.
    effect: write
    risk: high
    undo: impossible
    exposure: outbound
    description: Writes to people.

  # Goes with its comment.
  list_a:
    effect: write

  list_b:
    recheck: [before]
    effect: write
    risk: high
    undo: impossible
    exposure: outbound
    description: Names things.
`

func listOf(t testing.TB, text string) *ToolSet {
	t.Helper()
	ts, err := ParseToolSet([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return ts
}

// What still holds is kept byte by byte, what changed is marked with the reason, what is
// new is open, what is gone goes; and the check refuses it until someone has looked.
func TestUpdate(t *testing.T) {
	to := listOf(t, nextList)
	after, fates, err := draftOf(t, reviewed).Update(to, "toolsets/mail-2.json")
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range fates {
		said = append(said, fmt.Sprintf("%s %s: %s", f.Tool, f.Fate, strings.Join(f.Why, "; ")))
	}
	if diff := gocmp.Diff([]string{
		"search kept: ",
		"send recheck: `send` newly requires `bcc`",
		"list_a gone: the list no longer has it",
		"list_b recheck: `list_b`: the description changed",
		"purge new: the reviewed list did not have it",
	}, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	want := `workspace: demo
server: mail # the shared one
toolset: toolsets/mail-2.json
prose_digest: ` + to.ProseDigest + `
fingerprint: ` + to.Fingerprint + `
tools:
  # Kept as it is.
  search: {effect: write, risk: high, undo: impossible, exposure: outbound, description: Looks.} # why

  send:
    # Still here.
    recheck: ["` + "`send` newly requires `bcc`" + `"]
    effect: write
    risk: high
    undo: impossible
    exposure: outbound
    description: Writes to people.

  list_b:
    recheck: ["before", "` + "`list_b`: the description changed" + `"]
    effect: write
    risk: high
    undo: impossible
    exposure: outbound
    description: Names things.

  # New in this list.

  purge:
    effect:       # write | read
    risk:         # high | medium | low
    undo:         # impossible | possible | trivial
    exposure:     # outbound | sensitive | internal | none
    collection:   # true (the default) | false
    idempotent:   # false (the default) | true
    description:
    basis:        # {kind: , reference: , by: , at: }
    rejected:
`
	if diff := gocmp.Diff(want, string(after.Data)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	open := map[string]bool{}
	for _, f := range Check(fstest.MapFS{"reviews/mail.yaml": {Data: after.Data}, "toolsets/mail-2.json": {Data: []byte(nextList)}}, today()) {
		open[f.Code] = true
	}
	if !open[codeRecheck] || !open[codeUnstated] || len(open) != 3 {
		t.Errorf("the check says %v", open)
	}
	done, _, err := after.Set([]string{"send", "list_b"}, Stating{Kind: "contract", Reference: "c 8", By: "me", At: "2026-11-30"})
	if err != nil || strings.Contains(string(done.Data), "recheck") {
		t.Errorf("a new basis leaves the mark: %v\n%s", err, done.Data)
	}
}

// Where the reviewed list was replaced, nobody can say what changed: all is marked.
func TestUpdateWithoutTheReviewedList(t *testing.T) {
	d := draftOf(t, reviewed)
	d.list = listOf(t, nextList)
	after, fates, err := d.Update(d.list, "toolsets/mail.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fates {
		if f.Fate != Recheck && f.Fate != Dropped {
			t.Errorf("%v", f)
		}
	}
	if n := strings.Count(string(after.Data), "recheck:"); n != 3 {
		t.Errorf("%d marks in\n%s", n, after.Data)
	}
}

// R13: the list that was reviewed can't be exchanged for one with the same words.
func TestAReviewSaysWhichListItIsAbout(t *testing.T) {
	reviewed, replaced := `[{"name": "a", "inputSchema": {"type": "object"}}]`, `[{"name": "a", "inputSchema": {"type": "object", "required": ["b"]}}]`
	skeleton := Skeleton("mail", "demo", "", listOf(t, reviewed))
	for list, want := range map[string]bool{reviewed: false, replaced: true} {
		found := Check(fstest.MapFS{"reviews/mail.yaml": {Data: skeleton}, "toolsets/mail.json": {Data: []byte(list)}}, today())
		if hasCode(found, codeFingerprint) != want {
			t.Errorf("%s: got %v", list, found)
		}
	}
}

// No false alarms: what tells nobody more about what a tool does is said, and needs no
// second look. A hint that admits harm does, and so does one that no longer says it.
func TestWhatNeedsASecondLook(t *testing.T) {
	tool := func(rest string) string {
		return `[{"name": "a", "description": "Does it.", "inputSchema": {"type": "object", "properties": {"b": {"description": "Which."}}}` + rest + `}]`
	}
	for name, c := range map[string]struct {
		before, after string
		fate          Fate
	}{
		"nothing":             {tool(""), tool(""), Kept},
		"a title":             {tool(""), tool(`, "title": "A"`), Kept},
		"results":             {tool(""), tool(`, "outputSchema": {"type": "object"}`), Kept},
		"a claim":             {tool(""), tool(`, "annotations": {"readOnlyHint": true}`), Kept},
		"a schema's language": {tool(""), strings.Replace(tool(""), `"type"`, `"$schema": "x", "type"`, 1), Kept},
		"an admission":        {tool(""), tool(`, "annotations": {"destructiveHint": true}`), Recheck},
		"no claim any more":   {tool(`, "annotations": {"readOnlyHint": true}`), tool(""), Recheck},
		"a description":       {tool(""), strings.Replace(tool(""), "Does it.", "Does it all.", 1), Recheck},
		"an input's words":    {tool(""), strings.Replace(tool(""), "Which.", "Which all.", 1), Recheck},
		"an input":            {tool(""), strings.Replace(tool(""), `"b":`, `"c": {}, "b":`, 1), Recheck},
	} {
		ts := listOf(t, c.before)
		d, err := OpenReviewDraft(fstest.MapFS{"toolsets/mail.json": {Data: []byte(c.before)}, "reviews/mail.yaml": {Data: []byte(
			"toolset: toolsets/mail.json\nprose_digest: " + ts.ProseDigest + "\ntools: \n  a:\n    effect: write\n")}}, "reviews/mail.yaml", today())
		if err != nil {
			t.Fatal(err)
		}
		after, fates, err := d.Update(listOf(t, c.after), "toolsets/mail-2.json")
		if err != nil || fates[0].Fate != c.fate || strings.Contains(string(after.Data), "recheck") != (c.fate == Recheck) || (name != "nothing") != (len(fates[0].Why) > 0) {
			t.Errorf("%s: got %v, %v, want %s", name, fates, err, c.fate)
		}
	}
}

// Everything may be gone, or new.
func TestUpdateToNothingAndBack(t *testing.T) {
	d := draftOf(t, "\n  search:\n    effect: write\n  # Last.\n")
	none, _, err := d.Update(listOf(t, `{"tools": []}`), "toolsets/none.json")
	if err != nil || !strings.HasSuffix(string(none.Data), "tools:\n  {}\n  # Last.\n") {
		t.Fatalf("%v\n%s", err, none.Data)
	}
	back, _, err := none.Update(listOf(t, nextList), "toolsets/mail-2.json")
	if err != nil || len(back.Tools()) != 4 {
		t.Fatalf("%v\n%s", err, back.Data)
	}
}

// FuzzReviewDraft edits whatever loads: an edit does what it says, or refuses.
func FuzzReviewDraft(f *testing.F) {
	for _, tools := range []string{reviewed, " {}", "\n  ? search\n  : effect: write", "\n  search:\n    effect: write\n\n#x", "\n - a", "\n  \"search\": {effect: write\n  , risk: high}"} {
		f.Add([]byte("toolset: toolsets/mail.json\ntools:" + tools))
	}
	to := listOf(f, nextList)
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := OpenReviewDraft(fstest.MapFS{"toolsets/mail.json": {Data: []byte(draftList)}, "reviews/mail.yaml": {Data: data}}, "reviews/mail.yaml", today())
		if err != nil {
			return
		}
		after, _, err := d.Set([]string{"search"}, Stating{Effect: "write", Risk: "high", Description: "Own: words"})
		if err == nil && (after.review.Tools["search"] == nil || after.review.Tools["search"].Description != "Own: words") {
			t.Fatalf("not stated:\n%s", after.Data)
		} else if err != nil && !errors.Is(err, ErrRefused) {
			t.Fatal(err)
		}
		if after, _, err = d.Update(to, "toolsets/mail-2.json"); err == nil && after.review.Tools["list_a"] != nil {
			t.Fatalf("not dropped:\n%s", after.Data)
		} else if err != nil && !errors.Is(err, ErrRefused) {
			t.Fatal(err)
		}
	})
}
