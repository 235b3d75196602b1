package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"

	"github.com/writ-dev/writ/decisions"
)

// ExportOptions say what is exported, and where to.
type ExportOptions struct {
	// Log is what is exported, and by which key it is checked.
	Log VerifyOptions
	// To is the directory for the tiles; made where there is none. One that has an
	// earlier export of the same log is added to.
	To string
	// UpTo is how many entries the export holds at least: it goes up to the smallest
	// signed tree that has them. There is one at the end of each segment. 0: the newest.
	UpTo uint64
}

// ExportReport is what an export holds.
type ExportReport struct {
	LogID string
	// Entries that it holds, up to its checkpoint, of which Added came by this call.
	Entries, Added uint64
	// Tiles and Blobs that were written.
	Tiles, Blobs int
	Root         decisions.Hash
}

// Export lays a log out as C2SP tlog-tiles: a checkpoint, the tree's tiles and the
// entries, and beside them, below blobs/, what entries name. Every entry is checked on
// the way, and the root against the signed one. It reads only, takes no lock on the log,
// and may run while the service does. What is exported already is not read again: the
// new checkpoint is proven to continue the exported one. The checkpoint is written last,
// so an export that was interrupted is the one before, and the next one goes on.
// Errors: BadEntryError, ErrDamaged, ErrRolledBack where the export holds more than the
// log, ErrUncovered where no signed tree has UpTo entries, ErrNotFound where the log no
// longer has what the export lacks, ErrInUse, ErrKeys, the context's, the disk's.
func Export(ctx context.Context, o ExportOptions) (ExportReport, error) {
	e, err := newExport(o)
	if err == nil {
		err = e.open(o.UpTo)
		if err == nil {
			err = e.run(ctx)
		}
		err = errors.Join(err, e.close())
	}
	if err != nil {
		return ExportReport{}, fmt.Errorf("export %s to %s: %w", o.Log.Dir, o.To, err)
	}
	return e.report, nil
}

type export struct {
	o       Options
	key     string // one of the log's
	tell    func(entries, of uint64)
	lock    io.Closer
	archive *archive
	target  signedHead
	walk    walker
	tiles   *decisions.Tiles
	copied  map[string]bool
	report  ExportReport
}

// newExport holds the archive; its close lets go.
func newExport(o ExportOptions) (*export, error) {
	opts, key, err := o.Log.open()
	if err != nil {
		return nil, err
	}
	e := &export{o: opts, key: key, tell: o.Log.Progress, copied: map[string]bool{}, archive: &archive{dir: filepath.Clean(o.To)}}
	e.lock, err = lockArchive(opts.FS, o.To)
	return e, err
}

// open reads the archive's checkpoint before the log's: the log's can only be of more
// entries.
func (e *export) open(upTo uint64) (err error) {
	disk, dir := e.o.FS, e.archive.dir
	before, err := readFile(disk, e.archive.checkpoint(), checkpointLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ring, signed, err := readSigned(e.o, e.key, append(e.o.anchors(e.key), e.o.checkpoint())...)
	if err != nil {
		return err
	}
	if e.archive, err = newArchive(disk, dir, before, ring); err != nil {
		return err
	}
	if has := e.archive.head.Size; has > signed.last.Size {
		return fmt.Errorf("%w: %s holds %d entries, the log is signed for %d: %s", ErrRolledBack, dir, has, signed.last.Size, restore)
	}
	if upTo == 0 {
		upTo = signed.last.Size
	}
	if e.target, err = signed.covering(upTo); err != nil {
		return err
	}
	_, e.walk.segments, err = openForReading(disk, e.o.logDir())
	return err
}

// lockArchive makes the directory and holds it, so that no second export writes to it.
func lockArchive(disk FS, dir string) (io.Closer, error) {
	if dir == "" {
		return nil, fmt.Errorf("%w: To is empty: name a directory for the tiles", ErrOptions)
	}
	if err := mkdirAll(disk, filepath.Clean(dir)); err != nil {
		return nil, err
	}
	files, err := disk.ReadDir(filepath.Clean(dir))
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if f.Name() == "log" {
			return nil, fmt.Errorf("%w: %s is the data directory of a log: %s", ErrOptions, dir, otherDirectory)
		}
	}
	return disk.Lock(filepath.Join(dir, archiveLockName))
}

