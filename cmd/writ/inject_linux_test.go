package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
)

// injection is one system call that fails, from its n-th time in a thread on or once.
type injection struct {
	call, cause string
	when        string
}

// spellings are the system calls behind one name: which is used depends on the machine.
func (i injection) spellings() string {
	switch i.call {
	case "rename":
		return "rename,renameat,renameat2"
	case "mkdir":
		return "mkdir,mkdirat"
	case "ftruncate":
		return "ftruncate,fallocate"
	}
	return i.call
}

// words are what a person reads of the cause.
func (i injection) words() string {
	if i.cause == "ENOSPC" {
		return "no space left on device"
	}
	return "input/output error"
}

// R31 with a disk that fails beneath the real binary: whatever system call fails, what
// was answered is there at the next start, and a service that ends says why and what to
// do. When a call fails is counted by thread, of which several write, in few batches.
func TestInject(t *testing.T) {
	needStrace(t)
	for _, i := range []injection{
		{"pwrite64", "EIO", "6"}, {"pwrite64", "ENOSPC", "6"},
		{"fdatasync", "EIO", "2"}, {"fdatasync", "EIO", "4"},
		{"fsync", "EIO", "2"}, {"fsync", "ENOSPC", "6"},
		{"ftruncate", "EIO", "1"}, {"ftruncate", "ENOSPC", "2"},
		{"rename", "EIO", "1"}, {"rename", "ENOSPC", "2+"},
		{"mkdir", "EIO", "1"}, {"mkdir", "ENOSPC", "2"},
	} {
		inject(t, i, true)
	}
}

// The same at each of the first times that a thread makes the call, and for good.
func TestSoakInject(t *testing.T) {
	if os.Getenv("WRIT_SOAK") == "" {
		t.Skip("runs in make soak")
	}
	needStrace(t)
	for _, call := range []string{"pwrite64", "fdatasync", "fsync", "ftruncate", "rename", "mkdir"} {
		for _, cause := range []string{"EIO", "ENOSPC"} {
			for n := range 8 {
				inject(t, injection{call, cause, fmt.Sprint(n + 1)}, false)
				inject(t, injection{call, cause, fmt.Sprint(5*n+1, "+")}, false)
			}
		}
	}
}

// needStrace skips where a person has no strace, or may not trace; CI must.
func needStrace(t *testing.T) {
	t.Helper()
	out, err := exec.Command("strace", "-D", "-f", "-qq", "-o", "/dev/null", "true").CombinedOutput()
	if err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("strace does not run, and CI=true: disk errors beneath the real binary need it (Debian: apt-get install strace): %v\n%s", err, out)
	}
	t.Skip("strace does not run (Debian: apt-get install strace): ", err)
}

func inject(t *testing.T, i injection, must bool) {
	t.Run(fmt.Sprintf("%s %s %s", i.call, i.cause, i.when), func(t *testing.T) {
		v, k := newVictim(t), newKept()
		if i.call != "mkdir" { // which only a first start does
			v.start()
			if !v.ready() {
				t.Fatalf("%v\n%s", v.err, v.said)
			}
			k.load(v, 0, 50, v.kill)
		}
		trace := v.path("trace")
		v.start("strace", "-D", "-f", "-qq", "-o", trace, "-e", "trace="+i.spellings(), "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", i.spellings(), i.cause, i.when))
		if v.ready() {
			k.load(v, 1, 600, func() { _ = v.stop() })
		}
		<-v.gone
		if injected, err := os.ReadFile(trace); err != nil || must && !bytes.Contains(injected, []byte("INJECTED")) {
			t.Errorf("nothing failed: this proves nothing: %v", err)
		}
		i.told(t, v)
		v.start()
		if !v.ready() {
			t.Fatalf("the next start: %v\n%s", v.err, v.said)
		}
		if _, err := k.check(t.Context(), v, 0); err != nil {
			t.Error(err)
		}
		if err := v.stop(); err != nil {
			t.Errorf("the next stop: %v\n%s", err, v.said)
		}
	})
}

// told checks the last words of a service that ended by itself. Where Badger ends the
// process (it can't begin a file of its own), they are Badger's, and name the cause alone.
func (i injection) told(t *testing.T, v *victim) {
	t.Helper()
	if v.err == nil {
		return
	}
	last, nextStep := v.said.Bytes(), regexp.MustCompile(`look after the disk|free some space`)
	if at := bytes.LastIndex(append([]byte("\n"), last...), []byte("\nwrit: ")); at >= 0 {
		last = last[at:]
	} else if bytes.Contains(last, []byte("badger")) || bytes.Contains(last, []byte("index")) {
		nextStep = regexp.MustCompile("index")
	}
	t.Logf("%v: %s", v.err, last)
	if v.cmd.ProcessState.ExitCode() != exitFailed || !bytes.Contains(last, []byte(i.words())) || !nextStep.Match(last) {
		t.Errorf("its last words name no cause (%s) and next step: %v, %s", i.words(), v.err, last)
	}
}
