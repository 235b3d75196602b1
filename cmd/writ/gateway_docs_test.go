package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The gateway of docs/gateway.md is built and run against the sample as it stands, and
// prints what the page says.
func TestWriteAGateway(t *testing.T) {
	page, err := os.ReadFile("../../docs/gateway.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllSubmatch(page, -1)
	said := regexp.MustCompile("(?ms)^It prints\n\n```\n(.*?)^```$").FindSubmatch(page)
	if len(blocks) != 2 || said == nil {
		t.Fatalf("the page has %d blocks of Go and says it prints %q", len(blocks), said)
	}
	dir := t.TempDir()
	files := []string{"run"}
	for i, block := range blocks {
		file := filepath.Join(dir, []string{"main.go", "list.go"}[i])
		if err := os.WriteFile(file, block[1], 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	r := newReader(t)
	t.Cleanup(r.serve(t, "writ demo"))
	cmd := exec.CommandContext(t.Context(), "go", append(files, r.address, "../../catalog/sample/toolsets/mail.json")...) //nolint:gosec // the page's own program
	var failed bytes.Buffer
	cmd.Stderr = &failed
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &failed)
	}
	if diff := cmp.Diff(string(said[1]), string(printed)); diff != "" {
		t.Error(diff)
	}
}
