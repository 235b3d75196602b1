package catalog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/writ-dev/writ/decisions"
)

func TestEmptyDirectoryIsACatalogue(t *testing.T) {
	c, err := Load(fstest.MapFS{}, today())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Files()) != 0 || !strings.HasPrefix(c.Revision(), "sha256:") {
		t.Errorf("got %d files, revision %s", len(c.Files()), c.Revision())
	}
}

// R33: what decides has a name, which covers every path and byte.
func TestRevisionCoversPathsAndBytes(t *testing.T) {
	one := []File{{"a", []byte("bc")}, {"d", nil}}
	for _, other := range [][]File{
		{{"ab", []byte("c")}, {"d", nil}}, {{"a", []byte("bc")}}, {{"a", []byte("b")}, {"d", []byte("c")}}, {{"d", nil}, {"a", []byte("bc")}}, {{"x", []byte("bc")}, {"d", nil}}, nil,
	} {
		if revision(one) == revision(other) {
			t.Errorf("%v and %v share a revision", one, other)
		}
	}
}

// Nothing of a catalogue holds when anything is wrong, and all of it is said.
func TestNothingHalfApplied(t *testing.T) {
	fsys := fstest.MapFS{
		"reviews/a.yaml":   {Data: []byte("workspace: [")},
		"releases/b.yaml":  {Data: []byte("release: 1")},
		"toolsets/c.json":  {Data: []byte("{")},
		"toolsets/ok.json": {Data: []byte(`{"tools": []}`)},
	}
	c, err := Load(fsys, today())
	var refused *FindingsError
	if c != nil || !errors.As(err, &refused) {
		t.Fatalf("got %v, %v", c, err)
	}
	for _, file := range []string{"reviews/a.yaml", "releases/b.yaml", "toolsets/c.json"} {
		if !strings.Contains(err.Error(), file) {
			t.Errorf("%s is not named in %v", file, err)
		}
	}
}

// Hidden files are no part of a catalogue: a checkout's own data lies beside it.
func TestHiddenFilesAreLeftAlone(t *testing.T) {
	c, err := Load(fstest.MapFS{".git/a.yaml": {Data: []byte("[")}, "reviews/.a.yaml": {Data: []byte("[")}, "README.md": {Data: []byte("[")}}, today())
	if err != nil || len(c.Files()) != 0 {
		t.Errorf("got %v, %v", c, err)
	}
}

// R8: undo that is possible but not in words counts as impossible.
func TestUndoWithoutWordsCountsAsImpossible(t *testing.T) {
	for undo, want := range map[string]decisions.Undo{
		"possible": decisions.UndoImpossible,
		"{can: possible, who: a, needs: b, within: c}":                 decisions.UndoImpossible,
		"{can: possible, who: a, needs: b, within: c, consumed_by: d}": decisions.UndoPossible,
		"trivial":        decisions.UndoTrivial,
		"{can: trivial}": decisions.UndoTrivial,
		"{who: a}":       decisions.UndoImpossible,
	} {
		d := &decoder{findings: &findings{}, now: today()}
		r := d.review([]byte("tools: {a: {undo: " + undo + "}}"))
		if got := r.Tools["a"].Traits.Undo; got != want {
			t.Errorf("%s: got %s, want %s", undo, got, want)
		}
	}
}

// A day that has begun somewhere is not in the future; a moment that has not come is.
func TestDays(t *testing.T) {
	for at, future := range map[string]bool{
		"2026-11-30": false, "2026-12-01": false, "2026-12-02": true,
		"2026-11-30T12:00:00Z": false, "2026-11-30T12:00:01Z": true, "2026-11-30T13:00:00+02:00": false,
	} {
		d := &decoder{findings: &findings{}, now: today()}
		d.review([]byte("tools: {a: {basis: {at: " + at + "}}}"))
		found := slices.ContainsFunc(d.list, func(f Finding) bool { return f.Code == codeFuture })
		if found != future {
			t.Errorf("%s: future is %v", at, found)
		}
	}
}

