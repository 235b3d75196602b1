package ledger

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Erase destroys the keys of an entry's items, and returns the Erased entry that says
// so (R33). The entry is durable first: whatever happens then, a start finishes what it
// says. Where all was erased before it returns the entry that did, and appends nothing.
// It needs no room but the entry's. Errors: ErrNotFound, ErrNothingToErase, decisions.ErrItemKey,
// ErrClosed, ErrFailed.
func (l *Ledger) Erase(sequence uint64, by *ledgerv1.Actor, reason string) (Record, error) {
	l.erasing.Lock()
	defer l.erasing.Unlock()
	r, err := l.Entry(sequence)
	if err != nil {
		return Record{}, err
	}
	erased, already, err := l.erasable(r)
	if err != nil || already != nil {
		return l.erasedEntry(already, err)
	}
	erased.Actor, erased.Reason = by, reason
	receipts, err := l.appendOwn([]*ledgerv1.Entry{{Body: &ledgerv1.Entry_Erased{Erased: erased}}})
	if err != nil {
		return Record{}, err
	}
	if err := l.items.destroy(erased, receipts[0].Sequence); err != nil {
		return Record{}, l.fail(err)
	}
	l.opts.Logger.Info("erased", "entry", sequence, "items", len(erased.GetItems()), "by", by.GetName(), "erased_by_entry", receipts[0].Sequence)
	return l.Entry(receipts[0].Sequence)
}

// closeItems waits for an erasure that is under way.
func (l *Ledger) closeItems() error {
	l.erasing.Lock()
	defer l.erasing.Unlock()
	return l.items.close()
}

// erasedEntry is the Erased entry of before, or why there is nothing to erase.
func (l *Ledger) erasedEntry(already *ErasedError, err error) (Record, error) {
	if already == nil {
		return Record{}, err
	}
	return l.Entry(already.By)
}

// erasable lists the items whose keys are there. Where none is left it says who erased
// them, or why they are missing.
func (l *Ledger) erasable(r Record) (*ledgerv1.Erased, *ErasedError, error) {
	items := r.Entry.GetDecision().GetItems()
	if len(items) == 0 {
		return nil, nil, fmt.Errorf("%w: entry %d holds nothing that is encrypted: no masked value, no large input", ErrNothingToErase, r.Sequence)
	}
	erased := &ledgerv1.Erased{Sequence: r.Sequence}
	var already *ErasedError
	var missing error
	for _, item := range items {
		switch err := l.CheckItem(item); {
		case err == nil:
			erased.Items = append(erased.Items, &ledgerv1.ErasedItem{Slot: item.GetSlot(), KeyCheck: item.GetKeyCheck()})
		case !errors.As(err, &already):
			missing = err
		}
	}
	if len(erased.Items) > 0 {
		return erased, nil, nil
	}
	return nil, already, missing
}

// destroy overwrites the keys that an Erased entry names, where they are there.
func (k *itemKeys) destroy(e *ledgerv1.Erased, by uint64) error {
	var slots []uint64
	for _, item := range e.GetItems() {
		s, err := k.slot(item.GetSlot())
		damaged := errors.Is(err, errSlot) // and may hold some of the key
		if err != nil && !damaged {
			return fmt.Errorf("entry %d erased the item of slot %d: %w", by, item.GetSlot(), err)
		}
		if damaged || s.state == slotKey && bytes.Equal(s.key.Check(hex.EncodeToString(k.id[:]), item.GetSlot()), item.GetKeyCheck()) {
			slots = append(slots, item.GetSlot())
		}
	}
	return k.erase(slots, by)
}

// erasures are the Erased entries that a walk met. What they say is done again when the
// walk has found everything in order.
type erasures struct{ entries []decisions.Envelope }

func (x *erasures) note(e decisions.Envelope) {
	if e.Kind == decisions.KindErased {
		e.Body = bytes.Clone(e.Body)
		x.entries = append(x.entries, e)
	}
}

// destroyAgain finishes what a crash cut short, and erases anew what an old copy of the
// key directory brought back.
func (k *itemKeys) destroyAgain(x *erasures) error {
	for _, e := range x.entries {
		var erased ledgerv1.Erased
		if err := proto.Unmarshal(e.Body, &erased); err != nil {
			return fmt.Errorf("%w: entry %d: %w", ErrDamaged, e.Sequence, err)
		}
		if err := k.destroy(&erased, e.Sequence); err != nil {
			return err
		}
	}
	return nil
}

// erasedBefore checks that an Erased entry is about one before it.
func erasedBefore(e decisions.Envelope) error {
	var erased ledgerv1.Erased
	if err := proto.Unmarshal(e.Body, &erased); err != nil {
		return err
	}
	if erased.GetSequence() >= e.Sequence || len(erased.GetItems()) == 0 {
		return fmt.Errorf("it erases %d items of entry %d, expected some of an entry before it", len(erased.GetItems()), erased.GetSequence())
	}
	return nil
}
