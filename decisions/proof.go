package decisions

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrProof says that a proof is malformed or does not hold.
var ErrProof = errors.New("not a valid proof")

// maxPath is how many hashes a proof in a tree of 2^63 leaves can have.
const maxPath = 64

// Inclusion proves that an entry is in a tree (RFC 6962 §2.1.1). The zero value
// proves nothing.
type Inclusion struct {
	Index, Size uint64
	// Path leads from the leaf's sibling up to the root's child.
	Path []Hash
}

// Check returns ErrProof unless the leaf stands at Index in the tree of Size leaves
// with this root.
func (p Inclusion) Check(leaf, root Hash) error {
	if err := provable(p.Path, p.Size); err != nil {
		return err
	}
	if p.Index >= p.Size {
		return fmt.Errorf("%w: entry %d of a tree of %d", ErrProof, p.Index, p.Size)
	}
	err := tlog.CheckRecord(tlogHashes(p.Path), int64(p.Size), tlog.Hash(root), int64(p.Index), tlog.Hash(leaf)) //nolint:gosec // provable bounds it
	if err != nil {
		return fmt.Errorf("%w: entry %d with leaf hash %x is not in the tree of %d entries with root %x", ErrProof, p.Index, leaf[:4], p.Size, root[:4])
	}
	return nil
}

// Consistency proves that one tree is the beginning of another (RFC 6962 §2.1.2): what
// was logged at From entries is still there, unchanged, at Size.
type Consistency struct {
	From, Size uint64
	Path       []Hash
	// FromRoot is the smaller tree's, where whoever made the proof says it. Check does not
	// believe it.
	FromRoot Hash
}

// Check returns ErrProof unless the tree of From leaves with one root is the beginning
// of the tree of Size leaves with the other. The empty tree is no beginning.
func (p Consistency) Check(from, root Hash) error {
	if err := provable(p.Path, p.Size); err != nil {
		return err
	}
	if p.From == 0 || p.From > p.Size {
		return fmt.Errorf("%w: from %d entries to %d", ErrProof, p.From, p.Size)
	}
	err := tlog.CheckTree(tlogHashes(p.Path), int64(p.Size), tlog.Hash(root), int64(p.From), tlog.Hash(from)) //nolint:gosec // provable bounds it
	if err != nil {
		return fmt.Errorf("%w: the tree of %d entries with root %x is not the beginning of the tree of %d with root %x", ErrProof, p.From, from[:4], p.Size, root[:4])
	}
	return nil
}

func provable(path []Hash, size uint64) error {
	if len(path) > maxPath || size > math.MaxInt64 {
		return fmt.Errorf("%w: %d hashes for a tree of %d entries, expected at most %d", ErrProof, len(path), size, maxPath)
	}
	return nil
}

func tlogHashes(path []Hash) []tlog.Hash {
	hashes := make([]tlog.Hash, len(path))
	for i, h := range path {
		hashes[i] = tlog.Hash(h)
	}
	return hashes
}

// HashReader gives the roots of complete subtrees, by tlog's stored hash index.
type HashReader = tlog.HashReader

// ProveInclusion makes the proof that entry index is in the tree of size leaves.
func ProveInclusion(size, index uint64, r HashReader) (Inclusion, error) {
	if size > math.MaxInt64 || index >= size {
		return Inclusion{}, fmt.Errorf("%w: entry %d of a tree of %d", ErrProof, index, size)
	}
	path, err := tlog.ProveRecord(int64(size), int64(index), r) //nolint:gosec // bounded above
	return Inclusion{Index: index, Size: size, Path: ourHashes(path)}, err
}

// ProveConsistency makes the proof that the tree of from leaves begins that of size.
func ProveConsistency(size, from uint64, r HashReader) (Consistency, error) {
	if size > math.MaxInt64 || from == 0 || from > size {
		return Consistency{}, fmt.Errorf("%w: from %d entries to %d", ErrProof, from, size)
	}
	path, err := tlog.ProveTree(int64(size), int64(from), r) //nolint:gosec // bounded above
	return Consistency{From: from, Size: size, Path: ourHashes(path)}, err
}

func ourHashes(path []tlog.Hash) []Hash {
	hashes := make([]Hash, len(path))
	for i, h := range path {
		hashes[i] = Hash(h)
	}
	return hashes
}
