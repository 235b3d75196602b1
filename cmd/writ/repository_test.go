package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The tests of this package whose subject is the repository itself: who may import
// whom, how large things are, what is depended on, whether the documents' links lead
// somewhere. They live here because only the wiring may know every package.

const (
	module = "github.com/writ-dev/writ"
	root   = "../.."
)

// goPackage is what `go list -json` says of one package. Imports and Deps are without
// those of its tests: a test may reach further than the code it tests.
type goPackage struct {
	ImportPath   string
	Dir          string
	Imports      []string
	Deps         []string // transitive
	GoFiles      []string
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
}

// name is the import path below the module: "decisions/ledger".
func (p goPackage) name() string { return ours(p.ImportPath) }

// ours returns an import path below this module, or "" for somebody else's.
func ours(importPath string) string {
	name, found := strings.CutPrefix(importPath, module+"/")
	if !found {
		return ""
	}
	return name
}

// packages lists every package of the module.
func packages(t *testing.T) []goPackage {
	t.Helper()
	out := output(t, "go", "list", "-e", "-json=ImportPath,Dir,Imports,Deps,GoFiles,TestGoFiles,XTestGoFiles,TestImports,XTestImports", "./...")
	var all []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// tracked lists the files of the repository, or skips where this is not a checkout.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	if err := exec.Command("git", "-C", root, "rev-parse").Run(); err != nil {
		t.Skip("not a git checkout: ", err)
	}
	out := output(t, "git", append([]string{"ls-files", "-z", "--"}, patterns...)...)
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
}

// read returns a file of the repository.
func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func output(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return out
}