// A file that can't be read is a finding, and so is a directory.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "reviews"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"gone.yaml": "nowhere", "directory.yaml": ".", "circle.yaml": "circle.yaml"} {
		if err := os.Symlink(target, filepath.Join(dir, "reviews", name)); err != nil {
			t.Fatal(err)
		}
	}
	list := Check(os.DirFS(dir), today())
	for _, f := range list {
		if f.Code != codeUnreadable {
			t.Errorf("got %v", f)
		}
	}
	if len(list) != 3 {
		t.Errorf("got %v", list)
	}
}

// What is no file is refused before it is opened: nobody may ever write that pipe.
func TestNoFile(t *testing.T) {
	for want, mode := range map[string]fs.FileMode{
		"a named pipe": fs.ModeNamedPipe, "a socket": fs.ModeSocket, "a device": fs.ModeDevice | fs.ModeCharDevice,
	} {
		fsys := neverOpened{fstest.MapFS{"reviews/a.yaml": {Mode: mode}}, t}
		list := Check(fsys, today())
		if len(list) != 1 || list[0].Code != codeUnreadable || list[0].File != "reviews/a.yaml" || list[0].Message != "is "+want || !stops(list) {
			t.Errorf("%s: got %v", want, list)
		}
	}
}

// neverOpened fails the test that opens a document.
type neverOpened struct {
	fstest.MapFS
	t *testing.T
}

func (f neverOpened) Open(name string) (fs.File, error) {
	if strings.HasPrefix(name, "reviews/") {
		f.t.Errorf("%s was opened", name)
	}
	return f.MapFS.Open(name)
}

