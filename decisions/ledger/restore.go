package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"syscall"
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// RestoreOptions say what is restored and where to.
type RestoreOptions struct {
	// Backup is a backup, or any other copy of a data directory that nobody writes.
	Backup string
	// Dir becomes the new log's data directory; it must not hold a log.
	Dir string
	// KeyDir and Anchor are the new log's. Default: Dir + ".keys", and "anchor" in it.
	// What they hold of the old log goes below KeyDir/epochs.
	KeyDir, Anchor string
	// OldKeys is the old log's key directory or a copy of it, with the digest key at
	// least. Default: KeyDir.
	OldKeys string
	// VerifierKey is the old log's public key. Default: the one in OldKeys.
	VerifierKey string
	// Actor is who restores, and By how that is known.
	Actor, By string
	Version   string
	Logger    *slog.Logger
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// FS is the disk. Default: the operating system's.
	FS FS

	segmentBytes int64 // for tests, which begin many logs
}

// RestoreReport is what came of it.
type RestoreReport struct {
	// LogID and VerifierKey are the new log's, which goes on from OldLogID.
	LogID, VerifierKey, OldLogID string
	// Entries of the old log were kept. A checkpoint was signed for Lost more.
	Entries, Lost uint64
	// Keys are the idempotency keys that the new log knows.
	Keys int
}

// Restore begins a new epoch: a log of its own id and signing key, whose entry 0 names
// the old log as far as the backup has it and the state that it ended in. The old log
// never goes on under its id, since nobody can know what it acknowledged after the
// backup; it stays beside, below Dir/epochs. The digest key is the old one: what it
// digested must compare. Cut short, Dir says that it is not whole, and Restore goes on
// with it. Errors: ErrOptions, ErrBackup where Dir holds a log, ErrKeys, ErrDamaged,
// ErrRolledBack, ErrInUse, ErrNoSpace, the context's, the disk's.
func Restore(ctx context.Context, o RestoreOptions) (RestoreReport, error) {
	r, err := newRestore(o)
	if err == nil {
		err = r.run(ctx)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: %w: free some space there and run it again: it goes on where it stopped", ErrNoSpace, err)
	}
	if err != nil {
		return RestoreReport{}, fmt.Errorf("restore %s to %s: %w", o.Backup, o.Dir, err)
	}
	return r.report, nil
}

type restoring struct {
	o     RestoreOptions
	disk  FS
	to    Options
	oldID string
	old   oldKeys
	// resumed: an earlier run was cut short.
	resumed bool
	was     *decisions.Snapshot // the state that the old log ended in
	erased  erasures            // that the old log says
	entry   *ledgerv1.Restored
	report  RestoreReport
}

func newRestore(o RestoreOptions) (*restoring, error) {
	to, err := Options{
		Dir: o.Dir, KeyDir: o.KeyDir, Anchor: o.Anchor, Version: o.Version, Logger: o.Logger, Now: o.Now, FS: o.FS, NoScrub: true, SegmentBytes: o.segmentBytes,
	}.withDefaults()
	if err != nil {
		return nil, err
	}
	if o.Backup == "" || within(o.Backup, to.Dir) || within(to.Dir, o.Backup) {
		return nil, fmt.Errorf("%w: the backup is %q, the new directory %q: choose one apart from the other", ErrOptions, o.Backup, to.Dir)
	}
	r := &restoring{o: o, disk: to.FS, to: to}
	if err := checkFinished(r.disk, o.Backup); err != nil {
		return nil, err
	}
	if r.oldID, err = logOf(r.disk, o.Backup); err != nil {
		return nil, err
	}
	r.old, err = r.findKeys()
	return r, err
}

// logOf returns the id of the log in a data directory.
func logOf(disk FS, dir string) (string, error) {
	_, segments, err := openForReading(disk, filepath.Join(dir, "log"))
	if err != nil {
		return "", err
	}
	defer closeSegments(segments) //nolint:errcheck // opened for reading
	if len(segments) == 0 {
		return "", fmt.Errorf("%w: %s has no entry", ErrDamaged, dir)
	}
	return segments[0].log(), nil
}

