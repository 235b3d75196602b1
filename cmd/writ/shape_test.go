package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Sizes, in lines, as style.md has them.
const (
	largestFile     = 400
	medianFile      = 120
	largestFunction = 80
	usualFunction   = 30 // nine of ten are no longer
)

// topLevel is all that may stand at the top of the repository.
var topLevel = []string{
	".ci", ".gitattributes", ".gitignore", ".golangci.yml", ".tools",
	"CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "Makefile", "README.md", "SECURITY.md",
	"bench", "buf.yaml", "catalog", "clients", "cmd", "decisions", "docs",
	"go.mod", "go.sum", "proto", "rego", "server",
}

// namesThatSayNothing are directories that collect what found no home.
var namesThatSayNothing = []string{"pkg", "internal", "util", "utils", "common", "gen", "helper", "helpers", "misc", "lib"}

func TestTopLevel(t *testing.T) {
	for _, file := range tracked(t) {
		if top, _, _ := strings.Cut(file, "/"); !slices.Contains(topLevel, top) {
			t.Errorf("%s: %s has no place at the top level", file, top)
		}
	}
}

func TestDirectoriesHaveMeaning(t *testing.T) {
	for _, file := range tracked(t) {
		for dir := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(file)), "/") {
			if slices.Contains(namesThatSayNothing, dir) {
				t.Errorf("%s: a directory named %q says nothing: name what is in it", file, dir)
			}
		}
	}
}

// TestSizes: what a person can hold in mind at once. Functions of tests are held to
// the limit too; files of tests are not, for a table of cases may be long.
func TestSizes(t *testing.T) {
	var files, functions []int
	for _, s := range sources(t) {
		for _, f := range s.functions {
			if f.lines > largestFunction {
				t.Errorf("%s: %s has %d lines; at most %d", s.name, f.name, f.lines, largestFunction)
			}
		}
		if s.test {
			continue
		}
		if s.lines > largestFile {
			t.Errorf("%s has %d lines; at most %d", s.name, s.lines, largestFile)
		}
		files = append(files, s.lines)
		for _, f := range s.functions {
			functions = append(functions, f.lines)
		}
	}
	if len(functions) == 0 {
		t.Fatal("no function found: this test proved nothing")
	}
	slices.Sort(files)
	slices.Sort(functions)
	if median := files[len(files)/2]; median > medianFile {
		t.Errorf("the median of %d files has %d lines; at most %d", len(files), median, medianFile)
	}
	if ninth := functions[len(functions)*9/10]; ninth > usualFunction {
		t.Errorf("a tenth of %d functions has %d lines or more; at most %d", len(functions), ninth, usualFunction)
	}
}

// source is one hand-written Go file and how long it and its functions are.
type source struct {
	name      string
	test      bool
	lines     int
	functions []function
}

type function struct {
	name  string
	lines int
}

// sources measures every Go file of the module that is not generated.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	for _, p := range packages(t) {
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			if s, handWritten := measure(t, filepath.Join(p.Dir, file)); handWritten {
				s.name = p.name() + "/" + file
				all = append(all, s)
			}
		}
	}
	return all
}

func measure(t *testing.T, path string) (s source, handWritten bool) {
	t.Helper()
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	s = source{test: strings.HasSuffix(path, "_test.go"), lines: fset.File(parsed.Pos()).LineCount()}
	for _, d := range parsed.Decls {
		if f, isFunc := d.(*ast.FuncDecl); isFunc {
			lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line + 1
			s.functions = append(s.functions, function{name: f.Name.Name, lines: lines})
		}
	}
	return s, !ast.IsGenerated(parsed)
}
