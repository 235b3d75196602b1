package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/dgraph-io/badger/v4"

	"github.com/writ-dev/writ/decisions"
)

// errUnread says that the index does not hold a segment's fields, or not all of them.
var errUnread = errors.New("the segment's fields are not in the index")

// setFields writes what a sealed segment holds, and last that it is all there.
func (x *index) setFields(c *columns) (err error) {
	defer func() {
		if err != nil {
			x.broken.Store(true)
			err = fmt.Errorf("index %s: %w: start again, it will be rebuilt", x.dir, err)
		}
	}()
	w := x.db.NewWriteBatch()
	defer w.Cancel()
	for f := range c.rows {
		table := newChunker(func(under string, chunk []byte) error {
			return w.Set(fieldKey(c.segment.number, f, under), bytes.Clone(chunk))
		})
		for value, entries := range c.postings(f) {
			if err := table.add(value, entries); err != nil {
				return err
			}
		}
		if err := table.finish(); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return x.db.Update(func(txn *badger.Txn) error {
		return txn.Set(readKey(c.segment.number), c.segment.mark[:])
	})
}

// hasFields says whether a segment was written whole.
func (x *index) hasFields(s *segment) (found bool, err error) {
	err = x.view(func(txn *badger.Txn) error {
		item, err := txn.Get(readKey(s.number))
		if err != nil {
			return err
		}
		return item.Value(func(b []byte) error { found = bytes.Equal(b, s.mark[:]); return nil })
	})
	return found, err
}

// choose returns the entries of a segment that hold all of the terms. Errors: errUnread,
// and the index's.
func (x *index) choose(number uint32, terms []decisions.Term) (chosen, error) {
	var all *roaring.Bitmap
	err := x.get(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: segmentPrefix(number)})
		defer it.Close()
		for _, t := range terms {
			some, err := chunkAt(it, number, t)
			if err != nil {
				return err
			}
			if some == nil {
				all = nil
				return nil
			}
			if all == nil {
				all = some
			} else {
				all.And(some)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, errUnread) {
		x.broken.Store(true)
		return nil, fmt.Errorf("index %s: %w: start again, it will be rebuilt", x.dir, err)
	}
	return bitmapChosen{all}, err
}

// chunkAt reads a term's bitmap; nil where no entry holds it.
func chunkAt(it *badger.Iterator, number uint32, t decisions.Term) (found *roaring.Bitmap, err error) {
	it.Seek(fieldKey(number, int(t.Field), t.Value))
	if !it.ValidForPrefix(fieldKey(number, int(t.Field), "")) {
		return nil, errUnread
	}
	err = it.Item().Value(func(chunk []byte) error {
		found, err = findInChunk(chunk, t.Value)
		return err
	})
	if errors.Is(err, errChunk) {
		err = fmt.Errorf("%w: %w", errUnread, err)
	}
	return found, err
}

func segmentPrefix(number uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{'f'}, number)
}
func fieldKey(number uint32, field int, value string) []byte {
	return append(append(segmentPrefix(number), byte(field)), value...)
}
func readKey(number uint32) []byte { return binary.BigEndian.AppendUint32([]byte{'r'}, number) }

// bitmapChosen are the entries in a bitmap; none where it is nil.
type bitmapChosen struct{ *roaring.Bitmap }

func (b bitmapChosen) ascending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if b.Bitmap == nil {
			return
		}
		it := b.Iterator()
		for it.AdvanceIfNeeded(from); it.HasNext() && it.PeekNext() < to; {
			if !yield(it.Next()) {
				return
			}
		}
	}
}

func (b bitmapChosen) descending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if b.Bitmap == nil {
			return
		}
		if to < 1<<32-1 {
			b.RemoveRange(uint64(to), 1<<32)
		}
		for it := b.ReverseIterator(); it.HasNext(); {
			if n := it.Next(); n < from || !yield(n) {
				return
			}
		}
	}
}
