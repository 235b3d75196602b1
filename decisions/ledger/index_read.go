package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// key returns the record of an idempotency key.
func (x *index) key(key decisions.Hash) (record decisions.KeyRecord, known bool, err error) {
	err = x.view(func(txn *badger.Txn) error {
		record, err = getKey(txn, keyKey(key))
		known = err == nil
		return err
	})
	return record, known, err
}

// keyOf returns the key whose record begins with an entry.
func (x *index) keyOf(first decisions.EntryRef) (key decisions.Hash, known bool, err error) {
	err = x.view(func(txn *badger.Txn) error {
		item, err := txn.Get(firstKey(first))
		if err != nil {
			return err
		}
		known = true
		return item.Value(func(b []byte) error { copy(key[:], b); return nil })
	})
	return key, known, err
}

// view reads; what is not there is no error. Anything else breaks the index.
func (x *index) view(read func(*badger.Txn) error) error {
	err := x.get(read)
	if err == nil || errors.Is(err, badger.ErrKeyNotFound) {
		return nil
	}
	x.broken.Store(true)
	return fmt.Errorf("index %s: %w: start again, it will be rebuilt", x.dir, err)
}

func (x *index) get(read func(*badger.Txn) error) error {
	return x.guard(func() error { return x.db.View(read) })
}

func getKey(txn *badger.Txn, name []byte) (record decisions.KeyRecord, err error) {
	item, err := txn.Get(name)
	if err != nil {
		return record, err
	}
	err = item.Value(func(b []byte) error { record, err = parseRecord(b); return err })
	return record, err
}

// tilePlace returns a tile's place, and the checksum of its entries' records.
func (x *index) tilePlace(number uint64) (at place, sum uint32, err error) {
	err = x.get(func(txn *badger.Txn) error {
		item, err := txn.Get(tileKey(number))
		if err != nil {
			return fmt.Errorf("tile %d: %w", number, err)
		}
		return item.Value(func(b []byte) error {
			if len(b) != placeSize+4 {
				return fmt.Errorf("tile %d has %d bytes", number, len(b))
			}
			at, sum = parsePlace(b), binary.BigEndian.Uint32(b[placeSize:])
			return nil
		})
	})
	return at, sum, x.damaged(err)
}

// tile returns the records of a tile's entries, in the memory of spare ones, or of their
// own where those are nil.
func (x *index) tile(number uint64, spare tileRecords) (tileRecords, error) {
	_, sum, err := x.tilePlace(number)
	if err != nil {
		return nil, err
	}
	records, err := x.entries.read(number, sum, spare)
	return records, x.damaged(err)
}

// damaged notes that the index is: the next start rebuilds it.
func (x *index) damaged(err error) error {
	if err == nil {
		return nil
	}
	x.broken.Store(true)
	return fmt.Errorf("%w: index %s: %w: start again, it will be rebuilt", ErrDamaged, x.dir, err)
}

// root returns the tree's root at a size that the index has reached.
func (x *index) root(size uint64) (decisions.Hash, error) {
	h, err := tlog.TreeHash(int64(size), tlog.HashReaderFunc(x.readHashes))
	return decisions.Hash(h), err
}

// readHashes implements tlog.HashReader: nodes below a tile's root are computed from
// its leaves.
func (x *index) readHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		level, n := tlog.SplitStoredHashIndex(at)
		node, err := x.node(level, uint64(n))
		if err != nil {
			return nil, err
		}
		hashes[i] = tlog.Hash(node)
	}
	return hashes, nil
}

func (x *index) node(level int, n uint64) (node decisions.Hash, err error) {
	if level < tileLevel {
		first := n << level
		records, err := x.tile(first/tileWidth, nil)
		if err != nil {
			return node, err
		}
		var f decisions.Frontier
		for i := range uint64(1) << level {
			f.Append(records.leaf(first%tileWidth + i))
		}
		return f.Root(), nil
	}
	err = x.get(func(txn *badger.Txn) error {
		item, err := txn.Get(nodeKey(level, n))
		if err != nil {
			return err
		}
		return item.Value(func(b []byte) error { copy(node[:], b); return nil })
	})
	return node, err
}

// appendRecord writes a key record: request, sequence of the first, expiry, outcome,
// result, and the reason's three strings and the first's epoch, each after its length in
// 2 bytes.
func appendRecord(dst []byte, r decisions.KeyRecord) []byte {
	dst = append(dst, r.Request[:]...)
	dst = binary.BigEndian.AppendUint64(dst, r.First.Sequence)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Expires))
	dst = append(dst, byte(r.Outcome), byte(r.Result))
	for _, s := range []string{string(r.Reason.Code), r.Reason.Sentence, r.Reason.Rule, r.First.Epoch} {
		dst = append(binary.BigEndian.AppendUint16(dst, uint16(len(s))), s...)
	}
	return dst
}

var errRecord = errors.New("a key record is damaged")

// parseRecord reads what appendRecord wrote.
func parseRecord(b []byte) (r decisions.KeyRecord, err error) {
	const fixed = 32 + 8 + 8 + 1 + 1
	if len(b) < fixed {
		return r, errRecord
	}
	r.Request = decisions.Hash(b[:32])
	r.First.Sequence, r.Expires = binary.BigEndian.Uint64(b[32:]), int64(binary.BigEndian.Uint64(b[40:]))
	r.Outcome, r.Result = decisions.Outcome(b[48]), ledgerv1.Result(b[49])
	var parts [4]string
	b = b[fixed:]
	for i := range parts {
		if len(b) < 2 || len(b)-2 < int(binary.BigEndian.Uint16(b)) {
			return decisions.KeyRecord{}, errRecord
		}
		n := 2 + int(binary.BigEndian.Uint16(b))
		parts[i], b = string(b[2:n]), b[n:]
	}
	r.Reason = decisions.Reason{Code: decisions.Code(parts[0]), Sentence: parts[1], Rule: parts[2]}
	r.First.Epoch = parts[3]
	return r, nil
}
