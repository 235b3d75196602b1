package decisions

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Each visits the records, in no order, until visit fails.
func (m *MemoryKeys) Each(visit func(Hash, KeyRecord) error) error {
	for key, r := range m.records {
		if err := visit(key, r); err != nil {
			return err
		}
	}
	return nil
}

// record returns what has not expired at an entry's time, in ascending order.
func (m *MemoryKeys) record(now int64) []*ledgerv1.KeyState {
	states := make([]*ledgerv1.KeyState, 0, len(m.records))
	for key, r := range m.records {
		if r.Expires > now {
			states = append(states, r.state(key))
		}
	}
	slices.SortFunc(states, func(a, b *ledgerv1.KeyState) int { return bytes.Compare(a.GetKeyDigest(), b.GetKeyDigest()) })
	return states
}

func (r KeyRecord) state(key Hash) *ledgerv1.KeyState {
	return &ledgerv1.KeyState{
		KeyDigest: key[:], RequestDigest: r.Request[:], FirstSequence: r.First.Sequence, Epoch: r.First.Epoch, ExpiresUnixNano: r.Expires,
		Outcome: r.Outcome.Record(), Result: r.Result,
		Reason: &ledgerv1.Reason{Code: string(r.Reason.Code), Sentence: r.Reason.Sentence, Rule: r.Reason.Rule},
	}
}

// restore reads the records of a log's first size entries, the last of which is of
// time now.
func (m *MemoryKeys) restore(states []*ledgerv1.KeyState, size uint64, now int64) error {
	var last []byte
	for i, s := range states {
		key, record, err := keyRecord(s)
		switch {
		case err != nil:
		case bytes.Compare(s.GetKeyDigest(), last) <= 0 && i > 0:
			err = errors.New("it does not ascend from the one before")
		case record.First.Epoch == "" && record.First.Sequence >= size || record.Expires <= now:
			err = fmt.Errorf("it begins with entry %d and expires at %d, expected one of %d entries and after %d", record.First.Sequence, record.Expires, size, now)
		case m.begins(record.First):
			err = fmt.Errorf("entry %d begins another key too", record.First.Sequence)
		}
		if err != nil {
			return fmt.Errorf("key %d: %w", i, err)
		}
		m.SetKey(key, record, record.First.Sequence)
		last = s.GetKeyDigest()
	}
	return nil
}

func (m *MemoryKeys) begins(first EntryRef) bool {
	_, begun := m.firsts[first]
	return begun
}

func keyRecord(s *ledgerv1.KeyState) (Hash, KeyRecord, error) {
	digests, err := hashes("digests", [][]byte{s.GetKeyDigest(), s.GetRequestDigest()}, 2)
	if err != nil {
		return Hash{}, KeyRecord{}, err
	}
	outcome := RecordedOutcome(s.GetOutcome())
	if outcome.Record() != s.GetOutcome() {
		return Hash{}, KeyRecord{}, fmt.Errorf("outcome %d is not known", s.GetOutcome())
	}
	if _, known := ledgerv1.Result_name[int32(s.GetResult())]; !known {
		return Hash{}, KeyRecord{}, fmt.Errorf("result %d is not known", s.GetResult())
	}
	if epoch := s.GetEpoch(); epoch != "" && (len(epoch) != idPrefix || !isLowerHex(epoch)) {
		return Hash{}, KeyRecord{}, fmt.Errorf("epoch %.20q: expected %d hex digits", epoch, idPrefix)
	}
	reason := s.GetReason()
	return digests[0], KeyRecord{
		Request: digests[1], First: EntryRef{s.GetEpoch(), s.GetFirstSequence()}, Expires: s.GetExpiresUnixNano(), Outcome: outcome, Result: s.GetResult(),
		Reason: Reason{Code: Code(reason.GetCode()), Sentence: reason.GetSentence(), Rule: reason.GetRule()},
	}, nil
}
