package decisions

import (
	"errors"
	"fmt"
	"time"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Record is one stored entry. Its bytes were checked against the tree when read.
type Record struct {
	Sequence uint64
	Time     time.Time
	Leaf     Hash
	// Raw are the stored bytes that Leaf covers; the caller's to keep.
	Raw   []byte
	Entry *ledgerv1.Entry
}

// Errors of a log that its callers tell apart. They come wrapped, with what, where
// and the next step.
var (
	// ErrNoSpace: too little room for another entry. It passes by itself when there
	// is room again.
	ErrNoSpace = errors.New("the log has no room")
	// ErrLogFailed: a write or sync failed. It is final.
	ErrLogFailed = errors.New("the log failed")
	// ErrLogClosed: the service is stopping.
	ErrLogClosed = errors.New("the log is closed")
	// ErrTooLarge: an entry over 65,535 bytes.
	ErrTooLarge = errors.New("the entry is too large")
	// ErrNotFound: no entry or blob of that name.
	ErrNotFound = errors.New("not in the log")
	// ErrNothingToErase: the entry holds nothing that is encrypted.
	ErrNothingToErase = errors.New("nothing to erase")
	// ErrPruned: the entry was in the log and was pruned. It is an ErrNotFound.
	ErrPruned = fmt.Errorf("%w any more", ErrNotFound)
	// ErrUncovered: no signed checkpoint covers the entry yet. It passes by itself.
	ErrUncovered = errors.New("not covered by a checkpoint yet")
	// ErrDamaged: stored bytes are not what was written.
	ErrDamaged = errors.New("the log is damaged")
)
