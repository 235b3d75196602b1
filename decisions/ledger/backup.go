package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/writ-dev/writ/decisions"
)

// BackupOptions say what is copied and where to.
type BackupOptions struct {
	// Dir is the data directory. Its service may run: no lock is taken on it.
	Dir string
	// To is the backup: a new or empty directory, or an earlier backup of the same log,
	// to which what is new is added.
	To string
	// KeyDir. Default: Dir + ".keys".
	KeyDir string
	// KeysTo gets a copy of KeyDir without the anchor. It must not be in To: whoever
	// has both can write another log. Empty: the keys are not copied.
	KeysTo string
	// Progress is told how many entries the backup has, now and then.
	Progress func(entries uint64)
	// FS is the disk. Default: the operating system's.
	FS FS

	// all is a copy of what nobody writes any more: to its end, its checkpoint as it is.
	all bool
}

// BackupReport is what a backup holds and what was added to it.
type BackupReport struct {
	LogID string
	// Entries are in the backup; a checkpoint in it covers the first Signed of them.
	Entries, Signed uint64
	// Segments, Blobs and Keys are files that were written now.
	Segments, Blobs, Keys int
}

// Backup copies a log while it is being written: up to the latest checkpoint at least,
// in whole batches, with every blob that their entries name. The backup is a data
// directory that verifies. It holds together at every moment: blobs before the entries
// that name them, segments in order and each replaced at once, the checkpoint last; a
// first copy that was cut short says so, and is gone on with. Errors: ErrDamaged,
// ErrRolledBack, ErrKeys, ErrInUse (another backup into To), ErrNoSpace, ErrBackup, the
// context's, the disk's.
func Backup(ctx context.Context, o BackupOptions) (report BackupReport, err error) {
	b, err := newBackup(o)
	if err == nil {
		err = errors.Join(b.run(ctx), b.close())
		report = b.report
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = fmt.Errorf("%w: %w: free some space there and run it again: it goes on where it stopped", ErrNoSpace, err)
	}
	if err != nil {
		return report, fmt.Errorf("back up %s to %s: %w", o.Dir, o.To, err)
	}
	return report, nil
}

type backup struct {
	o        BackupOptions
	disk     FS
	from, to Options
	lock     io.Closer
	ring     decisions.KeyRing
	note     []byte // the latest checkpoint, as it was when the copy began
	signed   decisions.Checkpoint
	begin    origin
	walk     walker
	end      int64      // of the last batch that was walked over, in its segment
	held     []*segment // what the backup had
	epochs   string     // where earlier epochs go
	blobs    map[string]bool
	synced   map[string]bool // directories whose names are durable
	report   BackupReport
}

// newBackup reads the checkpoint first: the log that is read after it can only be longer.
func newBackup(o BackupOptions) (*backup, error) {
	from, err := Options{Dir: o.Dir, KeyDir: o.KeyDir, FS: o.FS}.withDefaults()
	if err != nil {
		return nil, err
	}
	to, err := Options{Dir: o.To, FS: o.FS}.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("the backup: %w", err)
	}
	if o.KeysTo != "" && within(o.KeysTo, to.Dir) {
		return nil, fmt.Errorf("%w: the keys would be in %s, with the log that they sign: name another place for them", ErrOptions, to.Dir)
	}
	b := &backup{o: o, disk: from.FS, from: from, to: to, epochs: filepath.Join(to.Dir, epochsDir), blobs: map[string]bool{}, synced: map[string]bool{}}
	if err := b.checkpoint(); err != nil {
		return nil, err
	}
	b.report.LogID = b.signed.LogID
	if b.begin, b.walk.segments, err = openForReading(b.disk, from.logDir()); err != nil {
		return nil, err
	}
	if err = b.take(); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// checkpoint reads the latest one, and the keys that it is checked by: none of what
// nobody writes any more, which is copied to its end and verified as a whole.
func (b *backup) checkpoint() (err error) {
	if b.o.all {
		b.note, err = readFile(b.disk, b.from.checkpoint(), checkpointLimit)
		return err
	}
	key, err := ReadVerifierKey(VerifyOptions{Dir: b.o.Dir, KeyDir: b.o.KeyDir, FS: b.o.FS})
	if err != nil {
		return err
	}
	if b.ring, _, err = readSigned(b.from, key, b.from.checkpoint()); err != nil {
		return err
	}
	b.note, b.signed, err = readCheckpoint(b.disk, b.from.checkpoint(), b.ring)
	return err
}

// readCheckpoint returns a checkpoint file and what it says. Errors: fs.ErrNotExist,
// ErrDamaged.
func readCheckpoint(disk FS, file string, ring decisions.KeyRing) ([]byte, decisions.Checkpoint, error) {
	raw, err := readFile(disk, file, checkpointLimit)
	if err != nil {
		return nil, decisions.Checkpoint{}, err
	}
	c, err := ring.ParseCheckpoint(raw)
	if err != nil {
		return nil, c, fmt.Errorf("%w: %s: %w", ErrDamaged, file, err)
	}
	return raw, c, nil
}

func (b *backup) run(ctx context.Context) error {
	if err := b.copyLog(ctx); err != nil {
		return err
	}
	b.report.Entries, b.report.Signed = b.walk.at.first, b.signed.Size
	if err := b.copyHeads(); err != nil {
		return err
	}
	if err := b.copyEpochs(ctx); err != nil {
		return err
	}
	// After the entries: whatever key one of them needs was there before it.
	if b.o.KeysTo != "" {
		if err := b.copyKeys(); err != nil {
			return err
		}
	}
	return finish(b.disk, b.to.Dir)
}

func (b *backup) close() error {
	errs := []error{closeSegments(b.walk.segments), closeSegments(b.held)}
	if b.lock != nil {
		errs = append(errs, b.lock.Close())
	}
	return errors.Join(errs...)
}

// within says whether a path is a directory or lies in it.
func within(path, dir string) bool {
	from, err := filepath.Abs(dir)
	to, err2 := filepath.Abs(path)
	if err != nil || err2 != nil {
		return true // not known to be apart
	}
	relative, err := filepath.Rel(from, to)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}
