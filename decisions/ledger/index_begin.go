package ledger

import (
	"encoding/binary"

	"github.com/dgraph-io/badger/v4"

	"github.com/writ-dev/writ/decisions"
)

// seedKeys is how many key records go into one transaction.
const seedKeys = 1000

// reach makes the index begin with the state that a pruned log begins with, where it
// does not reach what remains of the log. The position is written last: without it the
// next start begins anew.
func (x *index) reach(o *origin) error {
	if o.pruned == nil || x.size() > o.first {
		return nil
	}
	if err := x.reset(); err != nil {
		return err
	}
	if err := x.seedKeys(&o.snapshot.Keys); err != nil {
		return err
	}
	x.last, x.frontier = o.place, o.snapshot.Tiles()
	x.oldest = x.size()
	return x.db.Update(func(txn *badger.Txn) error {
		err := x.frontier.Visit(func(level int, n uint64, node decisions.Hash) error {
			return txn.Set(nodeKey(level, n), node[:])
		})
		if err != nil {
			return err
		}
		if err := txn.Set([]byte{'o'}, binary.BigEndian.AppendUint64(nil, x.oldest)); err != nil {
			return err
		}
		position, err := x.position()
		if err != nil {
			return err
		}
		return txn.Set([]byte{'p'}, position)
	})
}

// seedKeys writes the records of a snapshot into an empty index.
func (x *index) seedKeys(keys *decisions.MemoryKeys) error {
	txn, count := x.db.NewTransaction(true), 0
	defer func() { txn.Discard() }()
	err := keys.Each(func(key decisions.Hash, r decisions.KeyRecord) error {
		if count++; count%seedKeys == 0 {
			if err := txn.Commit(); err != nil {
				return err
			}
			txn = x.db.NewTransaction(true)
		}
		return setKey(txn, change{key: key, record: r})
	})
	if err != nil {
		return err
	}
	return txn.Commit()
}
