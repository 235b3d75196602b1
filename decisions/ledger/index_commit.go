package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"

	"github.com/writ-dev/writ/decisions"
)

// commit takes a tile in, as one transaction. The time of its last batch decides which
// keys the sweep finds expired.
func (x *index) commit(t tile) (err error) {
	defer func() {
		if err != nil {
			x.broken.Store(true)
			err = fmt.Errorf("index %s: %w: start again, it will be rebuilt", x.dir, err)
		}
	}()
	txn := x.db.NewTransaction(true)
	defer txn.Discard()
	if err := x.setTile(txn, t); err != nil {
		return err
	}
	for _, c := range t.changes {
		if err := setKey(txn, c); err != nil {
			return err
		}
	}
	if err := x.sweep(txn, 2*len(t.changes)+16, t.last.before); err != nil {
		return err
	}
	x.last = t.last
	position, err := x.position()
	if err != nil {
		return err
	}
	if err := txn.Set([]byte{'p'}, position); err != nil {
		return err
	}
	return txn.Commit()
}

// setTile writes the entries' records and the nodes above them, and moves the frontier.
func (x *index) setTile(txn *badger.Txn, t tile) error {
	number := x.size() / tileWidth
	sum, err := x.entries.write(number, t.leaves, t.spots)
	for _, leaf := range t.leaves {
		x.frontier.AppendVisit(leaf, func(level int, n uint64, node decisions.Hash) {
			if level >= tileLevel {
				err = errors.Join(err, txn.Set(nodeKey(level, n), append([]byte(nil), node[:]...)))
			}
		})
	}
	if err != nil {
		return err
	}
	return txn.Set(tileKey(number), binary.BigEndian.AppendUint32(appendPlace(nil, x.last), sum))
}

// setKey writes a record, and the way to it from its first entry.
func setKey(txn *badger.Txn, c change) error {
	name := keyKey(c.key)
	old, err := getKey(txn, name)
	if err != nil && !errors.Is(err, badger.ErrKeyNotFound) {
		return err
	}
	if err == nil && old.First != c.record.First {
		if err := txn.Delete(firstKey(old.First)); err != nil {
			return err
		}
	}
	if err := txn.Set(firstKey(c.record.First), c.key[:]); err != nil {
		return err
	}
	return txn.Set(name, appendRecord(nil, c.record))
}

// sweep looks at some key records, going round, and deletes what has expired. Should
// a deleted record come back, its own expiry still holds.
func (x *index) sweep(txn *badger.Txn, count int, now int64) error {
	it := txn.NewIterator(badger.IteratorOptions{Prefix: []byte{'k'}, PrefetchValues: true, PrefetchSize: count})
	defer it.Close()
	from := x.cursor
	if from == nil {
		from = []byte{'k'}
	}
	var expired [][]byte
	for it.Seek(from); it.Valid() && count > 0; it.Next() {
		count--
		item := it.Item()
		var record decisions.KeyRecord
		if err := item.Value(func(b []byte) (err error) { record, err = parseRecord(b); return err }); err != nil {
			return err
		}
		if record.Expires <= now {
			expired = append(expired, item.KeyCopy(nil), firstKey(record.First))
		}
	}
	x.cursor = nil
	if it.Valid() {
		x.cursor = it.Item().KeyCopy(nil)
	}
	for _, name := range expired {
		if err := txn.Delete(name); err != nil {
			return err
		}
	}
	return nil
}

// tileLevel is the level of a tile's root: 2^8 leaves.
const tileLevel = 8

func tileKey(n uint64) []byte { return binary.BigEndian.AppendUint64([]byte{'t'}, n) }
func nodeKey(level int, n uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{'n', byte(level)}, n)
}
func keyKey(key decisions.Hash) []byte { return append([]byte{'k'}, key[:]...) }
func firstKey(first decisions.EntryRef) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{'s'}, first.Sequence), first.Epoch...)
}
