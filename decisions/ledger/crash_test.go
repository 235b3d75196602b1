package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// acknowledged is what callers were told.
type acknowledged struct {
	mu       sync.Mutex
	receipts []decisions.Receipt
	blobs    []string
}

// R31: whatever a crash loses, what was acknowledged is there again. Each schedule
// crashes a few times at a random disk operation, also within recovery.
func TestCrash(t *testing.T) {
	schedules := 30
	if testing.Short() {
		schedules = 10
	}
	for seed := range uint64(schedules) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { crashSchedule(t, seed) })
	}
}

func crashSchedule(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	o := testOptions(t)
	o.CheckpointInterval, o.CheckpointEntries = 4, 1 // as often as can be
	disk := newSimDisk()
	var said acknowledged
	for range 4 {
		o.FS = disk
		disk.fault = powerCut(r)
		l, err := Open(context.Background(), o)
		if err == nil {
			work(t, l, r, &said)
			_ = l.Close() // the disk is gone
		} else if !errors.Is(err, syscall.EIO) {
			t.Fatalf("after a crash: %v", err)
		}
		disk = disk.crash(r)
		if r.IntN(2) == 0 { // the index is not synced: it may be lost
			if err := os.RemoveAll(filepath.Join(o.Dir, "index")); err != nil {
				t.Fatal(err)
			}
		}
	}
	o.FS = disk
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatalf("after the last crash: %v", err)
	}
	said.check(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir, FS: disk}); err != nil {
		t.Fatal(err)
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

// work appends until the disk is gone or enough is done.
func work(t *testing.T, l *Ledger, r *rand.Rand, said *acknowledged) {
	var wg sync.WaitGroup
	for range 4 {
		seed := r.Uint64()
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for i := range 40 {
				if i%10 == 0 {
					said.putBlob(l, r)
				}
				c := call{tool: fmt.Sprint(i), key: fmt.Sprint(r.IntN(5)), request: fmt.Sprint(r.IntN(2)), outcome: decisions.Outcome(r.IntN(4)), life: 3600e9, filler: r.IntN(6000)}
				receipt, err := l.Append(c.proposal(t))
				if err != nil {
					return
				}
				said.mu.Lock()
				said.receipts = append(said.receipts, receipt)
				said.mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func (a *acknowledged) putBlob(l *Ledger, r *rand.Rand) {
	name, err := l.PutBlob(fmt.Append(nil, r.IntN(50)))
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blobs = append(a.blobs, name)
}

func (a *acknowledged) check(t *testing.T, l *Ledger) {
	for _, want := range a.receipts {
		got, err := l.Entry(want.Sequence)
		if err != nil {
			t.Fatalf("acknowledged entry %d: %v", want.Sequence, err)
		}
		if got.Leaf != want.Leaf {
			t.Fatalf("acknowledged entry %d is another one now", want.Sequence)
		}
	}
	for _, name := range a.blobs {
		if _, err := l.Blob(name); err != nil {
			t.Fatalf("acknowledged blob: %v", err)
		}
	}
}

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
		var said acknowledged
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
				said.receipts = append(said.receipts, receipt)
			}
		}
		_ = l.Close()
		o.FS = disk.crash(rand.New(rand.NewPCG(seed, 3)))
		l, err = Open(context.Background(), o)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		said.check(t, l)
		if err := l.Close(); err != nil {
			t.Fatal(err)
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

// failOn makes one kind of operation fail on files with a suffix.
func (d *simDisk) failOn(op, suffix string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = nil
	if err == nil {
		return
	}
	d.fault = func(o, name string) error {
		if o == op && len(name) >= len(suffix) && name[len(name)-len(suffix):] == suffix {
			return err
		}
		return nil
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
