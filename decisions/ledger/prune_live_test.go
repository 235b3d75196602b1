package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// R31, R34: a log that is written, read and verified all the while is pruned by its
// retention: what is asked for is answered or was pruned, and never another thing.
func TestRetentionWhileRunning(t *testing.T) {
	o := testOptions(t)
	o.CheckpointInterval, o.CheckpointEntries = 50*time.Millisecond, 50
	o.Retention = Retention{Bytes: 4 * o.SegmentBytes, Archive: filepath.Join(t.TempDir(), "archive"), By: "test", Account: "os"}
	l := openTest(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for writer := range 4 {
		wg.Go(func() { writeUntil(ctx, t, l, writer) })
	}
	wg.Go(func() { readUntil(ctx, t, l) })
	for l.First() < 200 { // some prunes
		verifyTest(t, l.opts)
		if err := l.Err(); err != nil {
			t.Error(err)
			break
		}
	}
	cancel()
	wg.Wait()
	closeTest(t, l)
	r := verifyTest(t, l.opts)
	if r.Pruned == nil || r.Pruned.By != "test" || r.Pruned.Archive != o.Retention.Archive {
		t.Errorf("%+v", r.Pruned)
	}
	verifyArchiveTest(t, l.opts, o.Retention.Archive, 0)
	again := openTest(t, l.opts)
	if again.First() != r.First {
		t.Errorf("it begins with %d, before with %d", again.First(), r.First)
	}
}

// writeUntil appends entries of which some name a blob, the same ones again and again.
func writeUntil(ctx context.Context, t *testing.T, l *Ledger, writer int) {
	for i := 0; ctx.Err() == nil; i++ {
		if i%10 == 0 {
			activate(t, l, fmt.Sprint(writer, i%70))
		}
		c := call{tool: "t", key: fmt.Sprint(writer, i%50), request: "r", outcome: decisions.Run, life: 3600e9, filler: 10_000}
		if _, err := l.Append(c.proposal(t)); err != nil {
			t.Error(err)
			return
		}
	}
}

func readUntil(ctx context.Context, t *testing.T, l *Ledger) {
	for ctx.Err() == nil {
		for r, err := range l.Select(ctx, decisions.Query{OldestFirst: true}) {
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
				return
			}
			if _, err := l.Entry(r.Sequence); err != nil && !errors.Is(err, ErrPruned) {
				t.Error(err)
				return
			}
		}
	}
}

// A blob that was put lately stays, though nothing names it any more: its entry may be
// on its way.
func TestRecentBlobsStay(t *testing.T) {
	now := newClock()
	o := testOptions(t)
	o.Now = now.now
	l := openTest(t, o)
	_, names := withBlobs(t, l, 30)
	again, err := l.PutBlob([]byte("blob 1"))
	if err != nil || again != names[1] {
		t.Fatal(again, err)
	}
	now.advance(recentTime - 1)
	if _, err := l.PutBlob([]byte("another")); err != nil {
		t.Fatal(err)
	}
	mustPrune(t, l, pruneAll())
	for i, name := range names[:3] {
		if _, err := l.Blob(name); (err == nil) != (i == 1) {
			t.Errorf("blob %d: %v", i, err)
		}
	}
}

// Two turns of the names put lately, and they are forgotten; unless somebody prunes.
func TestRecentBlobs(t *testing.T) {
	var r recentBlobs
	at := time.Unix(1, 0)
	removed := func(name string) bool {
		done, err := r.unless(name, func() error { return nil })
		return done && err == nil
	}
	r.note("a", at)
	release := r.hold()
	r.note("b", at.Add(2*recentTime))
	r.note("c", at.Add(4*recentTime))
	if removed("a") {
		t.Error("a name is forgotten while it is held")
	}
	release()
	r.note("d", at.Add(5*recentTime))
	if removed("a") {
		t.Error("a name is forgotten after one turn")
	}
	r.note("e", at.Add(6*recentTime))
	if !removed("a") || removed("d") || removed("e") {
		t.Error("the oldest names and no others should be forgotten")
	}
	if _, err := r.unless("a", func() error { return fs.ErrPermission }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}

// A backup of a pruned log begins where the log does; an earlier one keeps what it has,
// and is added to; and from either a new epoch knows the repeats of what was pruned.
func TestBackupOfPruned(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	asked(t, l, "before", decisions.Run)
	early, late := filepath.Join(t.TempDir(), "early"), filepath.Join(t.TempDir(), "late")
	withBlobs(t, l, 15)
	mustCheckpoint(t, l)
	backupTest(t, o, early)
	mid := filepath.Join(t.TempDir(), "mid")
	withBlobs(t, l, 25)
	mustCheckpoint(t, l)
	backupTest(t, o, mid)
	mustPrune(t, l, pruneAll())
	mustCheckpoint(t, l)
	if _, err := Backup(t.Context(), BackupOptions{Dir: o.Dir, To: early}); !errors.Is(err, ErrBackup) {
		t.Errorf("what the backup lacks was pruned: got %v, expected ErrBackup", err)
	}
	withBlobs(t, l, 10)
	mustCheckpoint(t, l)
	for name, to := range map[string]string{"earlier": mid, "new": late} {
		for range 2 {
			_, r := backupTest(t, o, to)
			if pruned := r.First > 0; pruned != (to == late) || r.Entries != l.Size() {
				t.Errorf("%s: %+v of entries %d to %d", name, r, l.First(), l.Size())
			}
		}
		dir := filepath.Join(t.TempDir(), "restored")
		mustRestore(t, RestoreOptions{Backup: to, Dir: dir, OldKeys: o.Dir + ".keys", Actor: "op", By: "os"})
		restored := openTest(t, Options{Dir: dir, SegmentBytes: minSegmentBytes, ReserveBytes: 1, NoScrub: true})
		if r := asked(t, restored, "before", decisions.Run); r.Settlement.GetDecisionId() == "" {
			t.Errorf("%s: what was permitted before is no repeat: %v", name, r.Settlement)
		}
	}
}
