package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The pages are run as they stand: each line of a shell block is a command, and succeeds
// unless it ends with "# exit N"; a YAML block whose first line names a file is that file.
func TestReviewAServer(t *testing.T)      { follow(t, "../../docs/review-a-server.md") }
func TestWhenAServerChanged(t *testing.T) { follow(t, "../../docs/when-a-server-changed.md") }

// follow does what a page says.
func follow(t *testing.T, file string) {
	t.Helper()
	requireNode(t)
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	for _, block := range regexp.MustCompile("(?ms)^```(sh|yaml)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		text := string(block[2])
		switch {
		case string(block[1]) == "yaml":
			r.write(t, text)
		case strings.HasPrefix(text, "writ serve "):
			t.Cleanup(r.serve(t, strings.TrimSpace(text)))
		default:
			for line := range strings.Lines(text) {
				r.run(t, strings.TrimSpace(line))
			}
		}
	}
}

// reader follows the page in an empty directory, with the binary on the path.
type reader struct {
	dir         string
	address     string
	environment []string
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{dir: t.TempDir()}
	bin := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "writ"), ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	// A socket in a short path, so that the page's port need not be free.
	sockets, err := os.MkdirTemp("", "writ") //nolint:usetesting // a socket's path has at most 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	r.address = "unix:" + filepath.Join(sockets, "s")
	r.environment = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"WRIT_LISTEN="+r.address, "WRIT_ADDRESS="+r.address, "npm_config_before="+npmBefore)
	return r
}

func (r *reader) shell(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = r.dir, r.environment
	return cmd
}

func (r *reader) run(t *testing.T, line string) {
	t.Helper()
	want := 0
	if _, code, said := strings.Cut(line, "# exit "); said {
		want, _ = strconv.Atoi(code)
	}
	cmd := r.shell(t.Context(), line)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("%s\nexit %d, want %d:\n%s", line, got, want, out)
	}
}

func (r *reader) write(t *testing.T, text string) {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n")
	name, named := strings.CutPrefix(first, "# ")
	if !named {
		t.Fatalf("a YAML block starts with # and its file's name, not %q", first)
	}
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serve starts the service and returns when it listens; the returned function stops it.
func (r *reader) serve(t *testing.T, line string) (stop func()) {
	t.Helper()
	logged := &servingLog{address: make(chan string, 1)}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := r.shell(ctx, "exec "+line)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stderr = logged
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-logged.address:
	case err := <-ended:
		cancel()
		t.Fatalf("%s: %v\n%s", line, err, &logged.text)
	}
	return func() {
		cancel()
		<-ended
		if !bytes.Contains(logged.text.Bytes(), []byte("ledger closed")) {
			t.Errorf("%s did not stop in order:\n%s", line, &logged.text)
		}
	}
}
