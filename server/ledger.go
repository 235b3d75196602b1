package server

import (
	"errors"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Ledger is what the story needs of a log. It is safe for concurrent use.
type Ledger interface {
	// Append returns when the entry is durable, or an error and no entry that
	// anybody may act on.
	Append(decisions.Proposal) (decisions.Receipt, error)
	// AppendAll appends in order and waits once. Either all are durable or the
	// error stands for each.
	AppendAll([]decisions.Proposal) ([]decisions.Receipt, error)
	// PutBlob returns the content's name, lower-case hex SHA-256, when it is durable.
	PutBlob([]byte) (string, error)
	// PutItem encrypts content under a key of its own, so that it can be erased, and
	// returns what an entry names it by. The key is durable before the entry of a
	// proposal whose Keys is beyond the item's slot.
	PutItem(ledgerv1.ItemKind, []byte) (*ledgerv1.Item, error)
}

// ErrInvalid marks a call that cannot be judged because it is not well formed. The
// transport tells the caller which field.
var ErrInvalid = errors.New("invalid request")
