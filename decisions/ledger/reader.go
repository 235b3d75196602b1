package ledger

import (
	"bytes"
	"fmt"
	"iter"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Record is one durable entry, checked against the tree.
type Record = decisions.Record

// Entry returns one entry. Errors: ErrNotFound, ErrPruned; ErrDamaged where the
// stored bytes do not match the tree.
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
			r, err := c.readKept(sequence)
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// cursor reads entries, best forwards, and remembers the tile that it is in.
type cursor struct {
	l       *Ledger
	scan    scanner
	segment *segment
	tile    uint64 // of records
	records tileRecords
}

// readKept reads unless the entry was pruned, perhaps while it was read.
func (c *cursor) readKept(sequence uint64) (r Record, err error) {
	if sequence >= c.l.First() {
		r, err = c.read(sequence)
	}
	if from := c.l.origin(); sequence < from.first && r.Raw == nil {
		err = from.gone(sequence)
	}
	return r, err
}

func (c *cursor) read(sequence uint64) (Record, error) {
	at, leaf, err := c.find(sequence)
	if err != nil {
		return Record{}, err
	}
	raw, err := c.bytes(sequence, at)
	if err != nil {
		return Record{}, err
	}
	if decisions.LeafHash(raw) != leaf { // perhaps it was written since the buffer was filled
		c.scan.forget()
		if raw, err = c.bytes(sequence, at); err != nil {
			return Record{}, err
		}
	}
	if got := decisions.LeafHash(raw); got != leaf {
		return Record{}, damaged(sequence, c.segment.name, int64(at.offset), "its leaf hash is %x, the tree has %x: %s", got[:4], leaf[:4], restore)
	}
	return record(sequence, leaf, bytes.Clone(raw))
}

func record(sequence uint64, leaf decisions.Hash, raw []byte) (Record, error) {
	var e ledgerv1.Entry
	if err := proto.Unmarshal(raw, &e); err != nil {
		return Record{}, fmt.Errorf("%w: entry %d does not decode: %w", ErrDamaged, sequence, err)
	}
	return Record{Sequence: sequence, Time: unixTime(e.GetTimeUnixNano()), Leaf: leaf, Raw: raw, Entry: &e}, nil
}

// find returns where an entry's bytes are, and its leaf hash.
func (c *cursor) find(sequence uint64) (spot, decisions.Hash, error) {
	if at, leaf, ok := c.l.tail.find(sequence); ok {
		return at, leaf, nil
	}
	number, i := sequence/tileWidth, sequence%tileWidth
	if c.records == nil || c.tile != number {
		spare := c.records
		c.records = nil
		records, err := c.l.index.tile(number, spare)
		if err != nil {
			return spot{}, decisions.Hash{}, err
		}
		c.tile, c.records = number, records
	}
	return c.records.spot(i), c.records.leaf(i), nil
}

// bytes are good until the next call.
func (c *cursor) bytes(sequence uint64, at spot) ([]byte, error) {
	s := c.l.segments.holding(sequence)
	if s == nil {
		return nil, c.l.origin().gone(sequence)
	}
	if c.segment != s {
		c.segment, c.scan = s, scanner{file: s.file, buf: c.scan.buf[:0], ahead: readAhead}
	}
	raw, err := c.scan.peek(int64(at.offset), int(at.size))
	if err != nil {
		return nil, &BadEntryError{sequence, s.name, int64(at.offset), err}
	}
	return raw, nil
}

// readAhead is how many bytes are read with an entry: those behind it are often next.
const readAhead = 16 << 10
