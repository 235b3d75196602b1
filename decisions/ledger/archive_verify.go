package ledger

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/writ-dev/writ/decisions"
)

// VerifyArchive recomputes an export, o.Dir, from the entry from on (or a little before
// it): entries, tiles, root, signature, and the blobs that the entries name. Of what
// lies before, only hashes on the tree's right edge are read; the root covers them.
// Errors: ErrDamaged with the first file that does not verify, ErrKeys, the context's.
func VerifyArchive(ctx context.Context, o VerifyOptions, from uint64) (ExportReport, error) {
	v, err := newArchiveVerification(o, from)
	if err == nil {
		err = v.run(ctx)
	}
	if err != nil {
		return ExportReport{}, fmt.Errorf("verify the archive %s: %w", o.Dir, err)
	}
	return v.report, nil
}

type archiveVerification struct {
	archive *archive
	changes map[uint64]bool // entries that changed the key
	tiles   *decisions.Tiles
	tell    func(entries, of uint64)
	blobs   map[string]bool
	report  ExportReport
}

func newArchiveVerification(o VerifyOptions, from uint64) (*archiveVerification, error) {
	if o.Anchor != "" {
		return nil, fmt.Errorf("%w: an archive is compared with no anchor: leave it out", ErrOptions)
	}
	opts, key, err := o.open()
	if err != nil {
		return nil, err
	}
	v := &archiveVerification{tell: o.Progress, blobs: map[string]bool{}, changes: map[uint64]bool{}}
	if v.archive, err = openArchive(opts.FS, opts.Dir, key); err != nil {
		return nil, err
	}
	head := v.archive.head
	v.report = ExportReport{LogID: head.LogID, Entries: head.Size, Root: head.Root}
	from = min(from, head.Size)
	for _, n := range v.archive.ring.Changes() {
		v.changes[n] = n < from-from%decisions.TileWidth // not read now
	}
	v.tiles, err = decisions.ResumeTiles(from-from%decisions.TileWidth, v.archive.read)
	return v, damagedTile(err)
}

func (v *archiveVerification) run(ctx context.Context) error {
	size := v.archive.head.Size
	for v.tiles.Size() < size {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := v.tiles.Size()
		width := int(min(decisions.TileWidth, size-at)) //nolint:gosec // at most 256
		if err := v.bundle(decisions.Tile{Level: decisions.EntriesLevel, Index: at / decisions.TileWidth, Width: width}); err != nil {
			return err
		}
		if v.tell != nil {
			v.tell(v.tiles.Size(), size)
		}
	}
	if err := v.tiles.Partial(v.compare); err != nil {
		return err
	}
	if got := v.tiles.Root(); got != v.archive.head.Root {
		return fmt.Errorf("%w: the tree of %d entries has root %x, %s says %x: %s", ErrDamaged, size, got[:4], v.archive.checkpoint(), v.archive.head.Root[:4], exportItAnew)
	}
	v.report.Blobs = len(v.blobs)
	return checkChanges(v.archive.ring, v.changes, size)
}

// bundle takes in the entries of a tile.
func (v *archiveVerification) bundle(t decisions.Tile) error {
	content, err := v.archive.read(t)
	if err != nil {
		return err
	}
	entries, err := decisions.ParseBundle(content, t.Width)
	if err != nil {
		return damagedTile(fmt.Errorf("%s: %w", t.Path(), err))
	}
	for _, raw := range entries {
		sequence := v.tiles.Size()
		if err := v.entry(raw, sequence); err != nil {
			return fmt.Errorf("%s, entry %d: %w", filepath.Join(v.archive.dir, t.Path()), sequence, err)
		}
		if err := v.tiles.Append(raw, v.compare); err != nil {
			return err
		}
		v.report.Added++
	}
	return nil
}

// entry checks what an entry says of itself, and that the blobs it names are there.
func (v *archiveVerification) entry(raw []byte, sequence uint64) error {
	e, err := decisions.ParseEnvelope(raw)
	if err == nil && e.Sequence != sequence {
		err = fmt.Errorf("it says that it is entry %d", e.Sequence)
	}
	if err != nil {
		return fmt.Errorf("%w: %w: %s", ErrDamaged, err, exportItAnew)
	}
	if (sequence == 0) != (e.Kind == decisions.KindLogCreated) {
		return fmt.Errorf("%w: body %d can't be entry %d", ErrDamaged, e.Kind, sequence)
	}
	if sequence == 0 {
		if err := checkCreated(e.Body, v.archive.ring); err != nil {
			return err
		}
	}
	if e.Kind == decisions.KindKeyChanged {
		if v.archive.ring, err = replayKey(v.archive.ring, e); err != nil {
			return err
		}
		v.changes[sequence] = true
	}
	return eachBlob(e, v.read, func(name string) error {
		if v.blobs[name] {
			return nil
		}
		_, err := v.read(name)
		v.blobs[name] = err == nil
		return err
	})
}

func (v *archiveVerification) read(name string) ([]byte, error) {
	content, err := readBlob(v.archive.disk, v.archive.blobDir(), name)
	if errors.Is(err, ErrNotFound) {
		err = fmt.Errorf("%w: %w is gone from %s: %s", ErrDamaged, err, v.archive.blobDir(), exportItAnew)
	}
	return content, err
}

// compare has a tile of hashes be the one that the entries give.
func (v *archiveVerification) compare(t decisions.Tile, content []byte) error {
	stored, err := v.archive.read(t)
	if err == nil && string(stored) != string(content) {
		err = fmt.Errorf("%w: %s is not what the entries give: %s", ErrDamaged, filepath.Join(v.archive.dir, t.Path()), exportItAnew)
	}
	return err
}

func damagedTile(err error) error {
	if errors.Is(err, decisions.ErrTile) {
		return fmt.Errorf("%w: %w: %s", ErrDamaged, err, exportItAnew)
	}
	return err
}
