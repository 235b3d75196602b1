package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions/ledger"
)

// docs/operate.md is run as it stands, the drill with kill -9 and restore included: a
// block that begins with writ serve starts the service, and each other line is a command
// that succeeds.
func TestOperate(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	r := newReader(t)
	var service *exec.Cmd
	t.Cleanup(func() { _ = service.Process.Kill(); _ = service.Wait() })
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllSubmatch(page, -1) {
		text := strings.TrimSpace(string(block[1]))
		if strings.HasPrefix(text, "writ serve ") {
			service = r.start(t, text)
			continue
		}
		for line := range strings.Lines(text) {
			r.run(t, strings.TrimSpace(line))
			if strings.HasPrefix(line, "kill ") {
				_ = service.Wait() // it was killed
			}
		}
	}
	if service == nil {
		t.Fatal("the page starts no service: this proves nothing")
	}
}

// What a start is refused with is on the page in just these words.
func TestRefusalsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, refusal := range []error{
		ledger.ErrInUse, ledger.ErrRolledBack, ledger.ErrDamaged, ledger.ErrBackup, ledger.ErrUnfinished,
		ledger.ErrKeys, ledger.ErrNoSpace, ledger.ErrNewer,
	} {
		if !strings.Contains(string(page), "| `"+refusal.Error()+"` |") {
			t.Errorf("docs/operate.md does not say what %q means", refusal)
		}
	}
}

// start starts the service and returns when it listens.
func (r *reader) start(t *testing.T, line string) *exec.Cmd {
	t.Helper()
	logged := &servingLog{address: make(chan string, 1)}
	ended := make(chan struct{})
	cmd := r.shell(context.WithoutCancel(t.Context()), "exec "+line)
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(ended)
		for b := make([]byte, 32<<10); ; {
			n, err := out.Read(b)
			if _, _ = logged.Write(b[:n]); err != nil {
				return
			}
		}
	}()
	select {
	case <-logged.address:
	case <-ended:
		t.Fatalf("%s\n%s", line, &logged.text)
	}
	return cmd
}
