package ledger

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/writ-dev/writ/decisions"
)

// Errors. Each returned error wraps one of these and says what, where, and what to do.
var (
	// ErrInUse: another process holds the directory.
	ErrInUse = errors.New("ledger in use")
	// ErrDamaged: stored bytes are not the ones that were written.
	ErrDamaged = decisions.ErrDamaged
	// ErrNewer: the directory was written by a newer version.
	ErrNewer = errors.New("ledger from a newer version")
	// ErrRolledBack: the log is shorter than a checkpoint, an anchor or its index says.
	ErrRolledBack = errors.New("ledger rolled back")
	// ErrKeys: the keys are missing, or are not this log's.
	ErrKeys = errors.New("ledger keys missing or wrong")
	// ErrNoSpace: too little space is left; passes when there is room.
	ErrNoSpace = decisions.ErrNoSpace
	// ErrFailed: a write or sync failed, so the ledger stopped for good.
	ErrFailed = decisions.ErrLogFailed
	// ErrClosed: Close was called.
	ErrClosed = decisions.ErrLogClosed
	// ErrTooLarge: a body is over decisions.MaxBody.
	ErrTooLarge = decisions.ErrTooLarge
	// ErrProposal: a body is not one that can be proposed, or its claim is not what
	// it says.
	ErrProposal = errors.New("proposal malformed")
	// ErrNotFound: no such entry or blob.
	ErrNotFound = decisions.ErrNotFound
	// ErrNothingToErase: the entry has no items.
	ErrNothingToErase = decisions.ErrNothingToErase
	// ErrPruned: the entry was pruned. It is an ErrNotFound.
	ErrPruned = decisions.ErrPruned
	// ErrUncovered: no checkpoint covers the entry yet; passes when one is written.
	ErrUncovered = decisions.ErrUncovered
	// ErrBackup: the directory is a backup where none is expected, or none where one is.
	ErrBackup = errors.New("a backup is not a log to go on with")
	// ErrUnfinished: a copy into the directory was cut short.
	ErrUnfinished = errors.New("copy not finished")
	// ErrOptions: an option is out of bounds.
	ErrOptions = errors.New("ledger option out of bounds")
)

// BadEntryError names the first entry that does not verify. It is ErrDamaged or, for
// a log that is too short, ErrRolledBack.
type BadEntryError struct {
	Sequence uint64
	File     string
	Offset   int64
	Why      error
}

// Error says entry, file, offset and reason.
func (e *BadEntryError) Error() string {
	return fmt.Sprintf("entry %d (%s, offset %d): %v", e.Sequence, e.File, e.Offset, e.Why)
}

// Unwrap returns the reason.
func (e *BadEntryError) Unwrap() error { return e.Why }

// damaged is an ErrDamaged at a place.
func damaged(sequence uint64, file string, offset int64, format string, args ...any) error {
	return &BadEntryError{sequence, file, offset, fmt.Errorf("%w: %w", ErrDamaged, fmt.Errorf(format, args...))}
}

// nextStep is what to do about a failure that ended the ledger.
func nextStep(cause error) string {
	if errors.Is(cause, ErrDamaged) || errors.Is(cause, ErrRolledBack) {
		return "restore from a backup"
	}
	if errors.Is(cause, syscall.ENOSPC) {
		return "free some space"
	}
	return "look after the disk"
}

// advised adds the next step to an error that is the operating system's own words.
func advised(err error) error {
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) && !errors.Is(err, ErrNoSpace) {
		return fmt.Errorf("%w: %s, then start again", err, nextStep(err))
	}
	return err
}

// restore is the next step where data is gone.
const restore = "keep the directory aside, and begin a new epoch from a backup with writ log restore, or a new log, in another directory"
