package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// withBlobs appends entries of which each names a blob of its own, and one that all
// share, and returns the receipts and the names.
func withBlobs(t *testing.T, l *Ledger, n int) ([]decisions.Receipt, []string) {
	t.Helper()
	var receipts []decisions.Receipt
	var names []string
	shared, err := l.PutBlob([]byte("shared"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		name, err := l.PutBlob(fmt.Append(nil, "blob ", i))
		if err != nil {
			t.Fatal(err)
		}
		files, err := proto.Marshal(&ledgerv1.FileList{Files: []*ledgerv1.File{{Path: "a", Sha256: name}, {Path: "b", Sha256: shared}}})
		if err != nil {
			t.Fatal(err)
		}
		list, err := l.PutBlob(files)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []*ledgerv1.Entry{
			{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{FilesSha256: list}}},
			{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Inputs: make([]byte, 40_000)}}},
		} {
			r, err := l.Append(decisions.Proposal{Body: marshal(t, e)})
			if err != nil {
				t.Fatal(err)
			}
			receipts = append(receipts, r)
		}
		names = append(names, name)
	}
	l.recent = recentBlobs{} // as if it were long ago
	return receipts, names
}

// Whatever a crash interrupts of a prune, the log is whole before or after it; the next
// start finishes it; what was acknowledged and remains is there; and nothing is left of
// what went.
func TestPruneCrash(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	o := testOptions(t)
	disk := newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	receipts, names := withBlobs(t, l, 40)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 7))
	whole := pruneUntil(t, o, disk.crash(r), 1<<30, receipts, r)
	step := 7
	if testing.Short() {
		step = 23
	}
	before, after := 0, 0
	for n := 0; n < whole.ops+step; n += step {
		got := pruneUntil(t, o, disk.crash(r), n, receipts, r)
		if got.first == 0 {
			before++
		} else {
			after++
		}
	}
	if before == 0 || after < 2 || whole.first == 0 {
		t.Errorf("%d crashes left it as it was, %d did not: this proves little", before, after)
	}
	for i, name := range names {
		_, err := whole.disk.OpenFile(blobPath(filepath.Join(o.Dir, "blobs"), name), readOnly, 0)
		// The last activation that was pruned stays, with what it names.
		if kept := receipts[2*i].Sequence+2 >= whole.first; kept != (err == nil) {
			t.Errorf("the blob of entry %d, where the log begins with %d: %v", receipts[2*i].Sequence, whole.first, err)
		}
	}
}

type pruneCrash struct {
	first uint64
	ops   int
	disk  *simDisk
}

// pruneUntil prunes a log on a disk that fails from the n-th operation on, crashes, and
// starts again.
func pruneUntil(t *testing.T, o Options, disk *simDisk, n int, receipts []decisions.Receipt, r *rand.Rand) pruneCrash {
	t.Helper()
	removeAll(t, filepath.Join(o.Dir, "index"))
	o.FS, o.CheckpointInterval = disk, 100*time.Millisecond
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ops := 0
	disk.mu.Lock()
	disk.fault = func(string, string) error {
		if ops++; ops > n {
			return syscall.EIO
		}
		return nil
	}
	disk.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	disk.onFault(cancel) // or a checkpoint that can't be written is waited for
	if _, err := l.Prune(ctx, pruneAll()); err != nil && n == 1<<30 {
		t.Fatal(err)
	}
	cancel()
	_ = l.Close() // the disk is gone
	disk = disk.crash(r)
	if r.IntN(2) == 0 {
		removeAll(t, filepath.Join(o.Dir, "index"))
	}
	return pruneCrash{startPruned(t, o, disk, receipts), ops, disk}
}

// startPruned starts again, and returns with which entry the log begins.
func startPruned(t *testing.T, o Options, disk *simDisk, receipts []decisions.Receipt) uint64 {
	t.Helper()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatalf("after a crash: %v", err)
	}
	if err := l.pruner.finish(t.Context()); err != nil {
		t.Errorf("finishing: %v", err)
	}
	for _, want := range receipts {
		got, err := l.Entry(want.Sequence)
		if pruned := want.Sequence < l.First(); pruned && !errors.Is(err, ErrPruned) || !pruned && (err != nil || got.Leaf != want.Leaf) {
			t.Errorf("entry %d where the log begins with %d: %x, %v", want.Sequence, l.First(), got.Leaf, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	report, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, FS: disk})
	if err != nil || report.First != l.First() || report.Entries != l.Size() {
		t.Errorf("verified %+v, %v, the log is of entries %d to %d", report, err, l.First(), l.Size())
	}
	if blobs := disk.files(l.opts.blobDir()); blobs != report.Blobs {
		t.Errorf("%d blobs are there, %d are named", blobs, report.Blobs)
	}
	if left, err := leftOver(disk, l.opts.logDir(), l.origin().segment); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
	return l.First()
}

func removeAll(t *testing.T, dir string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
}

// files counts what is below a directory, and was not left half written.
func (d *simDisk) files(dir string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	count := 0
	for name, n := range d.now {
		if strings.HasPrefix(name, dir+"/") && !n.dir && filepath.Ext(name) == "" {
			count++
		}
	}
	return count
}

// onFault calls a function at the first operation that fails.
func (d *simDisk) onFault(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fault := d.fault
	d.fault = func(op, name string) error {
		err := fault(op, name)
		if err != nil {
			do()
		}
		return err
	}
}
