package catalog

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/catalog.md and Help say the same of each code.
func TestHelpIsDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/catalog.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "## Findings")
	help := Help()
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*`) \\| (.*) \\|$").FindAllStringSubmatch(section, -1) {
		for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[1], -1) {
			if help[code[1]] != row[2] {
				t.Errorf("%s: Help says %q, docs/catalog.md %q", code[1], help[code[1]], row[2])
			}
			delete(help, code[1])
		}
	}
	for code := range help {
		t.Errorf("docs/catalog.md does not list %s", code)
	}
}
