package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
)

const (
	// blobLimit bounds a blob that is put, in bytes.
	blobLimit = 64 << 20
	// stateLimit bounds any: a restored log's state may have millions of keys.
	stateLimit = 1<<31 - 1
)

// PutBlob keeps content beside the log and returns its name, the SHA-256 in lower-case
// hex. It is durable when PutBlob returns, so that an entry may name it. Putting the
// same content twice is putting it once. Errors: ErrTooLarge, ErrNoSpace, the disk's.
func (l *Ledger) PutBlob(content []byte) (string, error) {
	if len(content) > blobLimit {
		return "", fmt.Errorf("%w: a blob of %d bytes, expected at most %d", ErrTooLarge, len(content), blobLimit)
	}
	if err := l.space.err(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	path := blobPath(l.opts.blobDir(), name)
	l.recent.note(name, l.opts.Now())
	if err := l.putBlob(path, name, content); err != nil {
		return "", fmt.Errorf("put blob %s: %w: %s", name, err, nextStep(err))
	}
	return name, nil
}

func (l *Ledger) putBlob(path, name string, content []byte) error {
	if _, err := readBlob(l.opts.FS, l.opts.blobDir(), name); err == nil {
		return l.opts.FS.SyncDir(filepath.Dir(path))
	}
	if err := durableDir(l.opts.FS, filepath.Dir(path)); err != nil {
		return err
	}
	return putFile(l.opts.FS, path, content, l.stats.blobs.Add(1))
}

// putFile is replaceFile for concurrent writers of one name.
func putFile(disk FS, path string, content []byte, unique uint64) error {
	temporary := path + "." + strconv.FormatUint(unique, 10) + ".tmp"
	if err := writeFile(disk, temporary, content); err != nil {
		return err
	}
	if err := disk.Rename(temporary, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(path))
}

// Blob returns a blob's content. Errors: ErrNotFound; ErrDamaged where the content is
// not the one that its name says.
func (l *Ledger) Blob(name string) ([]byte, error) {
	return readBlob(l.opts.FS, l.opts.blobDir(), name)
}

func readBlob(disk FS, dir, name string) ([]byte, error) {
	if raw, err := hex.DecodeString(name); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != name {
		return nil, fmt.Errorf("%w: blob %.80q: expected 64 lower-case hex digits", ErrNotFound, name)
	}
	path := blobPath(dir, name)
	content, err := readFile(disk, path, stateLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: blob %s", ErrNotFound, name)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != name {
		return nil, fmt.Errorf("%w: %s: its content hashes to %x: restore the file from a backup", ErrDamaged, path, sum[:4])
	}
	return content, nil
}

func blobPath(dir, name string) string { return filepath.Join(dir, name[:2], name) }
