package catalog

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// docs/catalog.md lists the codes of findings that there are, and no others.
func TestDocumentedCodes(t *testing.T) {
	source, err := os.ReadFile("findings.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "## Findings")
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\|").FindAllStringSubmatch(section, -1) {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			documented[code[1]] = true
		}
	}
	for _, code := range regexp.MustCompile(`code\w+ += "([a-z_]+)"`).FindAllStringSubmatch(string(source), -1) {
		if !documented[code[1]] {
			t.Errorf("docs/catalog.md does not list %s", code[1])
		}
		delete(documented, code[1])
	}
	for code := range documented {
		t.Errorf("docs/catalog.md lists %s, which nothing reports", code)
	}
}

// The files that docs/catalog.md shows load.
func TestDocumentedFilesLoad(t *testing.T) {
	doc, err := os.ReadFile("../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("sample/toolsets/mail.json")
	if err != nil {
		t.Fatal(err)
	}
	review, err := os.ReadFile("sample/reviews/mail.yaml")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(doc, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d files are shown, want a review and a release", len(blocks))
	}
	for name, fsys := range map[string]fstest.MapFS{
		"review":  {"reviews/mail.yaml": {Data: blocks[0][1]}},
		"release": {"reviews/mail.yaml": {Data: review}, "releases/a.yaml": {Data: blocks[1][1]}},
	} {
		fsys["toolsets/mail.json"] = &fstest.MapFile{Data: list}
		for _, f := range Check(fsys, today()) {
			t.Errorf("%s: %s", name, f)
		}
	}
}

// Too many findings end with how many there are.
func TestFindingsAreBounded(t *testing.T) {
	var fs findings
	for i := range mostFindings + 5 {
		fs.add(Finding{File: "a", Line: i})
	}
	list := fs.sorted()
	if len(list) != mostFindings+1 || !strings.Contains(list[mostFindings].Message, "5 more") {
		t.Errorf("got %d, the last one %v", len(list), list[len(list)-1])
	}
}

func TestFindingString(t *testing.T) {
	for want, f := range map[string]Finding{
		"a.yaml:3:5: error: m; f [c]": {File: "a.yaml", Line: 3, Column: 5, Code: "c", Message: "m", Fix: "f"},
		"a.yaml: warning: m; f [c]":   {Severity: Warning, File: "a.yaml", Code: "c", Message: "m", Fix: "f"},
	} {
		if got := f.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
