package ledger

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// maxInlineItem is the most bytes of an encrypted item that stands in the entry itself:
// what is small costs no file and no sync of its own.
const maxInlineItem = 4096

// PutItem encrypts what may be personal under a key of its own, and returns what an
// entry names it by. The key is durable before an entry whose Proposal.Keys covers its
// slot. Errors: ErrTooLarge, ErrNoSpace, the disk's.
func (l *Ledger) PutItem(kind ledgerv1.ItemKind, content []byte) (*ledgerv1.Item, error) {
	var key decisions.ItemKey
	rand.Read(key[:]) // never fails
	slot := l.items.reserve(key)
	sealed, err := key.Seal(l.keys.logID, slot, kind, content)
	if err != nil {
		return nil, err
	}
	item := &ledgerv1.Item{Kind: kind, Slot: slot, KeyCheck: key.Check(l.keys.logID, slot)}
	if len(sealed) <= maxInlineItem {
		item.Sealed = sealed
		return item, nil
	}
	item.SealedSha256, err = l.PutBlob(sealed)
	return item, err
}

func keysOf(ps []decisions.Proposal) (before uint64) {
	for _, p := range ps {
		before = max(before, p.Keys)
	}
	return before
}

// keysDurable waits for the keys of the items that proposals name. A failure is final.
func (l *Ledger) keysDurable(before uint64) error {
	if before == 0 {
		return nil
	}
	err := l.items.sync(before)
	if err == nil || errors.Is(err, ErrNoSpace) || errors.Is(err, ErrProposal) || errors.Is(err, ErrClosed) {
		return err
	}
	return l.fail(err)
}

// Item decrypts an item. Errors: ErrErased, as an *ErasedError; decisions.ErrItemKey
// where its key is not in the key directory; ErrDamaged; those of Blob.
func (l *Ledger) Item(item *ledgerv1.Item) ([]byte, error) {
	return openItem(l.opts, l.keys.logID, item, l.items.slot)
}

// CheckItem says whether an item can be decrypted, by the errors of Item, without doing so.
func (l *Ledger) CheckItem(item *ledgerv1.Item) error {
	_, err := itemKey(l.opts, l.keys.logID, item, l.items.slot)
	return err
}

// ErasedError says that an item's key was destroyed.
type ErasedError = decisions.ErasedError

func openItem(o Options, logID string, item *ledgerv1.Item, slots func(uint64) (slot, error)) ([]byte, error) {
	key, err := itemKey(o, logID, item, slots)
	if err != nil {
		return nil, err
	}
	sealed := item.GetSealed()
	if name := item.GetSealedSha256(); name != "" {
		if sealed, err = readBlob(o.FS, o.blobDir(), name); err != nil {
			return nil, err
		}
	}
	content, err := key.Open(logID, item.GetSlot(), item.GetKind(), sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: the item of slot %d: %w", ErrDamaged, item.GetSlot(), err)
	}
	return content, nil
}

// itemKey finds an item's key. Another item's, in a slot that an old copy of the key
// directory made free again, is not taken for it.
func itemKey(o Options, logID string, item *ledgerv1.Item, slots func(uint64) (slot, error)) (decisions.ItemKey, error) {
	number := item.GetSlot()
	s, err := slots(number)
	switch {
	case err != nil:
		return s.key, fmt.Errorf("%w: %s: %w: restore the newest copy of the file", decisions.ErrItemKey, filepath.Join(o.KeyDir, itemKeysFile), err)
	case s.state == slotErased:
		return s.key, &ErasedError{Slot: number, By: s.by}
	case s.state != slotKey || !bytes.Equal(s.key.Check(logID, number), item.GetKeyCheck()):
		return s.key, fmt.Errorf("%w: slot %d of %s is not this item's: restore the newest copy of the file", decisions.ErrItemKey, number, filepath.Join(o.KeyDir, itemKeysFile))
	}
	return s.key, nil
}
