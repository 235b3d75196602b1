package catalog

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/writ-dev/writ/decisions"
)

// today is the day on which the scenarios' catalogues are read.
func today() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }

var update = flag.Bool("update", false, "write what is said today into the scenarios")

// Each scenario is a catalogue: the files of base.txtar, with those of the archive
// put over them (an empty one is removed). ${fp:PATH}, ${pd:PATH} and ${rd:PATH}
// stand for a list's fingerprint and prose digest and a review's digest. "ask" has
// one call a line; "want" is what Check says, and what Resolve answers. The archive's
// comment names the rule.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/catalogs/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	base := contents(t, "testdata/catalogs/base.txtar")
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			all := maps.Clone(base)
			maps.Copy(all, contents(t, file))
			got := play(t, all)
			if *update {
				writeWant(t, file, got)
			}
			if diff := gocmp.Diff(all["want"], got); diff != "" {
				t.Errorf("-want +got (accept with -update):\n%s", diff)
			}
		})
	}
}

func contents(t *testing.T, file string) map[string]string {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, f := range archive.Files {
		all[f.Name] = string(f.Data)
	}
	return all
}

// play checks the catalogue and asks it.
func play(t *testing.T, all map[string]string) string {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, data := range all {
		if name != "ask" && name != "want" && data != "" {
			fsys[name] = &fstest.MapFile{Data: []byte(substitute(t, all, data))}
		}
	}
	var b strings.Builder
	for _, f := range Check(fsys, today()) {
		fmt.Fprintln(&b, f)
	}
	c, err := Load(fsys, today())
	var refused *FindingsError
	switch {
	case errors.As(err, &refused):
		return b.String()
	case err != nil:
		t.Fatal(err)
	}
	for line := range strings.Lines(all["ask"]) {
		b.WriteString(answer(t, c, all, strings.TrimSpace(line)))
	}
	return b.String()
}

// substitute writes digests where the scenario names files.
func substitute(t *testing.T, all map[string]string, text string) string {
	t.Helper()
	return regexp.MustCompile(`\$\{(fp|pd|rd):([^}]+)\}`).ReplaceAllStringFunc(text, func(match string) string {
		what, file := match[2:4], match[5:len(match)-1]
		if what == "rd" {
			return reviewDigest(t, all, file)
		}
		ts, err := ParseToolSet([]byte(all[file]))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if what == "fp" {
			return ts.Fingerprint
		}
		return ts.ProseDigest
	})
}

func reviewDigest(t *testing.T, all map[string]string, file string) string {
	t.Helper()
	d := &decoder{findings: &findings{}, file: file, now: today()}
	r := d.review([]byte(substitute(t, all, all[file])))
	ts, err := ParseToolSet([]byte(all[r.toolset]))
	if err != nil {
		t.Fatal(err)
	}
	r.list = &list{ToolSet: ts}
	return r.digest()
}

// answer asks with "tool=x fp=toolsets/mail.json destructive=true" over the base's call.
func answer(t *testing.T, c *Catalog, all map[string]string, line string) string {
	t.Helper()
	q := Query{Workspace: "demo", Automation: "triage", Release: "1", Server: "mail"}
	var arguments *string
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "workspace":
			q.Workspace = value
		case "release":
			q.Release = value
		case "server":
			q.Server = value
		case "credential":
			q.Credential = value
		case "method":
			q.Method = value
		case "tool":
			q.Tool = value
		case "fp":
			q.Fingerprint = substitute(t, all, "${fp:"+value+"}")
		case "pd":
			q.ProseDigest = value
		case "destructive":
			q.Hints.Destructive = decisions.SaidTrue
		case "args":
			arguments = &value
		default:
			t.Fatalf("unknown word %q", word)
		}
	}
	r := c.Resolve(q)
	return "> " + line + "\n" + describe(r) + describeArguments(r, arguments)
}

func describe(r Resolution) string {
	var b strings.Builder
	mismatch := [...]string{"unpinned", "missing", "changed", "none"}[r.Mismatch]
	fmt.Fprintf(&b, "  stage=%s mismatch=%s tool=%v\n", cmp.Or(r.Stage, "?"), mismatch, r.Tool != nil)
	var sources []string
	said := map[string][]string{}
	for i, source := range r.Classified.Sources {
		by := source.Kind.String() + " (" + source.Detail + ")"
		if said[by] == nil {
			sources = append(sources, by)
		}
		said[by] = append(said[by], traitWords(decisions.Trait(i), r.Classified.Traits))
	}
	for _, by := range sources {
		fmt.Fprintf(&b, "  %s\n    by %s\n", strings.Join(said[by], ", "), by)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "  warning: %s\n", w)
	}
	return b.String()
}

func describeArguments(r Resolution, arguments *string) string {
	if arguments == nil {
		return ""
	}
	if err := r.Tool.CheckArguments(sent(*arguments)); err != nil {
		return "  " + err.Error() + "\n"
	}
	return "  arguments fit\n"
}

func writeWant(t *testing.T, file, got string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