func (r *restoring) run(ctx context.Context) error {
	lock, err := r.directory()
	if err != nil {
		return err
	}
	err = r.copyOld(ctx)
	if err == nil {
		err = r.keys()
	}
	if err == nil {
		err = r.describe()
	}
	if err := errors.Join(err, lock.Close()); err != nil {
		return err
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	return finish(r.disk, r.to.Dir)
}

// directory makes the new data directory, marked as not whole, and locks it.
func (r *restoring) directory() (io.Closer, error) {
	if err := mkdirAll(r.disk, r.to.Dir); err != nil {
		return nil, err
	}
	mark := filepath.Join(r.to.Dir, unfinishedMark)
	var err error
	if r.resumed, err = exists(r.disk, mark); err != nil {
		return nil, err
	}
	if taken, err := holdsLog(r.disk, r.to.Dir); taken && !r.resumed || err != nil {
		return nil, errors.Join(err, fmt.Errorf("%w: %s holds a log: move it aside, it may have what the backup lacks", ErrBackup, r.to.Dir))
	}
	lock, err := r.disk.Lock(r.to.lockFile())
	if err != nil {
		return nil, err
	}
	if err := replaceFile(r.disk, mark, []byte("writ log restore was not finished: run it again.\n")); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}

// copyOld copies the old log and what it went on from, and verifies the copy.
func (r *restoring) copyOld(ctx context.Context) error {
	dir := filepath.Join(r.to.Dir, epochsDir, r.oldID)
	b, err := newBackup(BackupOptions{Dir: r.o.Backup, To: dir, FS: r.disk, all: true})
	if err != nil {
		return err
	}
	b.epochs = filepath.Join(r.to.Dir, epochsDir)
	if err := errors.Join(b.run(ctx), b.close()); err != nil {
		return err
	}
	v, err := newVerification(VerifyOptions{Dir: dir, VerifierKey: r.old.verifier, FS: r.disk, visit: r.erased.note})
	if err != nil {
		return err
	}
	defer closeSegments(v.walk.segments) //nolint:errcheck // opened for reading
	for _, head := range r.old.heads {
		v.signed.compare(head)
	}
	if err := v.run(ctx); err != nil {
		return err
	}
	if err := v.epochs(ctx); err != nil {
		return err
	}
	r.was, r.entry = v.log, &ledgerv1.Restored{EarlierLogIds: earlier(v.restored), Checkpoint: string(b.note)}
	return r.old.check(v)
}

// describe writes the state that the new log goes on with, and what its entry 0 says.
func (r *restoring) describe() error {
	state, err := r.was.Encode()
	if err != nil {
		return err
	}
	if len(state) > stateLimit {
		return fmt.Errorf("%w: the state has %d bytes, expected at most %d", ErrTooLarge, len(state), stateLimit)
	}
	sum, root := sha256.Sum256(state), r.was.Tree.Root()
	e := r.entry
	e.Actor = &ledgerv1.Actor{Name: r.o.Actor, By: r.o.By}
	e.LogId, e.Size, e.Root, e.VerifierKey, e.StateSha256 = r.oldID, r.was.Size(), root[:], r.old.verifier, hex.EncodeToString(sum[:])
	if newest := r.old.newest(); newest.Size > e.Size {
		e.NewestCheckpoint, r.report.Lost = string(newest.note), newest.Size-e.Size
	}
	r.report.OldLogID, r.report.Entries, r.report.Keys = r.oldID, e.Size, r.was.Carried().Len()
	path := blobPath(r.to.blobDir(), e.StateSha256)
	if err := mkdirAll(r.disk, filepath.Dir(path)); err != nil {
		return err
	}
	return replaceFile(r.disk, path, state)
}

// begin writes the new log's first entries, or finds them where an earlier run did.
func (r *restoring) begin(ctx context.Context) error {
	r.to.restored = r.entry
	l, err := Open(ctx, r.to)
	if err != nil {
		return err
	}
	first, err := l.Entry(0)
	was := first.Entry.GetLogCreated().GetRestored()
	if err == nil && (was.GetLogId() != r.entry.GetLogId() || was.GetSize() != r.entry.GetSize()) {
		err = fmt.Errorf("%w: a restore of %d entries of log %s was begun there: finish it with that backup, or name another directory", ErrBackup, was.GetSize(), was.GetLogId())
	}
	r.report.LogID, r.report.VerifierKey = l.LogID(), l.VerifierKey()
	return errors.Join(err, l.Close())
}
