package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// A segment's header is durable before its first batch: a power cut at that batch
// never leaves a segment without a header.
func TestCrashAtNewSegment(t *testing.T) {
	for seed := range uint64(20) {
		o := testOptions(t)
		disk := newSimDisk()
		o.FS = disk
		l, err := Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var said []decisions.Receipt
		writes := 0 // of zeros, of the header, of the first batch
		disk.mu.Lock()
		disk.fault = func(op, name string) error {
			if op == "write" && filepath.Base(name) == "00000001.seg" {
				writes++
			} else if writes == 3 {
				return syscall.EIO
			}
			return nil
		}
		disk.mu.Unlock()
		for err == nil {
			var receipt decisions.Receipt
			if receipt, err = l.Append(call{tool: "t", filler: 30_000}.proposal(t)); err == nil {
				said = append(said, receipt)
			}
		}
		_ = l.Close()
		o.FS = disk.crash(rand.New(rand.NewPCG(seed, 3)))
		l, err = Open(context.Background(), o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, want := range said {
			if got, err := l.Entry(want.Sequence); err != nil || got.Leaf != want.Leaf {
				t.Fatalf("acknowledged entry %d: %x, %v, expected %x", want.Sequence, got.Leaf, err, want.Leaf)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What a torn batch left is gone for good, though the start that zeroed it could not
// sync: the next one reads zeros, which the disk need not have (R31).
func TestCrashAfterUnsyncedZeros(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		disk, o := newSimDisk(), testOptions(t)
		o.FS = disk
		l, err := Open(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		disk.failOn("datasync", ".seg", syscall.EIO)
		if _, err := l.Append(call{tool: "t", filler: 30_000}.proposal(t)); err == nil {
			t.Fatal("acknowledged without a sync")
		}
		_ = l.Close()
		disk = disk.crash(r)
		syncs := 0
		disk.fault = func(op, name string) error { // the second: after what was found there
			if op == "sync" && strings.HasSuffix(name, ".seg") {
				if syncs++; syncs == 2 {
					return syscall.EIO
				}
			}
			return nil
		}
		o.FS = disk
		if _, err = Open(context.Background(), o); err == nil {
			t.Fatal("started though the zeros were not synced")
		}
		disk = disk.exit(r)
		o.FS = disk
		if l, err = Open(context.Background(), o); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		o.FS = disk.crash(r)
		report, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir, FS: o.FS})
		if err != nil || report.TornBytes != 0 {
			t.Fatalf("seed %d: %d torn bytes, %v, expected none", seed, report.TornBytes, err)
		}
	}
}

// A failed write or sync of the log is final: no answer, and Done says so.
func TestDiskErrorIsFinal(t *testing.T) {
	for _, op := range []string{"write", "datasync"} {
		for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
			t.Run(fmt.Sprint(op, cause), func(t *testing.T) {
				o := testOptions(t)
				disk := newSimDisk()
				o.FS = disk
				l, err := Open(context.Background(), o)
				if err != nil {
					t.Fatal(err)
				}
				before := l.Size()
				disk.failOn(op, ".seg", cause)
				if _, err := l.Append(call{tool: "t"}.proposal(t)); !errors.Is(err, ErrFailed) || !errors.Is(err, cause) {
					t.Errorf("got %v, expected ErrFailed by %v", err, cause)
				}
				<-l.Done()
				disk.failOn("", "", nil)
				if _, err := l.Append(call{tool: "t"}.proposal(t)); !errors.Is(err, ErrFailed) {
					t.Errorf("afterwards: got %v, expected ErrFailed", err)
				}
				if l.Size() != before {
					t.Errorf("the size went from %d to %d", before, l.Size())
				}
				if err := l.Close(); !errors.Is(err, ErrFailed) {
					t.Errorf("close: got %v, expected ErrFailed", err)
				}
			})
		}
	}
}

// Below the reserve nothing is appended; it goes on by itself when there is room.
func TestSpace(t *testing.T) {
	o := testOptions(t)
	disk := newSimDisk()
	o.FS, o.ReserveBytes = disk, 2*indexNeeds
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		free uint64
		want error
	}{{2 * indexNeeds, nil}, {2*indexNeeds - 1, ErrNoSpace}, {2 * indexNeeds, nil}} {
		disk.mu.Lock()
		disk.free = step.free
		disk.mu.Unlock()
		l.space.check()
		if _, err := l.Append(call{tool: "t"}.proposal(t)); !errors.Is(err, step.want) {
			t.Errorf("%d bytes free: got %v, expected %v", step.free, err, step.want)
		}
		if _, err := l.PutBlob([]byte("x")); !errors.Is(err, step.want) {
			t.Errorf("%d bytes free: blob: got %v, expected %v", step.free, err, step.want)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// powerCut fails every operation from a random one on.
func powerCut(r *rand.Rand) func(op, name string) error {
	left := r.IntN(400)
	return func(string, string) error {
		if left--; left < 0 {
			return syscall.EIO
		}
		return nil
	}
}
