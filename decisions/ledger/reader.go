package ledger

import (
	"errors"
	"fmt"
	"iter"

	"github.com/dgraph-io/badger/v4"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Record is one durable entry, checked against the tree.
type Record = decisions.Record

// Entry returns one entry. Errors: ErrNotFound; ErrDamaged where the stored bytes do
// not match the tree.
func (l *Ledger) Entry(sequence uint64) (Record, error) {
	for r, err := range l.Entries(sequence, sequence+1) {
		return r, err
	}
	return Record{}, fmt.Errorf("%w: entry %d: the log has %d", ErrNotFound, sequence, l.Size())
}

// Entries yields the entries from one sequence up to, not including, another, and
// ends at what is durable when it gets there. It ends after an error.
func (l *Ledger) Entries(from, to uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		c := cursor{l: l}
		for sequence := from; sequence < min(to, l.Size()); sequence++ {
			r, err := c.read(sequence)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// cursor reads forwards, and remembers the batch and the tile that it is in.
type cursor struct {
	l       *Ledger
	walk    walker
	frame   frame
	entries [][]byte
	tile    uint64 // of leaves
	leaves  []decisions.Hash
}

func (c *cursor) read(sequence uint64) (Record, error) {
	leaf, err := c.leaf(sequence)
	if err != nil {
		return Record{}, err
	}
	for len(c.entries) == 0 || sequence >= c.frame.first+uint64(c.frame.count) {
		if err := c.step(); err != nil {
			return Record{}, err
		}
	}
	at := c.walk.at
	if sequence < c.frame.first {
		return Record{}, damaged(sequence, c.walk.segment().name, at.offset, "the batch begins with entry %d", c.frame.first)
	}
	raw := append([]byte(nil), c.entries[sequence-c.frame.first]...)
	if got := decisions.LeafHash(raw); got != leaf {
		return Record{}, damaged(sequence, c.walk.segment().name, at.offset, "its leaf hash is %x, the tree has %x: %s", got[:4], leaf[:4], restore)
	}
	return record(sequence, leaf, raw)
}

func record(sequence uint64, leaf decisions.Hash, raw []byte) (Record, error) {
	var e ledgerv1.Entry
	if err := proto.Unmarshal(raw, &e); err != nil {
		return Record{}, fmt.Errorf("%w: entry %d does not decode: %w", ErrDamaged, sequence, err)
	}
	return Record{Sequence: sequence, Time: unixTime(e.GetTimeUnixNano()), Leaf: leaf, Raw: raw, Entry: &e}, nil
}

// step reads the next batch.
func (c *cursor) step() error {
	f, err := c.walk.frame()
	if view := c.l.segments.view(); errors.Is(err, errEnd) && len(view) > len(c.walk.segments) {
		c.walk.segments = view // a segment was begun since
		f, err = c.walk.frame()
	}
	if err == nil {
		c.entries, err = f.entries(c.entries[:0])
	}
	if errors.Is(err, errEnd) || errors.Is(err, errBadFrame) {
		return damaged(c.walk.at.first, c.walk.segment().name, c.walk.at.offset, "the batch can't be read: %s", restore)
	}
	c.frame = f
	c.walk.at.offset += frameHeader + int64(len(f.payload))
	c.walk.at.first = f.first + uint64(f.count)
	return err
}

// leaf returns an entry's leaf hash, and sets the walk to its place at first.
func (c *cursor) leaf(sequence uint64) (decisions.Hash, error) {
	if at, leaf, ok := c.l.tail.find(sequence); ok {
		c.begin(at)
		return leaf, nil
	}
	number := sequence / tileWidth
	if c.leaves == nil || c.tile != number {
		at, leaves, err := c.l.index.tile(number)
		if errors.Is(err, badger.ErrKeyNotFound) || err == nil && leaves == nil {
			err = fmt.Errorf("tile %d is missing", number)
		}
		if err != nil {
			c.l.index.broken.Store(true)
			return decisions.Hash{}, fmt.Errorf("%w: index: %w: start again, it will be rebuilt", ErrDamaged, err)
		}
		c.begin(at)
		c.tile, c.leaves = number, leaves
	}
	return c.leaves[sequence%tileWidth], nil
}

// begin sets the walk to a place, where it has not come that far.
func (c *cursor) begin(at place) {
	if c.walk.segments == nil || at.first > c.walk.at.first {
		c.walk.segments, c.walk.loose = c.l.segments.view(), true
		c.walk.at, c.entries = at, nil
	}
}
