package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// licences maps an SPDX id to words that only its text holds.
var licences = map[string]string{
	"Apache-2.0":   "Apache License",
	"BSD-3-Clause": "Neither the name of",
	"MIT":          "Permission is hereby granted, free of charge",
	"MPL-2.0":      "Mozilla Public License",
}

// TestDependenciesAreDocumented: docs/dependencies.md says of every module that our
// code imports what it is for, and of nothing else.
func TestDependenciesAreDocumented(t *testing.T) {
	linked, tested := imported(t)
	documented := documentedDependencies(t)
	sameNames(t, "Linked", documented["Linked"], linked)
	sameNames(t, "Tests only", documented["Tests only"], tested)
	sameNames(t, "Tools", documented["Tools"], tools(t))
}

// TestLicences: the licence column says what the module's own licence file says.
func TestLicences(t *testing.T) {
	documented := documentedDependencies(t)
	for _, section := range []string{"Linked", "Tests only"} {
		for module, licence := range documented[section] {
			text := licenceText(t, module)
			for id := range strings.SplitSeq(licence, " and ") {
				if words, known := licences[id]; !known || !strings.Contains(text, words) {
					t.Errorf("%s: the documented licence is %s, and its licence file does not say so", module, id)
				}
			}
		}
	}
}

// TestToolMatchesLinked: Rego is checked by the engine that will judge with it.
func TestToolMatchesLinked(t *testing.T) {
	const opa = "github.com/open-policy-agent/opa"
	linked := required(t, "go.mod")[opa]
	checked := required(t, ".tools/opa.mod")[opa]
	if linked != checked {
		t.Errorf("go.mod has OPA %s and .tools/opa.mod %s: make them one", linked, checked)
	}
}

var dependencyRow = regexp.MustCompile("^\\| `([^`]+)` \\| ([^|]+) \\| [^|]+ \\|$")

// documentedDependencies reads the tables: section, then name, then licence.
func documentedDependencies(t *testing.T) map[string]map[string]string {
	t.Helper()
	sections := map[string]map[string]string{}
	section := ""
	for line := range strings.Lines(string(read(t, "docs/dependencies.md"))) {
		line = strings.TrimRight(line, "\n")
		if title, isTitle := strings.CutPrefix(line, "## "); isTitle {
			section = title
			sections[section] = map[string]string{}
		}
		if m := dependencyRow.FindStringSubmatch(line); m != nil {
			sections[section][m[1]] = m[2]
		}
	}
	return sections
}

// imported returns the modules that our code imports, and those that only tests do.
func imported(t *testing.T) (linked, tested []string) {
	t.Helper()
	modules := slices.Collect(maps.Keys(required(t, "go.mod")))
	code, tests := map[string]bool{}, map[string]bool{}
	for _, p := range packages(t) {
		collect(code, modules, p.Imports)
		collect(tests, modules, slices.Concat(p.TestImports, p.XTestImports))
	}
	maps.DeleteFunc(tests, func(module string, _ bool) bool { return code[module] })
	return slices.Collect(maps.Keys(code)), slices.Collect(maps.Keys(tests))
}

// collect adds the modules that provide the imported packages.
func collect(into map[string]bool, modules, imports []string) {
	for _, path := range imports {
		provider := ""
		for _, module := range modules {
			if within(path, module+"/...") && len(module) > len(provider) {
				provider = module
			}
		}
		if provider != "" {
			into[provider] = true
		}
	}
}

// tools lists the programs that the modfiles of .tools pin.
func tools(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".tools", "*.mod"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no modfiles in .tools: %v", err)
	}
	var all []string
	for _, file := range files {
		for _, tool := range parseMod(t, filepath.Join(".tools", filepath.Base(file))).Tool {
			all = append(all, tool.Path)
		}
	}
	return all
}

// required maps each module of a modfile to its version.
func required(t *testing.T, name string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, r := range parseMod(t, name).Require {
		all[r.Mod.Path] = r.Mod.Version
	}
	return all
}

func parseMod(t *testing.T, name string) *modfile.File {
	t.Helper()
	parsed, err := modfile.Parse(name, read(t, name), nil)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// licenceText reads a module's licence files.
func licenceText(t *testing.T, module string) string {
	t.Helper()
	dir := strings.TrimSpace(string(output(t, "go", "list", "-m", "-f", "{{.Dir}}", module)))
	var text strings.Builder
	for _, pattern := range []string{"LICENSE*", "COPYING*"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(content)
		}
	}
	return text.String()
}

func sameNames(t *testing.T, section string, documented map[string]string, actual []string) {
	t.Helper()
	for _, name := range actual {
		if _, found := documented[name]; !found {
			t.Errorf("docs/dependencies.md, %s: %s is used and not listed", section, name)
		}
	}
	for name := range documented {
		if !slices.Contains(actual, name) {
			t.Errorf("docs/dependencies.md, %s: %s is listed and not used", section, name)
		}
	}
}
