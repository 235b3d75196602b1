package decisions

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"golang.org/x/mod/sumdb/tlog"
)

// ErrFrontier says that bytes are no serialised Frontier.
var ErrFrontier = errors.New("not a tree frontier")

// LeafHash returns the leaf hash of an entry's stored bytes: SHA-256 over 0x00 and
// the bytes (RFC 6962 §2.1).
func LeafHash(entry []byte) Hash { return Hash(tlog.RecordHash(entry)) }

// Frontier is a Merkle tree (RFC 6962 §2.1) of which only the right edge is kept:
// what is needed to append leaves and to know the root. The zero value is the empty
// tree. Not safe for concurrent use; Clone gives a copy of its own.
type Frontier struct {
	size uint64
	// nodes are the roots of the complete subtrees, largest first: one for each set
	// bit of size.
	nodes []Hash
}

// Size is the number of leaves.
func (f *Frontier) Size() uint64 { return f.size }

// Clone returns an independent copy.
func (f *Frontier) Clone() Frontier {
	return Frontier{size: f.size, nodes: append([]Hash(nil), f.nodes...)}
}

// Append adds a leaf hash. It costs one node hash, amortised.
func (f *Frontier) Append(leaf Hash) { f.AppendVisit(leaf, nil) }

// AppendVisit adds a leaf hash and reports each interior node that it completes:
// the n-th (from 0) of a level, leaves being level 0.
func (f *Frontier) AppendVisit(leaf Hash, visit func(level int, n uint64, node Hash)) {
	node, last := leaf, len(f.nodes)
	for level := range bits.TrailingZeros64(f.size + 1) {
		last--
		node = Hash(tlog.NodeHash(tlog.Hash(f.nodes[last]), tlog.Hash(node)))
		if visit != nil {
			visit(level+1, f.size>>(level+1), node)
		}
	}
	f.nodes = append(f.nodes[:last], node)
	f.size++
}

// Visit visits the roots of the complete subtrees, largest first, until visit fails:
// the n-th (from 0) of a level, leaves being level 0.
func (f *Frontier) Visit(visit func(level int, n uint64, node Hash) error) error {
	rest := f.size
	for _, node := range f.nodes {
		level := bits.Len64(rest) - 1
		if err := visit(level, f.size>>level-1, node); err != nil {
			return err
		}
		rest &^= 1 << level
	}
	return nil
}

// Root returns the tree's root hash; SHA-256 of nothing for the empty tree.
func (f *Frontier) Root() Hash {
	if f.size == 0 {
		return sha256.Sum256(nil)
	}
	last := len(f.nodes) - 1
	root := f.nodes[last]
	for i := last - 1; i >= 0; i-- {
		root = Hash(tlog.NodeHash(tlog.Hash(f.nodes[i]), tlog.Hash(root)))
	}
	return root
}

// AppendBinary writes the size in 8 bytes, big-endian, and the nodes, largest
// subtree first, 32 bytes each.
func (f *Frontier) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.BigEndian.AppendUint64(dst, f.size)
	for _, node := range f.nodes {
		dst = append(dst, node[:]...)
	}
	return dst, nil
}

// UnmarshalBinary reads what AppendBinary wrote, or returns ErrFrontier and leaves
// f as it was.
func (f *Frontier) UnmarshalBinary(data []byte) error {
	if len(data) < 8 {
		return fmt.Errorf("%w: %d bytes, expected at least 8", ErrFrontier, len(data))
	}
	size, data := binary.BigEndian.Uint64(data), data[8:]
	if want := bits.OnesCount64(size) * len(Hash{}); len(data) != want {
		return fmt.Errorf("%w: %d bytes of nodes for %d leaves, expected %d", ErrFrontier, len(data), size, want)
	}
	nodes := make([]Hash, 0, 64)
	for ; len(data) > 0; data = data[len(Hash{}):] {
		nodes = append(nodes, Hash(data[:len(Hash{})]))
	}
	f.size, f.nodes = size, nodes
	return nil
}
