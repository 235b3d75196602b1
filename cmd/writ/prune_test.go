package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// longlog makes a log of several small files, as much use would.
func longlog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: longlog DIR")
	}
	ts.Check(makeLongLog(ts.MkAbs(args[0])))
}

func makeLongLog(dir string) error {
	l, err := ledger.Open(context.Background(), ledger.Options{Dir: dir, SegmentBytes: 512 << 10, ReserveBytes: 1})
	if err != nil {
		return err
	}
	for i := range 150 {
		name, err := l.PutBlob(fmt.Append(nil, "changes ", i))
		if err != nil {
			return err
		}
		body, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
			Tool: fmt.Sprint("tool", i), ToolsetChangesSha256: name, Inputs: bytes.Repeat([]byte{' '}, 20_000),
		}}})
		if err != nil {
			return err
		}
		if _, err := l.Append(decisions.Proposal{Body: body}); err != nil {
			return err
		}
	}
	return l.Close()
}

// A prune that is killed at any step leaves a log that verifies, before it or after it,
// and the next one finishes it: nothing is left of what went, and the archive has it.
func TestKilledPrune(t *testing.T) {
	writ, err := exec.LookPath("writ")
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	if err := makeLongLog(whole); err != nil {
		t.Fatal(err)
	}
	for _, when := range []struct {
		file  string // kill when it is there, or (gone) is not any more
		gone  bool
		begun bool // the log's beginning may have moved
	}{
		{file: "kept/tile"},
		{file: "kept/checkpoint"},
		{file: "data/log/begin", begun: true},
		{file: "data/log/00000000.seg", gone: true, begun: true},
	} {
		t.Run(strings.ReplaceAll(when.file, "/", "-"), func(t *testing.T) {
			dir := t.TempDir()
			for from, to := range map[string]string{whole: "data", whole + ".keys": "data.keys"} {
				if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(from)); err != nil {
					t.Fatal(err)
				}
			}
			run := func(args ...string) *exec.Cmd {
				cmd := exec.CommandContext(t.Context(), writ, args...) //nolint:gosec // the binary under test
				cmd.Dir = dir
				return cmd
			}
			prune := []string{"log", "prune", "data", "--keep-bytes", "1MiB", "--archive", "kept"}
			killed := run(prune...)
			if err := killed.Start(); err != nil {
				t.Fatal(err)
			}
			killWhen(t, killed, func() bool {
				_, err := os.Stat(filepath.Join(dir, when.file))
				return os.IsNotExist(err) == when.gone
			})
			out := succeeds(t, run("log", "verify", "data"))
			if pruned := strings.Contains(out, "were pruned"); pruned && !when.begun {
				t.Errorf("it was killed at %s and is pruned: %s", when.file, out)
			}
			succeeds(t, run(prune...))
			if out := succeeds(t, run("log", "verify", "data")); !strings.Contains(out, "were pruned") {
				t.Errorf("it was not finished: %s", out)
			}
			succeeds(t, run("log", "verify", "kept", "--keys", "data.keys"))
			if left, err := filepath.Glob(filepath.Join(dir, "data/log/*.seg")); err != nil || len(left) > 3 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

// killWhen kills a process at a condition, or finds that it was quicker.
func killWhen(t *testing.T, cmd *exec.Cmd, due func() bool) {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(200 * time.Microsecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-look.C:
			if due() {
				_ = cmd.Process.Kill()
				<-ended
				return
			}
		}
	}
}

func succeeds(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args[1:], err, out)
	}
	return string(out)
}

func TestAmounts(t *testing.T) {
	var a age
	var b byteSize
	var m moment
	for _, c := range []struct {
		text string
		into interface{ UnmarshalText([]byte) error }
		want func() bool // nil: refused
	}{
		{"400d", &a, func() bool { return time.Duration(a) == 400*24*time.Hour }},
		{"36h", &a, func() bool { return time.Duration(a) == 36*time.Hour }},
		{"0d", &a, func() bool { return a == 0 }},
		{"-1h", &a, nil},
		{"4294967295d", &a, nil},
		{"d", &a, nil},
		{"400", &a, nil},
		{"100GiB", &b, func() bool { return b == 100<<30 }},
		{"1048576", &b, func() bool { return b == 1<<20 }},
		{"1TiB", &b, func() bool { return b == 1<<40 }},
		{"9000000TiB", &b, nil},
		{"100GB", &b, nil},
		{"-1", &b, nil},
		{"2026-01-31", &m, func() bool { return m.before(time.Time{}).Equal(time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)) }},
		{"2d", &m, func() bool { return m.before(time.Unix(2*86400, 0)).Equal(time.Unix(0, 0)) }},
		{"tomorrow", &m, nil},
	} {
		err := c.into.UnmarshalText([]byte(c.text))
		if (err == nil) != (c.want != nil) || err == nil && !c.want() {
			t.Errorf("%s: %v, %v %v %v", c.text, err, a, b, m)
		}
	}
}
