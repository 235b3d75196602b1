package decisions

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// ErrSnapshot says that bytes are no state snapshot.
var ErrSnapshot = errors.New("not a state snapshot")

// Snapshot is what of a log's first entries the later ones depend on
// (ledgerv1.StateSnapshot): the log goes on from it as if they were there. It is taken
// at the end of a batch. The zero value is the empty log's.
type Snapshot struct {
	LogID string
	// Time is the last entry's, and BatchHash the last batch's.
	Time      int64
	BatchHash Hash
	// Tree is of all those entries; Leaves are the hashes of those behind the last
	// multiple of 256.
	Tree   Frontier
	Leaves []Hash
	// Entries that still say something about later ones, as stored, in order.
	Entries [][]byte
	Keys    MemoryKeys
}

// snapshotTile is how many leaves one node of a snapshot's tree covers at least.
const snapshotTile = 256

// Size is how many entries it is of.
func (s *Snapshot) Size() uint64 { return s.Tree.Size() }

// Append takes an entry in, whose bytes are raw: tree, leaves and kept entries. The
// keys are State's to change.
func (s *Snapshot) Append(e Envelope, leaf Hash, raw []byte) {
	s.Time = e.Time
	if s.Tree.Append(leaf); s.Size()%snapshotTile == 0 {
		s.Leaves = s.Leaves[:0]
	} else {
		s.Leaves = append(s.Leaves, leaf)
	}
	switch e.Kind {
	case KindLogCreated, KindKeyChanged, KindErased:
		s.Entries = append(s.Entries, append([]byte(nil), raw...))
	case KindPolicyActivated, KindCatalogActivated:
		s.replace(e.Kind, append([]byte(nil), raw...))
	}
}

// replace keeps an entry in place of the earlier one of its kind.
func (s *Snapshot) replace(kind Kind, raw []byte) {
	s.Entries = slices.DeleteFunc(s.Entries, func(old []byte) bool {
		k, _, _, err := cutBody(old)
		return err == nil && k == kind
	})
	s.Entries = append(s.Entries, raw)
}

// Encode returns it as a ledgerv1.StateSnapshot, without the keys that have expired.
func (s *Snapshot) Encode() ([]byte, error) {
	m := &ledgerv1.StateSnapshot{
		LogId: s.LogID, Size: s.Size(), TimeUnixNano: s.Time, BatchHash: s.BatchHash[:],
		Entries: s.Entries, Keys: s.Keys.record(s.Time),
	}
	for i := range upperNodes(s.Size()) {
		m.Nodes = append(m.Nodes, s.Tree.nodes[i][:])
	}
	for i := range s.Leaves {
		m.Leaves = append(m.Leaves, s.Leaves[i][:])
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// Tiles is the tree of the entries up to the last multiple of 256.
func (s *Snapshot) Tiles() Frontier {
	return Frontier{size: s.Size() - s.Size()%snapshotTile, nodes: append([]Hash(nil), s.Tree.nodes[:upperNodes(s.Size())]...)}
}

// upperNodes is how many complete subtrees cover the entries up to the last multiple
// of 256.
func upperNodes(size uint64) int { return bits.OnesCount64(size / snapshotTile) }

// ParseSnapshot reads what Encode wrote. Errors: ErrSnapshot.
func ParseSnapshot(b []byte) (*Snapshot, error) {
	var m ledgerv1.StateSnapshot
	if err := proto.Unmarshal(b, &m); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	s := &Snapshot{LogID: m.GetLogId(), Time: m.GetTimeUnixNano(), Entries: m.GetEntries()}
	if len(s.LogID) != 32 || !isLowerHex(s.LogID) {
		return nil, fmt.Errorf("%w: log id %.40q: expected 32 hex digits", ErrSnapshot, s.LogID)
	}
	err := s.setTree(&m)
	if err == nil {
		err = s.checkEntries()
	}
	if err == nil {
		err = s.Keys.restore(m.GetKeys(), s.Size(), s.Time)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	return s, nil
}

func (s *Snapshot) setTree(m *ledgerv1.StateSnapshot) error {
	nodes, err := hashes("nodes", m.GetNodes(), upperNodes(m.GetSize()))
	if err != nil {
		return err
	}
	if s.Leaves, err = hashes("leaves", m.GetLeaves(), int(m.GetSize()%snapshotTile)); err != nil {
		return err
	}
	last, err := hashes("batch hash", [][]byte{m.GetBatchHash()}, 1)
	if err != nil {
		return err
	}
	s.BatchHash = last[0]
	s.Tree = Frontier{size: m.GetSize() - m.GetSize()%snapshotTile, nodes: nodes}
	for _, leaf := range s.Leaves {
		s.Tree.Append(leaf)
	}
	return nil
}

func hashes(what string, raw [][]byte, count int) ([]Hash, error) {
	if len(raw) != count {
		return nil, fmt.Errorf("%s: %d hashes, expected %d", what, len(raw), count)
	}
	all := make([]Hash, count)
	for i, h := range raw {
		if len(h) != len(Hash{}) {
			return nil, fmt.Errorf("%s: a hash of %d bytes, expected %d", what, len(h), len(Hash{}))
		}
		all[i] = Hash(h)
	}
	return all, nil
}

// checkEntries: in order, and of those entries that it is the state after.
func (s *Snapshot) checkEntries() error {
	next := uint64(0)
	for i, raw := range s.Entries {
		e, err := ParseEnvelope(raw)
		if err != nil {
			return fmt.Errorf("kept entry %d: %w", i, err)
		}
		if e.Sequence < next || e.Sequence >= s.Size() {
			return fmt.Errorf("kept entry %d: it is entry %d, expected one from %d on, of %d", i, e.Sequence, next, s.Size())
		}
		next = e.Sequence + 1
	}
	return nil
}
