package rego

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/policy.md names every input, shows the table as it is, and its rules load.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(b)
	for _, f := range fields() {
		if !strings.Contains(page, "`input."+f.path+"`") {
			t.Errorf("input.%s is not in docs/policy.md", f.path)
		}
		for _, word := range f.words {
			if !strings.Contains(page, "`"+word+"`") {
				t.Errorf("%q of input.%s is not in docs/policy.md", word, f.path)
			}
		}
	}
	s, found := readSource(Default())
	if len(found) > 0 {
		t.Fatal(found)
	}
	for row, cells := range s.writData("stage_table").(map[string]any) {
		line := regexp.MustCompile("(?m)^\\| `" + row + "` \\|[^|]*\\|(.*)\\|$").FindStringSubmatch(page)
		var want []string
		for _, stage := range s.stages() {
			want = append(want, cells.(map[string]any)[stage].(string))
		}
		if line == nil || strings.TrimSpace(line[1]) != strings.Join(want, " | ") {
			t.Errorf("row %s: docs/policy.md says %q; the table says %v", row, line, want)
		}
	}
	blocks := regexp.MustCompile("(?s)```rego\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Error("docs/policy.md shows no rule")
	}
	for i, block := range blocks {
		fsys := policyOf("")
		fsys["writ/rules.rego"].Data = []byte(block[1])
		if _, err := Load(t.Context(), fsys, Options{}); err != nil {
			t.Error(fmt.Errorf("block %d: %w", i, err))
		}
	}
}