func (e *export) close() error {
	return errors.Join(closeSegments(e.walk.segments), e.lock.Close())
}

func (e *export) run(ctx context.Context) (err error) {
	had := e.archive.head
	if e.tiles, err = decisions.ResumeTiles(had.Size, e.archive.read); err != nil {
		return damagedTile(err)
	}
	if got := e.tiles.Root(); had.Size > 0 && got != had.Root {
		return fmt.Errorf("%w: the partial tiles in %s give root %x, its checkpoint says %x: %s", ErrDamaged, e.archive.dir, got[:4], had.Root[:4], exportItAnew)
	}
	if e.target.Size > had.Size {
		if err := e.add(ctx); err != nil {
			return err
		}
	}
	e.report.LogID, e.report.Entries, e.report.Root = e.archive.head.LogID, e.tiles.Size(), e.tiles.Root()
	e.report.Added = e.tiles.Size() - had.Size
	return nil
}

// add brings the archive up to the target.
func (e *export) add(ctx context.Context) error {
	if err := e.seek(); err != nil {
		return err
	}
	for e.tiles.Size() < e.target.Size {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := e.walk.next()
		if errors.Is(err, errEnd) {
			return fmt.Errorf("%w: the log ends at entry %d, but %s is signed for %d entries: %s", ErrRolledBack, e.walk.at.first, e.target.file, e.target.Size, restore)
		}
		if err == nil {
			err = e.batch(b)
		}
		if err != nil {
			return err
		}
		if e.tell != nil {
			e.tell(e.tiles.Size(), e.target.Size)
		}
	}
	if got := e.tiles.Root(); got != e.target.Root {
		return fmt.Errorf("%w: the tree of %d entries has root %x, %s says %x: one of the entries from %d on was changed, or the export is of another history: verify both", ErrDamaged, e.target.Size, got[:4], e.target.file, e.target.Root[:4], e.archive.head.Size)
	}
	if err := e.tiles.Partial(e.write); err != nil {
		return err
	}
	return e.archive.publish(e.target)
}

// seek sets the walk to the beginning of the segment that holds the first entry that is
// not exported.
func (e *export) seek() error {
	segments, next := e.walk.segments, e.tiles.Size()
	i := sort.Search(len(segments), func(i int) bool { return segments[i].first > next }) - 1
	if i < 0 {
		return fmt.Errorf("%w: entry %d: the log no longer has it: export to the directory that has the entries before", ErrNotFound, next)
	}
	s := segments[i]
	e.walk.at = place{first: s.first, segment: s.number, offset: segmentHeader, prev: s.prev}
	return nil
}

func (e *export) batch(b *batch) error {
	for i, raw := range b.entries {
		sequence := b.place.first + uint64(i) //nolint:gosec // not negative
		if sequence < e.tiles.Size() || sequence >= e.target.Size {
			continue
		}
		if err := eachBlob(b.envelopes[i], e.read, e.copyBlob); err != nil {
			return e.walk.badEntry(b, sequence, err)
		}
		if err := e.tiles.Append(raw, e.write); err != nil {
			return err
		}
	}
	return nil
}

func (e *export) write(t decisions.Tile, content []byte) error {
	e.report.Tiles++
	return e.archive.write(t, content)
}

func (e *export) read(name string) ([]byte, error) {
	content, err := readBlob(e.o.FS, e.o.blobDir(), name)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: %w is gone from %s: restore the file from a backup", ErrDamaged, err, e.o.blobDir())
	}
	return content, err
}

// copyBlob copies a blob once.
func (e *export) copyBlob(name string) error {
	if e.copied[name] {
		return nil
	}
	content, err := e.read(name)
	if err != nil {
		return err
	}
	copied, err := e.archive.putBlob(name, content)
	if copied && err == nil {
		e.report.Blobs++
	}
	e.copied[name] = err == nil
	return err
}
