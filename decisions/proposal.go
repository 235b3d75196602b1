package decisions

import (
	"time"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Hash is a SHA-256 sum.
type Hash = [32]byte

// Proposal is an entry on its way to the log: judged and accepted, not durable.
type Proposal struct {
	// Body is the wire form of a ledgerv1.Entry without sequence, time and
	// settlement; the ledger's writer appends those.
	Body []byte
	// Claim is what must hold for the judgement to stand; nil where nothing must.
	Claim *Claim
	// Keys is how many item keys must be durable first: one more than the largest slot
	// of an item in Body; 0 where there is none.
	Keys uint64
}

// Claim is a decision's claim on an idempotency key (R27). It repeats what Body
// says, so that the writer need not decode.
type Claim struct {
	// Key is the digest of workspace, caller and key; Request of the request.
	Key, Request Hash
	// Outcome and Reason are what was judged.
	Outcome Outcome
	Reason  Reason
	// Lifetime is how long the key is remembered.
	Lifetime time.Duration
}

// Receipt says where an entry is durable. Only the ledger makes one.
type Receipt struct {
	LogID    string
	Sequence uint64
	Leaf     Hash
	Time     time.Time
	// Settlement is nil where the judgement stands.
	Settlement *ledgerv1.Settlement
}
