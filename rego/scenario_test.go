package rego

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// Scenarios in testdata: a policy's files, the documents of some calls (one a line;
// lines that begin with # are kept), and the answers to them. A scenario without
// policy files judges with the default policy. `go test -update` writes the answers.
func TestScenarios(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	update := flag.Lookup("update").Value.String() == "true"
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, archive)
			want := section(archive, "answers")
			if update {
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func section(archive *txtar.Archive, name string) *txtar.File {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			return &archive.Files[i]
		}
	}
	return &txtar.File{}
}

// play returns a line for each call, or what stops the policy from loading.
func play(t *testing.T, archive *txtar.Archive) string {
	fsys := fstest.MapFS{}
	for _, f := range archive.Files {
		if f.Name != "calls" && f.Name != "answers" {
			fsys[f.Name] = &fstest.MapFile{Data: f.Data}
		}
	}
	p, err := Load(t.Context(), Default(), Options{Deadline: unhurried})
	if len(fsys) > 0 {
		p, err = Load(t.Context(), fsys, Options{Deadline: unhurried})
	}
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	for line := range strings.Lines(string(section(archive, "calls").Data)) {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
			continue
		}
		b.WriteString(show(p.Replay(t.Context(), []byte(line))))
	}
	return b.String()
}

func show(v Verdict) string {
	line := fmt.Sprintf("%v %s (%s) %s", v.Outcome, v.Reason.Code, v.Reason.Rule, v.Reason.Sentence)
	if v.Approval.String() != "none" {
		line += fmt.Sprintf(" approval=%v", v.Approval)
	}
	if v.PermitSeconds > 0 {
		line += fmt.Sprintf(" permit=%ds", v.PermitSeconds)
	}
	for _, o := range v.Obligations {
		line += fmt.Sprintf(" obligation=%s:%s", o.Kind, o.Value)
	}
	return line + "\n"
}
