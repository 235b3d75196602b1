package ledger

import (
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
)

// assembly is the batch that is being put together. Its buffers are used again.
type assembly struct {
	buf    []byte
	leaves []decisions.Hash
	ends   []uint32 // in buf, of each entry
	time   int64
	limit  int // of buf
}

func (a *assembly) reset(time int64) {
	a.buf, a.leaves, a.ends, a.time = appendHeader(a.buf[:0]), a.leaves[:0], a.ends[:0], time
}

// full says whether another entry might not fit.
func (a *assembly) full() bool {
	return len(a.leaves) >= maxBatch || len(a.buf)+2+decisions.MaxEntry > a.limit
}

// add settles a proposal and appends its entry. The error is the state's; nothing
// was added then.
func (a *assembly) add(state *decisions.State, p decisions.Proposal, e decisions.Event, sequence uint64) (decisions.Receipt, error) {
	settlement, err := state.Next(e, sequence, a.time)
	if err != nil {
		return decisions.Receipt{}, err
	}
	var stored []byte
	if settlement != nil {
		if stored, err = proto.Marshal(settlement); err != nil {
			return decisions.Receipt{}, err
		}
	}
	buf, at := openEntry(a.buf)
	a.buf = decisions.Seal(buf, p.Body, sequence, a.time, stored)
	leaf := closeEntry(a.buf, at)
	a.leaves, a.ends = append(a.leaves, leaf), append(a.ends, uint32(len(a.buf))) //nolint:gosec // below maxFrame
	return decisions.Receipt{LogID: state.LogID, Sequence: sequence, Leaf: leaf, Time: unixTime(a.time), Settlement: settlement}, nil
}
