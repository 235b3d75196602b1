package decisions_test

import (
	"bytes"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

func body(t testing.TB) []byte {
	t.Helper()
	b, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Tool: "pay"}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What is appended behind a body decodes as one message with it, and comes apart again.
func TestSeal(t *testing.T) {
	settlement, err := proto.Marshal(&ledgerv1.Settlement{DecisionId: "5f3c09ab-1"})
	if err != nil {
		t.Fatal(err)
	}
	for name, stored := range map[string][]byte{"settled": settlement, "as judged": nil, "settled, empty": {}} {
		raw := decisions.Seal(nil, body(t), 7, 1e18, stored)
		var e ledgerv1.Entry
		if err := proto.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		if e.GetSequence() != 7 || e.GetTimeUnixNano() != 1e18 || e.GetDecision().GetTool() != "pay" || (e.GetSettlement() != nil) != (stored != nil) {
			t.Errorf("%s: decoded %v", name, &e)
		}
		env, err := decisions.ParseEnvelope(raw)
		if err != nil || env.Sequence != 7 || env.Time != 1e18 || env.Kind != decisions.KindDecision || (env.Settlement == nil) != (stored == nil) || !bytes.Equal(env.Settlement, stored) {
			t.Errorf("%s: parsed %+v, %v", name, env, err)
		}
	}
}

// An entry that a decoder would merge into something else is not an entry.
func TestParseEnvelopeRefuses(t *testing.T) {
	b := body(t)
	whole := decisions.Seal(nil, b, 7, 8, nil)
	for name, raw := range map[string][]byte{
		"nothing":               nil,
		"body only":             b,
		"two bodies":            decisions.Seal(nil, append(bytes.Clone(b), b...), 7, 8, nil),
		"sequence before body":  append(decisions.Seal(nil, nil, 7, 8, nil), b...),
		"second sequence":       decisions.Seal(whole, nil, 9, 9, nil),
		"unknown body":          decisions.Seal(nil, []byte{0x52, 0}, 7, 8, nil),
		"cut":                   whole[:len(whole)-1],
		"bytes behind":          append(bytes.Clone(whole), 0),
		"settlement cut":        decisions.Seal(nil, b, 7, 8, []byte("x"))[:len(whole)+2],
		"settlement, then more": append(decisions.Seal(nil, b, 7, 8, []byte{}), 0x7a, 0),
	} {
		if got, err := decisions.ParseEnvelope(raw); !errors.Is(err, decisions.ErrEnvelope) {
			t.Errorf("%s: got %+v, %v, expected ErrEnvelope", name, got, err)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add(decisions.Seal(nil, body(f), 7, 8, []byte("\x08\x01")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, err := decisions.ParseEnvelope(raw)
		if err != nil {
			return
		}
		// Reading what it depends on must not panic, whatever the body is.
		_, _ = decisions.ReadEvent(e.Kind, e.Body)
		_, _ = decisions.DecisionBlobs(e.Body)
		var m ledgerv1.Entry
		if proto.Unmarshal(raw, &m) == nil && (m.GetSequence() != e.Sequence || m.GetTimeUnixNano() != e.Time) {
			t.Fatalf("a decoder reads sequence %d and time %d, we read %d and %d", m.GetSequence(), m.GetTimeUnixNano(), e.Sequence, e.Time)
		}
	})
}
