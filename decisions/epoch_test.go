package decisions_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

const nextLog = "00112233445566778899aabbccddeeff"

// A log that goes on from a restored one answers a repeat as the restored one would have:
// no gentler, of the same decision, and with what is known of its permits, also where the
// report comes later (R27, R28).
func TestRepeatsAcrossEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := &decisions.Snapshot{LogID: testLog}
		cut, now := uint64(rapid.IntRange(1, 60).Draw(t, "cut")), int64(0)
		for sequence := range cut {
			now += rapid.Int64Range(0, 20e9).Draw(t, "step")
			appendTo(old, drawEntry(t, sequence), sequence, now)
		}
		old = must(decisions.ParseSnapshot(must(old.Encode())))
		next := &decisions.Snapshot{LogID: nextLog, Keys: *old.Carried()}
		for i := range uint64(30) {
			now += rapid.Int64Range(0, 20e9).Draw(t, "step")
			if i == 15 { // and once more
				next = must(decisions.ParseSnapshot(must(next.Encode())))
			}
			body := drawEntry(t, cut-1)
			a, b := settled(t, appendTo(old, body, cut+i, now)), settled(t, appendTo(next, body, i, now))
			if (a == nil) != (b == nil) || a.GetOutcome() != b.GetOutcome() || a.GetFirstResult() != b.GetFirstResult() || a.GetReason().GetCode() != b.GetReason().GetCode() {
				t.Fatalf("entry %d: the old log says {%v}, the next epoch {%v}", i, a, b)
			}
			if a.GetDecisionId() != "" && a.GetFirstSequence() < cut && (a.GetDecisionId() != b.GetDecisionId() || a.GetFirstSequence() != b.GetFirstSequence()) {
				t.Fatalf("entry %d: a repeat of %s was answered as one of %s", i, a.GetDecisionId(), b.GetDecisionId())
			}
		}
	})
}

func settled(t *rapid.T, raw []byte) *ledgerv1.Settlement {
	e := must(decisions.ParseEnvelope(raw))
	if e.Settlement == nil {
		return nil
	}
	var s ledgerv1.Settlement
	if err := proto.Unmarshal(e.Settlement, &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// What the next epoch begins itself is its own, whatever the number.
func TestEpochsHaveTheirOwnNumbers(t *testing.T) {
	old := &decisions.Snapshot{LogID: testLog}
	keyed := func(key byte) []byte {
		return must(proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
			RequestDigest:  make([]byte, 32),
			IdempotencyKey: &ledgerv1.IdempotencyKey{KeyDigest: append(make([]byte, 31), key), LifetimeSeconds: 60},
			Judgement:      &ledgerv1.Judgement{Outcome: decisions.Run.Record()},
		}}}))
	}
	report := func(log string) []byte {
		return must(proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{
			DecisionId: decisions.DecisionID(log, 0), Result: ledgerv1.Result_RESULT_SUCCEEDED,
		}}}))
	}
	appendTo(old, keyed(1), 0, 1)
	next := &decisions.Snapshot{LogID: nextLog, Keys: *old.Carried()}
	appendTo(next, keyed(2), 0, 2)
	appendTo(next, report(testLog), 1, 3)
	for key, want := range map[byte]string{1: "5f3c09ab-0 RESULT_SUCCEEDED", 2: "00112233-0 RESULT_UNKNOWN"} {
		raw := appendTo(next, keyed(key), uint64(1+key), 4)
		var s ledgerv1.Settlement
		if err := proto.Unmarshal(must(decisions.ParseEnvelope(raw)).Settlement, &s); err != nil {
			t.Fatal(err)
		}
		if got := s.GetDecisionId() + " " + s.GetFirstResult().String(); got != want {
			t.Errorf("key %d: %s, expected %s", key, got, want)
		}
	}
}
