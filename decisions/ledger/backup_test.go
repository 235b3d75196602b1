package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// backupTest backs up, and verifies what came out by the log's own public key.
func backupTest(t *testing.T, o Options, to string) (BackupReport, Report) {
	t.Helper()
	b, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: to})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Verify(t.Context(), VerifyOptions{Dir: to, KeyDir: o.Dir + ".keys"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Entries != b.Entries || r.Signed != b.Signed || r.TornBytes != 0 {
		t.Fatalf("the backup says %+v, Verify %+v", b, r)
	}
	return b, r
}

// appendBlobs appends decisions that name a blob each.
func appendBlobs(t *testing.T, l *Ledger, from, n int) {
	t.Helper()
	for i := from; i < from+n; i++ {
		name, err := l.PutBlob(fmt.Append(nil, "blob ", i))
		if err != nil {
			t.Fatal(err)
		}
		d := &ledgerv1.Decision{ToolsetChangesSha256: name, Inputs: make([]byte, 20_000)}
		if _, err := l.Append(decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}})}); err != nil {
			t.Fatal(err)
		}
	}
}

// A second backup into the same directory adds what is new and no more.
func TestBackupAddsWhatIsNew(t *testing.T) {
	l := openTest(t, testOptions(t))
	to := filepath.Join(t.TempDir(), "backup")
	appendBlobs(t, l, 0, 40)
	mustCheckpoint(t, l)
	first, _ := backupTest(t, l.opts, to)
	if first.Entries != l.Size() || first.Blobs != 40 || first.Segments < 2 {
		t.Fatalf("%+v of %d entries", first, l.Size())
	}
	if again, _ := backupTest(t, l.opts, to); again.Segments != 0 || again.Blobs != 0 || again.Entries != first.Entries {
		t.Errorf("nothing is new, and it wrote %+v", again)
	}
	appendBlobs(t, l, 35, 10)
	mustCheckpoint(t, l)
	if more, _ := backupTest(t, l.opts, to); more.Entries != l.Size() || more.Blobs != 5 || more.Segments != 1 {
		t.Errorf("10 entries and 5 blobs are new, and it wrote %+v", more)
	}
	appendBlobs(t, l, 45, 40)
	mustCheckpoint(t, l)
	if _, r := backupTest(t, l.opts, to); r.Segments != len(l.segments.view()) || r.Checkpoints != r.Segments {
		t.Errorf("%d segments, %d checkpoints, of %d segments", r.Segments, r.Checkpoints, len(l.segments.view()))
	}
}

// mustCheckpoint waits for one of all that there is.
func mustCheckpoint(t *testing.T, l *Ledger) {
	t.Helper()
	if _, err := l.checkpointer.covering(t.Context(), l.Size()); err != nil {
		t.Fatal(err)
	}
}

// Backups of a log that is being written verify, and hold what was signed when they began.
func TestBackupWhileRunning(t *testing.T) {
	l := openTest(t, testOptions(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if _, err := l.Append(call{tool: "t", filler: 2000}.proposal(t)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	to := filepath.Join(t.TempDir(), "backup")
	for range 8 {
		signed := l.checkpointer.signed.Load()
		if b, _ := backupTest(t, l.opts, to); b.Entries < signed {
			t.Errorf("%d entries, %d were signed before", b.Entries, signed)
		}
	}
	cancel()
	<-done
}

// No service starts on a backup, and none on a copy that was cut short, which does not
// verify either. Another log's backup, a log, and a log that went back are refused.
func TestBackupRefuses(t *testing.T) {
	o := stored(t)
	root := t.TempDir()
	to := filepath.Join(root, "backup")
	backupTest(t, o, to)
	started := o
	started.Dir = to
	if _, err := Open(t.Context(), started); !errors.Is(err, ErrBackup) || !strings.Contains(fmt.Sprint(err), "writ log restore") {
		t.Errorf("a start on a backup: %v", err)
	}
	other := stored(t)
	if _, err := Backup(t.Context(), BackupOptions{Dir: other.Dir, To: to}); !errors.Is(err, ErrDamaged) {
		t.Errorf("into another log's backup: %v", err)
	}
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: other.Dir}); !errors.Is(err, ErrBackup) {
		t.Errorf("into a log: %v", err)
	}
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: to, KeysTo: filepath.Join(to, "keys")}); !errors.Is(err, ErrOptions) {
		t.Errorf("keys beside what they sign: %v", err)
	}
	lock, err := osFS{}.Lock(filepath.Join(to, "LOCK"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: to}); !errors.Is(err, ErrInUse) {
		t.Errorf("two at once: %v", err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	older := copyOf(t, o)
	l := openTest(t, o)
	appendN(t, l, 3)
	closeTest(t, l)
	backupTest(t, o, to)
	if _, err := Backup(t.Context(), BackupOptions{Dir: older.Dir, To: to}); !errors.Is(err, ErrRolledBack) {
		t.Errorf("of a log that went back: %v", err)
	}
	if err := os.WriteFile(filepath.Join(to, unfinishedMark), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), started); !errors.Is(err, ErrUnfinished) {
		t.Errorf("a start on half a copy: %v", err)
	}
	if _, err := Verify(t.Context(), VerifyOptions{Dir: to, KeyDir: o.KeyDir}); !errors.Is(err, ErrUnfinished) {
		t.Errorf("half a copy verifies: %v", err)
	}
	backupTest(t, o, to)
}

