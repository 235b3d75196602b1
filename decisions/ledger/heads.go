package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ/decisions"
)

const checkpointLimit = 64 << 10

// signedHead is a checkpoint that was read, and the file that it was read from.
type signedHead struct {
	decisions.Checkpoint
	file string
	note []byte // as it was read
}

// heads are the signed tree heads that a log must agree with.
type heads struct {
	bySize map[uint64][]signedHead
	last   signedHead // the one with the largest size
	agreed uint64     // largest size at which the tree was found equal
	count  int
}

// add reads a checkpoint file. Errors: fs.ErrNotExist, ErrDamaged.
func (h *heads) add(disk FS, file string, ring decisions.KeyRing) error {
	raw, err := readFile(disk, file, checkpointLimit)
	if err != nil {
		return err
	}
	c, err := ring.ParseCheckpoint(raw)
	if err != nil {
		return fmt.Errorf("%w: %s: %w: restore the file, or the key that signed it", ErrDamaged, file, err)
	}
	s := signedHead{c, file, raw}
	h.compare(s)
	h.count++
	if h.last.file == "" || c.Size > h.last.Size {
		h.last = s
	}
	return nil
}

// covering returns the smallest head of at least so many entries. Errors: ErrUncovered.
func (h *heads) covering(size uint64) (signedHead, error) {
	if h.last.file == "" || h.last.Size < size {
		return signedHead{}, fmt.Errorf("%w: no signed tree has %d entries, the largest has %d: try again later", ErrUncovered, size, h.last.Size)
	}
	found := h.last
	for at, heads := range h.bySize {
		if at >= size && at < found.Size {
			found = heads[0]
		}
	}
	return found, nil
}

// compare has the tree compared with a head, which may be of more entries than there are.
func (h *heads) compare(s signedHead) {
	if h.bySize == nil {
		h.bySize = map[uint64][]signedHead{}
	}
	h.bySize[s.Size] = append(h.bySize[s.Size], s)
}

// checkTree compares a tree with the heads of its size. Most sizes have none.
func (h *heads) checkTree(tree *decisions.Frontier) error {
	if len(h.bySize[tree.Size()]) == 0 {
		return nil
	}
	return h.check(tree.Size(), tree.Root())
}

// check compares a root with the heads of its size.
func (h *heads) check(size uint64, got decisions.Hash) error {
	for _, s := range h.bySize[size] {
		if got != s.Root {
			return &BadEntryError{
				Sequence: h.agreed, File: s.file,
				Why: fmt.Errorf("%w: the tree of %d entries has root %x, the checkpoint says %x: one of the entries %d to %d was changed: %s", ErrDamaged, size, got[:4], s.Root[:4], h.agreed, size-1, restore),
			}
		}
	}
	h.agreed = max(h.agreed, size)
	return nil
}

// reached checks that the log is as long as the longest head.
func (h *heads) reached(size uint64, file string, offset int64) error {
	if h.last.file == "" || h.last.Size <= size {
		return nil
	}
	return &BadEntryError{size, file, offset, fmt.Errorf("%w: the log ends here, but %s is signed for %d entries: %s", ErrRolledBack, h.last.file, h.last.Size, restore)}
}

// readHeads reads the latest checkpoint, the anchor, and those of sealed segments.
// What is not there says nothing.
func readHeads(disk FS, ring decisions.KeyRing, logDir string, files ...string) (*heads, error) {
	h := &heads{}
	sealed, err := sealedFiles(disk, logDir)
	if err != nil {
		return nil, err
	}
	for _, file := range append(files, sealed...) {
		if err := h.add(disk, file, ring); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return h, nil
}

func sealedFiles(disk FS, logDir string) ([]string, error) {
	files, err := disk.ReadDir(logDir)
	if err != nil {
		return nil, err
	}
	var sealed []string
	for _, f := range files {
		if strings.HasSuffix(f.Name(), ".checkpoint") {
			sealed = append(sealed, filepath.Join(logDir, f.Name()))
		}
	}
	return sealed, nil
}

func sealedFile(logDir string, number uint32) string {
	return strings.TrimSuffix(segmentName(logDir, number), ".seg") + ".checkpoint"
}
