package ledger

import "github.com/writ-dev/writ/decisions"

// seedKeys is how many key records go into one transaction.
const seedKeys = 1000

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
