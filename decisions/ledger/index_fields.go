package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"iter"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/dgraph-io/badger/v4"

	"github.com/writ-dev/writ/decisions"
)

// errUnread says that the index does not hold a segment's fields, or not all of them.
var errUnread = errors.New("the segment's fields are not in the index")

// setFields writes what a sealed segment holds: its chunks, and behind them the
// directory, without which they are none.
func (x *index) setFields(c *columns) error {
	w := x.db.NewWriteBatch()
	defer w.Cancel()
	directory := bytes.Clone(c.segment.mark[:])
	for f := range c.rows {
		table := chunker{write: func(number int, chunk []byte) error {
			return w.Set(chunkKey(c.segment.number, f, number), bytes.Clone(chunk))
		}}
		for value, entries := range c.postings(f) {
			if err := table.add(value, entries); err != nil {
				return x.damaged(err)
			}
		}
		if err := table.flush(); err != nil {
			return x.damaged(err)
		}
		directory = appendDirectory(directory, table.firsts)
	}
	if err := w.Flush(); err != nil {
		return x.damaged(err)
	}
	return x.damaged(x.db.Update(func(txn *badger.Txn) error {
		return txn.Set(directoryKey(c.segment.number), directory)
	}))
}

// hasFields says whether a segment was written whole.
func (x *index) hasFields(s *segment) (bool, error) {
	err := x.get(func(txn *badger.Txn) error {
		_, err := readDirectory(txn, s)
		return err
	})
	if errors.Is(err, errUnread) {
		return false, nil
	}
	return err == nil, x.damaged(err)
}

// dropFields forgets what a segment held that was pruned.
func (x *index) dropFields(number uint32) error {
	w := x.db.NewWriteBatch()
	defer w.Cancel()
	err := x.db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.IteratorOptions{Prefix: binary.BigEndian.AppendUint32([]byte{'f'}, number)})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			if err := w.Delete(it.Item().KeyCopy(nil)); err != nil {
				return err
			}
		}
		return w.Delete(directoryKey(number))
	})
	if err == nil {
		err = w.Flush()
	}
	return x.damaged(err)
}

// choose returns the entries of a segment that hold all of the terms. Errors: errUnread,
// and the index's.
func (x *index) choose(s *segment, terms []decisions.Term) (chosen, error) {
	var all *roaring.Bitmap
	for i, t := range terms {
		some, err := x.bitmap(s, t)
		switch {
		case err != nil:
			return nil, err
		case some == nil || i > 0 && !all.Intersects(some):
			return bitmapChosen{}, nil
		case i == 0:
			all = some
		default:
			all = roaring.And(all, some)
		}
	}
	return bitmapChosen{all}, nil
}

// bitmap returns the entries of a segment that hold a term; nil where none does. It is
// shared, so that nobody may change it.
func (x *index) bitmap(s *segment, t decisions.Term) (found *roaring.Bitmap, err error) {
	key := bitmapKey{s.mark, t}
	if found, known := x.bitmaps.get(key); known {
		return found, nil
	}
	chunk := 0
	err = x.get(func(txn *badger.Txn) error {
		directory, err := readDirectory(txn, s)
		if err == nil {
			found, chunk, err = bitmapAt(txn, directory, s.number, t)
		}
		return err
	})
	if errors.Is(err, errUnread) {
		return nil, err
	}
	if err == nil {
		x.bitmaps.put(key, found, chunk)
	}
	return found, x.damaged(err)
}

// readDirectory returns a segment's directory: a few kB, which are kept. Errors:
// errUnread where there is none, or another segment's of that number.
func readDirectory(txn *badger.Txn, s *segment) ([]byte, error) {
	if known := s.directory.Load(); known != nil {
		return *known, nil
	}
	item, err := txn.Get(directoryKey(s.number))
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, errUnread
	}
	if err != nil {
		return nil, err
	}
	directory, err := item.ValueCopy(nil)
	if err == nil && !bytes.HasPrefix(directory, s.mark[:]) {
		err = errUnread
	}
	if err != nil {
		return nil, err
	}
	directory = directory[markSize:]
	s.directory.Store(&directory)
	return directory, nil
}

// bitmapAt reads a term's bitmap, and says how large the chunk is that it is in; nil
// where no entry holds it. A chunk that went missing makes the segment unread.
func bitmapAt(txn *badger.Txn, directory []byte, segment uint32, t decisions.Term) (found *roaring.Bitmap, size int, err error) {
	number, err := chunkOf(directory, int(t.Field), t.Value)
	if err != nil {
		return nil, 0, err
	}
	item, err := txn.Get(chunkKey(segment, int(t.Field), number))
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, 0, errUnread
	}
	if err != nil {
		return nil, 0, err
	}
	err = item.Value(func(chunk []byte) (err error) { // the item's copy of it, which is nobody else's
		size = len(chunk)
		found, err = findInChunk(chunk, t.Value)
		return err
	})
	return found, size, err
}

func chunkKey(segment uint32, field, number int) []byte {
	key := append(binary.BigEndian.AppendUint32([]byte{'f'}, segment), byte(field))
	return binary.BigEndian.AppendUint32(key, uint32(number)) //nolint:gosec // far fewer
}

func directoryKey(segment uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte{'r'}, segment)
}

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
		if b.Bitmap == nil || b.IsEmpty() {
			return
		}
		all := b.Bitmap
		if all.Maximum() >= to {
			below := roaring.New()
			below.AddRange(0, uint64(to))
			all = roaring.And(all, below)
		}
		for it := all.ReverseIterator(); it.HasNext(); {
			if n := it.Next(); n < from || !yield(n) {
				return
			}
		}
	}
}
