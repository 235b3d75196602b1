package decisions_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// appendTo takes an entry with a body in, as the log does, and returns its settlement.
func appendTo(s *decisions.Snapshot, body []byte, sequence uint64, at int64) []byte {
	state := decisions.State{LogID: s.LogID, Keys: &s.Keys}
	kind, message, err := decisions.BodyKind(body)
	event := must(decisions.ReadEvent(kind, message))
	var stored []byte
	if settlement := must(state.Next(event, sequence, at)); settlement != nil && err == nil {
		stored = must(proto.Marshal(settlement))
	}
	raw := decisions.Seal(nil, body, sequence, at, stored)
	s.Append(must(decisions.ParseEnvelope(raw)), decisions.LeafHash(raw), raw)
	return raw
}

// A log that goes on from a snapshot gives the same entries, tree and state as the one
// that kept everything, and the same snapshot later.
func TestSnapshotGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := &decisions.Snapshot{LogID: testLog}
		cut, now := rapid.IntRange(1, 600).Draw(t, "cut"), int64(0)
		sequence := uint64(0)
		for ; sequence < uint64(cut); sequence++ {
			now += rapid.Int64Range(0, 60e9).Draw(t, "step")
			appendTo(whole, drawEntry(t, sequence), sequence, now)
		}
		rest := must(decisions.ParseSnapshot(must(whole.Encode())))
		for end := sequence + 20; sequence < end; sequence++ {
			now += rapid.Int64Range(0, 60e9).Draw(t, "step")
			body := drawEntry(t, sequence)
			if a, b := appendTo(whole, body, sequence, now), appendTo(rest, body, sequence, now); !bytes.Equal(a, b) {
				t.Fatalf("entry %d: the whole log has %x, from the snapshot it is %x", sequence, a, b)
			}
		}
		if whole.Tree.Root() != rest.Tree.Root() || !bytes.Equal(must(whole.Encode()), must(rest.Encode())) {
			t.Fatal("the states differ")
		}
	})
}

// Of what was activated, the last stays; of what the log is, all.
func TestSnapshotKeepsEntries(t *testing.T) {
	s := &decisions.Snapshot{LogID: testLog}
	policy := func(revision string) *ledgerv1.Entry {
		return &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{Revision: revision}}}
	}
	for i, e := range []*ledgerv1.Entry{
		{Body: &ledgerv1.Entry_LogCreated{LogCreated: &ledgerv1.LogCreated{LogId: testLog}}},
		policy("a"),
		{Body: &ledgerv1.Entry_CatalogActivated{CatalogActivated: &ledgerv1.CatalogActivated{Revision: "b"}}},
		policy("c"),
		{Body: &ledgerv1.Entry_WriterStarted{WriterStarted: &ledgerv1.WriterStarted{}}},
		{Body: &ledgerv1.Entry_Erased{Erased: &ledgerv1.Erased{}}},
	} {
		appendTo(s, must(proto.Marshal(e)), uint64(i), 1)
	}
	var kept []uint64
	for _, raw := range must(decisions.ParseSnapshot(must(s.Encode()))).Entries {
		kept = append(kept, must(decisions.ParseEnvelope(raw)).Sequence)
	}
	if want := []uint64{0, 2, 3, 5}; !slices.Equal(kept, want) {
		t.Errorf("it keeps the entries %v, expected %v", kept, want)
	}
}

// What is no state of any log is refused.
func TestSnapshotRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*ledgerv1.StateSnapshot){
		"log id":               func(m *ledgerv1.StateSnapshot) { m.LogId = "x" },
		"size":                 func(m *ledgerv1.StateSnapshot) { m.Size++ },
		"a node too few":       func(m *ledgerv1.StateSnapshot) { m.Nodes = nil },
		"a short leaf":         func(m *ledgerv1.StateSnapshot) { m.Leaves[0] = m.Leaves[0][1:] },
		"batch hash":           func(m *ledgerv1.StateSnapshot) { m.BatchHash = nil },
		"entries out of order": func(m *ledgerv1.StateSnapshot) { slices.Reverse(m.Entries) },
		"an entry of later": func(m *ledgerv1.StateSnapshot) {
			m.Entries[0] = decisions.Seal(nil, body(t), 900, 1, nil)
		},
		"keys out of order":       func(m *ledgerv1.StateSnapshot) { slices.Reverse(m.Keys) },
		"one key twice":           func(m *ledgerv1.StateSnapshot) { m.Keys[1] = m.Keys[0] },
		"two keys from one entry": func(m *ledgerv1.StateSnapshot) { m.Keys[1].FirstSequence = m.Keys[0].FirstSequence },
		"a key of later":          func(m *ledgerv1.StateSnapshot) { m.Keys[0].FirstSequence = 900 },
		"a key that has expired":  func(m *ledgerv1.StateSnapshot) { m.Keys[0].ExpiresUnixNano = m.TimeUnixNano },
		"an unknown outcome":      func(m *ledgerv1.StateSnapshot) { m.Keys[0].Outcome = 0 },
		"an unknown result":       func(m *ledgerv1.StateSnapshot) { m.Keys[0].Result = 99 },
	} {
		var m ledgerv1.StateSnapshot
		if err := proto.Unmarshal(someSnapshot(), &m); err != nil {
			t.Fatal(err)
		}
		spoil(&m)
		if _, err := decisions.ParseSnapshot(must(proto.Marshal(&m))); !errors.Is(err, decisions.ErrSnapshot) {
			t.Errorf("%s: got %v, expected ErrSnapshot", name, err)
		}
	}
}

// someSnapshot is of 300 entries with two keys and two activations.
func someSnapshot() []byte {
	s := &decisions.Snapshot{LogID: testLog}
	for i := range uint64(300) {
		entry := &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{}}}
		switch {
		case i%2 == 0:
			entry.Body = &ledgerv1.Entry_CatalogActivated{CatalogActivated: &ledgerv1.CatalogActivated{}}
		case i < 4:
			key := decisions.Hash{byte(i)}
			entry.Body = &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
				RequestDigest: key[:], IdempotencyKey: &ledgerv1.IdempotencyKey{KeyDigest: key[:], LifetimeSeconds: 9},
			}}
		}
		appendTo(s, must(proto.Marshal(entry)), i, 1)
	}
	return must(s.Encode())
}

// What parses is a state: it encodes, and to what parses to the same.
func FuzzSnapshot(f *testing.F) {
	f.Add(someSnapshot())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decisions.ParseSnapshot(b)
		if err != nil {
			return
		}
		first := must(s.Encode())
		again, err := decisions.ParseSnapshot(first)
		if err != nil || !bytes.Equal(first, must(again.Encode())) || again.Tree.Root() != s.Tree.Root() {
			t.Fatalf("it does not come back: %v", err)
		}
	})
}
