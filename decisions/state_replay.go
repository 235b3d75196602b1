package decisions

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// ErrReplay says that an entry's settlement is not what the entries before it give.
var ErrReplay = errors.New("the entry does not follow from the entries before it")

// Replay takes a stored entry in, and checks that the settlement in it is the one
// that the state gives. Errors: ErrEnvelope, ErrReplay, and the KeyStore's.
func (s *State) Replay(e Envelope) error {
	event, err := ReadEvent(e.Kind, e.Body)
	if err != nil {
		return err
	}
	want, err := s.Next(event, e.Sequence, e.Time)
	if err != nil {
		return err
	}
	if want == nil && e.Settlement == nil {
		return nil
	}
	var stored ledgerv1.Settlement
	if err := proto.Unmarshal(e.Settlement, &stored); err != nil {
		return fmt.Errorf("%w: the settlement does not decode: %w", ErrEnvelope, err)
	}
	if want == nil || e.Settlement == nil || !proto.Equal(want, &stored) {
		return fmt.Errorf("%w: the settlement stored is {%v}, the one that follows is {%v}", ErrReplay, &stored, want)
	}
	return nil
}

// MemoryKeys is a KeyStore in memory: for replay and for tests. The zero value is
// empty and ready.
type MemoryKeys struct {
	records map[Hash]KeyRecord
	firsts  map[EntryRef]Hash
}

// Key returns the record of a key. It never fails.
func (m *MemoryKeys) Key(key Hash) (KeyRecord, bool, error) {
	r, ok := m.records[key]
	return r, ok, nil
}

// KeyOf returns the key whose record begins with an entry. It never fails.
func (m *MemoryKeys) KeyOf(first EntryRef) (Hash, bool, error) {
	key, ok := m.firsts[first]
	return key, ok, nil
}

// SetKey writes a record.
func (m *MemoryKeys) SetKey(key Hash, record KeyRecord, _ uint64) {
	if m.records == nil {
		m.records, m.firsts = map[Hash]KeyRecord{}, map[EntryRef]Hash{}
	}
	if old, ok := m.records[key]; ok {
		delete(m.firsts, old.First)
	}
	m.records[key], m.firsts[record.First] = record, key
}

// Sweep drops what has expired at an entry's time.
func (m *MemoryKeys) Sweep(now int64) {
	for key, r := range m.records {
		if r.Expires <= now {
			delete(m.records, key)
			delete(m.firsts, r.First)
		}
	}
}

// Len is the number of records held.
func (m *MemoryKeys) Len() int { return len(m.records) }
