package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/rego"
)

var errFull = errors.New("no space left")

// full is a disk with room for so many bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// A command whose output is lost has failed, and says so: what a script pipes on
// would otherwise be an empty list of findings.
func TestLostOutputIsNoSuccess(t *testing.T) {
	dir := t.TempDir()
	sample, err := catalog.Sample()
	if err != nil {
		t.Fatal(err)
	}
	list := fstest.MapFS{"list.json": {Data: []byte(`{"tools": [{"name": "a", "inputSchema": {}}]}`)}}
	if err := errors.Join(os.CopyFS(filepath.Join(dir, "c"), sample), os.CopyFS(filepath.Join(dir, "p"), rego.Default()), os.CopyFS(dir, list)); err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(dir, "list.json")
	for _, args := range [][]string{
		{"version"}, {"--help"}, {"toolset", "fingerprint", tools}, {"toolset", "fingerprint", tools, "-o", "json"},
		{"toolset", "diff", tools, tools}, {"catalog", "check", filepath.Join(dir, "c")}, {"policy", "check", filepath.Join(dir, "p")},
		{"policy", "test", filepath.Join(dir, "p")}, {"review", "init", "--server", "s", tools}, {"review", "status", filepath.Join(dir, "c")},
	} {
		for _, room := range []int{0, 3} {
			var says bytes.Buffer
			code := run(t.Context(), args, streams{strings.NewReader(""), &full{room}, &says})
			if code != exitFailed || strings.Count(says.String(), errFull.Error()) != 1 {
				t.Errorf("%v with room for %d bytes: exit %d, %q", args, room, code, says.String())
			}
		}
	}
}

// A command that reads from who does not write ends all the same when it is told to.
func TestInterruptEndsWhatWaits(t *testing.T) {
	never, held := io.Pipe()
	defer held.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var says bytes.Buffer
	code := run(ctx, []string{"toolset", "fingerprint", "-"}, streams{never, io.Discard, &says})
	if code != exitFailed || !strings.Contains(says.String(), "interrupted") {
		t.Errorf("exit %d, %q", code, says.String())
	}
}

func TestReviewInitWantsNames(t *testing.T) {
	for _, args := range [][]string{{"--server="}, {"--server= "}, {"--server", "s", "--workspace="}} {
		var says, out bytes.Buffer
		in := strings.NewReader(`{"tools": []}`)
		code := run(t.Context(), append([]string{"review", "init", "-"}, args...), streams{in, &out, &says})
		if code != exitUsage || !strings.Contains(says.String(), "is empty: expected a name") || strings.Contains(out.String(), "server:") {
			t.Errorf("%v: exit %d, %q", args, code, says.String())
		}
	}
}