// What is not released gives words, and pins nothing (R14).
func TestToolSetByFingerprint(t *testing.T) {
	c := sampleCatalog(t)
	pinned := c.ToolSet(samplePin(c))
	if pinned == nil || c.ToolSet("fp1:x") != nil || len(c.Warnings()) != 0 {
		t.Fatalf("got %v, warnings %v", pinned, c.Warnings())
	}
	changed := 0
	for fingerprint, list := range c.toolsets {
		if fingerprint != pinned.Fingerprint && len(Diff(pinned, list)) > 0 {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("%d changed lists, want mail-next", changed)
	}
}

func TestFileTooLarge(t *testing.T) {
	list := Check(fstest.MapFS{"reviews/a.yaml": {Data: []byte(strings.Repeat("#", maxYAML+1))}}, today())
	if len(list) != 1 || list[0].Code != codeTooLarge {
		t.Errorf("got %v", list)
	}
}

// What is hostile is refused with findings, not many more than a person can read.
func TestHostileYAML(t *testing.T) {
	for _, piece := range []string{"[", "{a: ", "- ", "? ", "a:\n", "&a ", "!!a ", "|\n", "? a\n", "\"\\x", "&a [*a, "} {
		for _, before := range []string{"", "tools: "} {
			data := before + strings.Repeat(piece, 20_000)
			list := Check(fstest.MapFS{"reviews/a.yaml": {Data: []byte(data)}}, today())
			if !stops(list) || len(list) > mostFindings+1 {
				t.Errorf("%q: %d findings", before+piece, len(list))
			}
		}
	}
}

// A release that only changes its review's digest is found by it; comments and
// order do not change a digest, and every statement does (R13).
func TestReviewDigest(t *testing.T) {
	const base = "workspace: w\nserver: s\nprose_digest: pd1:x\ntools:\n" +
		"  a: {effect: read, risk: low, undo: trivial, exposure: none, description: One., basis: {kind: contract, reference: r, by: b, at: 2026-01-02}, rejected: x}\n" +
		"  b: {effect: write, risk: high, undo: {can: possible, who: w, needs: n, within: t, consumed_by: c}, exposure: outbound, description: Two., boundary: None., basis: {kind: contract, reference: r, by: b, at: 2026-01-02}, rejected: y}\n"
	digest := func(text string) string {
		d := &decoder{findings: &findings{}, now: today()}
		r := d.review([]byte(text))
		r.list = &list{ToolSet: &ToolSet{Fingerprint: "fp1:x"}}
		return r.digest()
	}
	want := digest(base)
	if !strings.HasPrefix(want, "rd1:") || len(want) != 68 {
		t.Fatalf("got %q", want)
	}
	lines := strings.Split(strings.TrimSuffix(base, "\n"), "\n")
	reordered := strings.Join([]string{"# A comment.", lines[1], lines[0], lines[2], lines[3], lines[5], lines[4]}, "\n")
	if got := digest(reordered); got != want {
		t.Errorf("order or comment changed the digest to %s", got)
	}
	for _, edit := range [][2]string{
		{"workspace: w", "workspace: v"}, {"server: s", "server: t"}, {"pd1:x", "pd1:y"}, {"effect: read", "effect: write"}, {"risk: low", "risk: medium"},
		{"undo: trivial", "undo: impossible"}, {"exposure: none", "exposure: internal"}, {"who: w", "who: v"}, {"needs: n", "needs: m"},
		{"within: t", "within: u"}, {"consumed_by: c", "consumed_by: d"}, {"One.", "Two."}, {"None.", "Nothing."}, {"kind: contract", "kind: observation"},
		{"reference: r", "reference: s"}, {"by: b", "by: c"}, {"2026-01-02", "2026-01-03"}, {"rejected: x", "rejected: z"}, {"  b:", "  c:"},
		{"description: One.", "collection: false, description: One."}, {"description: One.", "idempotent: true, description: One."},
	} {
		if digest(strings.Replace(base, edit[0], edit[1], 1)) == want {
			t.Errorf("%q changed nothing", edit)
		}
	}
}

func TestSuggest(t *testing.T) {
	words := vocabulary(decisions.NoExposure)
	for got, want := range map[string]string{"internl": "internal", "Sensitive": "sensitive", "outbuond": "outbound", "public": "", "": "", "x": ""} {
		_, after, found := strings.Cut(suggest(got, words), "did you mean ")
		if word, _, _ := strings.Cut(after, "?"); word != want || found != (want != "") {
			t.Errorf("%q: suggested %q, want %q", got, word, want)
		}
	}
}

// FuzzCatalogFiles feeds the three YAML readers: none may panic, and a catalogue
// that loads stands up to being asked.
func FuzzCatalogFiles(f *testing.F) {
	fsys, err := Sample()
	if err != nil {
		f.Fatal(err)
	}
	l := loader{now: today()}
	var review, release, action, list []byte
	for _, file := range l.read(fsys) {
		switch file.Path {
		case "reviews/mail.yaml":
			review = file.Data
		case "releases/mail-triage-1.5.yaml":
			release = file.Data
		case "actions/queue.yaml":
			action = file.Data
		case "toolsets/mail.json":
			list = file.Data
		}
	}
	f.Add(review, release, action)
	f.Add([]byte("a: &a [*a, *a]"), []byte("? [a]\n: b"), []byte("!!x y"))
	f.Add([]byte("tools:\n  a:\n  ? {b: c}\n"), []byte("servers: [null, [], {}]"), []byte("actions: {a: null}"))
	f.Fuzz(func(t *testing.T, review, release, action []byte) {
		c, err := Load(fstest.MapFS{
			"toolsets/mail.json": {Data: list}, "reviews/r.yaml": {Data: review},
			"releases/r.yaml": {Data: release}, "actions/a.yaml": {Data: action},
		}, today())
		if err != nil {
			if refused := (*FindingsError)(nil); !errors.As(err, &refused) || len(refused.Findings) == 0 {
				t.Fatalf("refused without a finding: %v", err)
			}
			return
		}
		for key := range c.releases {
			c.Resolve(Query{Workspace: key.workspace, Automation: key.automation, Release: key.release, Server: "mail", Tool: "send_message"})
		}
	})
}
