package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/writ-dev/writ/catalog"
)

func TestInCatalog(t *testing.T) {
	for file, want := range map[string]reviewFile{
		"catalog/reviews/mail.yaml":           {"catalog", "reviews/mail.yaml"},
		"reviews/team/mail.yaml":              {".", "reviews/team/mail.yaml"},
		"./catalog/../c/reviews/mail.yaml":    {"c", "reviews/mail.yaml"},
		"/reviews/mail.yaml":                  {"/", "reviews/mail.yaml"},
		"/srv/reviews/catalog/reviews/a.yaml": {"/srv/reviews/catalog", "reviews/a.yaml"},
	} {
		if got, err := inCatalog(filepath.FromSlash(file)); err != nil || filepath.ToSlash(got.root) != want.root || got.name != want.name {
			t.Errorf("%s: got %v, %v", file, got, err)
		}
	}
	for _, file := range []string{"mail.yaml", "reviews", "catalog/releases/a.yaml", "catalog/superseded/a.yaml", ""} {
		if got, err := inCatalog(file); !errors.Is(err, errNotInCatalog) {
			t.Errorf("%s: got %v, %v", file, got, err)
		}
	}
}

// A file is replaced as a whole, where it really lies, with the rights that it had; what
// someone else wrote meanwhile is not lost, and nothing is left beside it.
func TestChange(t *testing.T) {
	root := t.TempDir()
	f := reviewFile{root, "reviews/mail.yaml"}
	put(t, filepath.Join(root, "real.yaml"), "old")
	if err := os.Mkdir(filepath.Join(root, "reviews"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../real.yaml", f.path(f.name)); err != nil {
		t.Fatal(err)
	}
	if err := f.change(f.name, []byte("old"), []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(root, "real.yaml"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
	if err := f.change(f.name, []byte("old"), []byte("newer")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("got %v", err)
	}
	if got := content(t, f.path(f.name)); got != "new" {
		t.Errorf("got %q", got)
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".part-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// Nothing is half applied: where the review can't be written, what was written before it
// is taken away again.
func TestUpdateIsWholeOrNot(t *testing.T) {
	root := t.TempDir()
	f := reviewFile{root, "reviews/mail.yaml"}
	const list = `[{"name": "send", "inputSchema": {"type": "object"}}]`
	ts, err := catalog.ParseToolSet([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"reviews", "toolsets"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o750); err != nil {
			t.Fatal(err)
		}
	}
	put(t, f.path("toolsets/mail.json"), list)
	put(t, f.path(f.name), string(catalog.Skeleton("mail", "demo", "", ts)))
	before, err := f.open(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	after, _, err := before.Update(ts, "toolsets/mail-2.json")
	if err != nil {
		t.Fatal(err)
	}
	put(t, f.path(f.name), "someone else's")
	u := updated{Toolset: "toolsets/mail-2.json", Superseded: "superseded/mail.yaml"}
	if err := u.write(f, before, after, []byte(list)); err == nil {
		t.Fatal("a change of someone else is written over")
	}
	for _, name := range []string{u.Toolset, u.Superseded} {
		if _, err := os.Stat(f.path(name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
	if got := content(t, f.path(f.name)); got != "someone else's" {
		t.Errorf("got %q", got)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil { //nolint:gosec // the rights are what is tested
		t.Fatal(err)
	}
}

func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