// Keys go to a place of their own, without the anchor.
func TestBackupOfKeys(t *testing.T) {
	o := stored(t)
	root := t.TempDir()
	keys := filepath.Join(root, "keys")
	b, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: filepath.Join(root, "backup"), KeysTo: keys})
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(keys)
	if err != nil || len(files) != 3 || b.Keys != 3 {
		t.Errorf("%v, %v, report %d", files, err, b.Keys)
	}
	if _, err := loadKeys(osFS{}, keys); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(keys, "anchor")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the anchor was copied: %v", err)
	}
}

// A backup that is cut short at any operation of the disk, with or without a power cut,
// is whole as it was before, or says that it is not; run again, it is whole.
func TestBackupCutShort(t *testing.T) {
	t.Parallel()
	o, disk := testOptions(t), newSimDisk()
	size := growOn(t, o, disk, 0)
	to := filepath.Join(t.TempDir(), "backup")
	had, short := uint64(0), 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 7))
		cause := []error{syscall.EIO, syscall.ENOSPC}[seed%2]
		disk.fault = after(r.IntN([]int{25, 60, 300}[r.IntN(3)]), cause)
		_, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: to, FS: disk})
		if err != nil && !errors.Is(err, cause) || err != nil && errors.Is(cause, syscall.ENOSPC) && !errors.Is(err, ErrNoSpace) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err != nil {
			short++
		}
		disk.fault = nil
		if errors.Is(cause, syscall.EIO) {
			disk = disk.crash(r)
		}
		got, failed := Verify(t.Context(), VerifyOptions{Dir: to, KeyDir: o.Dir + ".keys", FS: disk})
		if failed == nil && got.Entries < had || failed != nil && had > 0 {
			t.Fatalf("seed %d: it had %d entries; backed up with %v, then verified with %v: %+v", seed, had, err, failed, got)
		}
		if failed == nil && had == 0 && got.Entries != size {
			t.Fatalf("seed %d: half a first copy verifies: %d entries of %d", seed, got.Entries, size)
		}
		again, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: to, FS: disk})
		if err != nil || again.Entries != size {
			t.Fatalf("seed %d, again: %+v, %v", seed, again, err)
		}
		had = size
		if seed%3 == 0 {
			disk.removeAll(to)
			had = 0
		}
		size = growOn(t, o, disk, int(seed+1)*10)
	}
	if short < 10 {
		t.Errorf("only %d of the backups were cut short", short)
	}
}

// growOn appends to a log on a simulated disk, and returns how many entries it has.
func growOn(t *testing.T, o Options, disk *simDisk, from int) uint64 {
	t.Helper()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendBlobs(t, l, from, 10)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return l.Size()
}

// after lets so many operations pass that change the disk, and fails the others.
func after(left int, cause error) func(op, name string) error {
	return func(op, _ string) error {
		if op == "read" || op == "open" {
			return nil
		}
		if left--; left < 0 {
			return cause
		}
		return nil
	}
}

// removeAll forgets a directory and all that is in it.
func (d *simDisk) removeAll(dir string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, names := range []map[string]*inode{d.now, d.durable} {
		maps.DeleteFunc(names, func(name string, _ *inode) bool { return name == dir || strings.HasPrefix(name, dir+"/") })
	}
}
