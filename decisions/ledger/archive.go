package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/writ-dev/writ/decisions"
)

const (
	tileLimit       = decisions.TileWidth * (2 + decisions.MaxEntry)
	otherDirectory  = "name another directory, or an empty one"
	exportItAnew    = "export the log anew, to an empty directory"
	archiveLockName = "LOCK"
)

// archive is a log's export: C2SP tlog-tiles, and the blobs beside them.
type archive struct {
	disk FS
	dir  string
	ring decisions.KeyRing
	head decisions.Checkpoint // the zero value where there is none yet
	// touched are the directories whose names are not durable yet.
	touched map[string]bool
}

// openArchive reads the checkpoint up to which the archive is whole. The key is one of
// the log's.
func openArchive(disk FS, dir, key string) (*archive, error) {
	ring, err := readRing(disk, dir, key)
	if err != nil {
		return nil, err
	}
	checkpoint := (&archive{dir: dir}).checkpoint()
	raw, err := readFile(disk, checkpoint, checkpointLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing: %s", ErrDamaged, checkpoint, exportItAnew)
	}
	if err != nil {
		return nil, err
	}
	return newArchive(disk, dir, raw, ring)
}

// newArchive is of a directory with this checkpoint, or with none yet.
func newArchive(disk FS, dir string, checkpoint []byte, ring decisions.KeyRing) (a *archive, err error) {
	a = &archive{disk: disk, dir: dir, ring: ring, touched: map[string]bool{}}
	if checkpoint != nil {
		if a.head, err = ring.ParseCheckpoint(checkpoint); err != nil {
			return nil, fmt.Errorf("%w: %s: %w: %s", ErrDamaged, a.checkpoint(), err, otherDirectory)
		}
	}
	return a, nil
}

func (a *archive) checkpoint() string { return filepath.Join(a.dir, "checkpoint") }
func (a *archive) blobDir() string    { return filepath.Join(a.dir, "blobs") }

// read returns a tile of a tree that is at most as large as the archived one, of whose
// tile it is the beginning.
func (a *archive) read(t decisions.Tile) ([]byte, error) {
	stored := t
	hashes := a.head.Size >> (8 * max(t.Level, 0))
	stored.Width = int(min(decisions.TileWidth, hashes-t.Index*decisions.TileWidth)) //nolint:gosec // at most 256
	name := filepath.Join(a.dir, stored.Path())
	content, err := readFile(a.disk, name, tileLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s is missing: %s", ErrDamaged, name, exportItAnew)
	}
	if err != nil {
		return nil, err
	}
	if t.Level == decisions.EntriesLevel {
		return content, nil
	}
	const hash = len(decisions.Hash{})
	if len(content) != stored.Width*hash {
		return nil, fmt.Errorf("%w: %s has %d bytes, expected %d: %s", ErrDamaged, name, len(content), stored.Width*hash, exportItAnew)
	}
	return content[:t.Width*hash], nil
}

// write makes a tile's content durable; its name is with the next publish. A torn one
// from before a crash is written over: no checkpoint covers it.
func (a *archive) write(t decisions.Tile, content []byte) error {
	return a.put(filepath.Join(a.dir, t.Path()), content)
}

func (a *archive) put(name string, content []byte) error {
	if err := mkdirAll(a.disk, filepath.Dir(name)); err != nil {
		return err
	}
	a.touch(name)
	return writeFile(a.disk, name, content)
}

// touch has the names that lead to a file synced by the next publish.
func (a *archive) touch(name string) {
	for dir := filepath.Dir(name); len(dir) >= len(a.dir); dir = filepath.Dir(dir) {
		a.touched[dir] = true
	}
}

// putBlob copies a blob, unless it is there already, perhaps from a run that was cut short.
func (a *archive) putBlob(name string, content []byte) (copied bool, err error) {
	if _, err := readBlob(a.disk, a.blobDir(), name); err == nil {
		a.touch(blobPath(a.blobDir(), name))
		return false, nil
	}
	return true, a.put(blobPath(a.blobDir(), name), content)
}

// publish makes all names durable, and then has the checkpoint say so.
func (a *archive) publish(signed signedHead) error {
	for dir := range a.touched {
		if err := a.disk.SyncDir(dir); err != nil {
			return err
		}
	}
	clear(a.touched)
	if err := writeChain(a.disk, a.dir, a.ring); err != nil {
		return err
	}
	if err := replaceFile(a.disk, a.checkpoint(), signed.note); err != nil {
		return err
	}
	a.head = signed.Checkpoint
	return nil
}
