package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeRow  = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|")
	ruleCode = regexp.MustCompile(`"code": "([a-z_]+)"`)
)

// TestLinksLeadSomewhere: every relative link of a document names a tracked file or
// directory, so that a reader's machine has it too.
func TestLinksLeadSomewhere(t *testing.T) {
	all := tracked(t)
	for _, doc := range tracked(t, "*.md") {
		for _, m := range link.FindAllStringSubmatch(string(read(t, doc)), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, ":") {
				continue
			}
			target = path.Join(path.Dir(doc), target)
			if !slices.ContainsFunc(all, func(file string) bool {
				return file == target || strings.HasPrefix(file, target+"/")
			}) {
				t.Errorf("%s: the link to %s leads nowhere", doc, m[1])
			}
		}
	}
}

// TestDocumentsAreIndexed: a document that the index does not list is not found. Of a
// directory, the index lists the directory.
func TestDocumentsAreIndexed(t *testing.T) {
	index := string(read(t, "docs/README.md"))
	for _, doc := range tracked(t, "docs/*.md") {
		name, _, _ := strings.Cut(strings.TrimPrefix(doc, "docs/"), "/")
		if name != "README.md" && !strings.Contains(index, "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}

// TestRulesAreListed: whoever meets R28 in the code finds it in docs/rules.md.
func TestRulesAreListed(t *testing.T) {
	number := regexp.MustCompile(`\bR[1-9][0-9]?\b`)
	rules := string(read(t, "docs/rules.md"))
	named := 0
	for _, file := range tracked(t, "*.go", "*.proto", "*.md") {
		for _, rule := range number.FindAllString(string(read(t, file)), -1) {
			named++
			if !strings.Contains(rules, "- **"+rule+"** ") {
				t.Errorf("%s names %s, which docs/rules.md does not list", file, rule)
			}
		}
	}
	if named == 0 {
		t.Error("no file names a rule, so this proved nothing")
	}
}

// TestReasonCodesAreDocumented: docs/reason-codes.md lists the codes of package
// decisions and of the default policy, and no others.
func TestReasonCodesAreDocumented(t *testing.T) {
	text, policyText, found := strings.Cut(string(read(t, "docs/reason-codes.md")), "## The default policy")
	if !found {
		t.Fatal("docs/reason-codes.md has no section on the default policy")
	}
	sameCodes(t, "Writ's own", codesIn(text), declaredCodes(t))
	sameCodes(t, "the default policy's", codesIn(policyText), policyCodes(t))
}

func codesIn(text string) []string {
	var all []string
	for _, m := range codeRow.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// declaredCodes lists the constants of type Code in decisions/reason.go.
func declaredCodes(t *testing.T) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "decisions/reason.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		if typ, named := spec.Type.(*ast.Ident); named && typ.Name == "Code" {
			for _, v := range spec.Values {
				code, err := strconv.Unquote(v.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, code)
			}
		}
		return true
	})
	return all
}

// policyCodes lists the codes of the default policy: the rows of the stage table, and
// what other rules name.
func policyCodes(t *testing.T) []string {
	t.Helper()
	var data struct {
		StageTable map[string]any `yaml:"stage_table"`
	}
	if err := yaml.Unmarshal(read(t, "rego/policy/writ/data.yaml"), &data); err != nil {
		t.Fatal(err)
	}
	all := slices.Collect(maps.Keys(data.StageTable))
	rules, err := filepath.Glob(filepath.Join(root, "rego/policy/writ/*.rego"))
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range rules {
		if strings.HasSuffix(rule, "_test.rego") {
			continue
		}
		content, err := os.ReadFile(rule)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ruleCode.FindAllSubmatch(content, -1) {
			all = append(all, string(m[1]))
		}
	}
	return all
}

func sameCodes(t *testing.T, whose string, documented, declared []string) {
	t.Helper()
	if len(declared) == 0 {
		t.Fatalf("%s reason codes: none found, so this proved nothing", whose)
	}
	for _, code := range declared {
		if !slices.Contains(documented, code) {
			t.Errorf("docs/reason-codes.md: %s code %s is not listed", whose, code)
		}
	}
	for _, code := range documented {
		if !slices.Contains(declared, code) {
			t.Errorf("docs/reason-codes.md: %s is listed among %s codes and is none", code, whose)
		}
	}
}
