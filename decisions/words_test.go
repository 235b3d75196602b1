package decisions

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// checkWords proves that words and values are one to one, as product.md spells them,
// and that any other word is refused with the strictest value.
func checkWords[T wordy](t *testing.T, parse func(string) (T, error), words string) {
	t.Helper()
	list := strings.Fields(words)
	for i, word := range list {
		v, err := parse(word)
		if err != nil || v != T(i) || v.String() != word {
			t.Errorf("%q reads as %d (%v), want %d", word, v, err, i)
		}
	}
	for _, wrong := range []string{"", "unknown", strings.ToUpper(list[1]) + " ", " " + list[0]} {
		if v, err := parse(wrong); !errors.Is(err, ErrUnknownWord) || v != 0 {
			t.Errorf("%q reads as %v, %v", wrong, v, err)
		}
	}
	if beyond := T(len(list)); beyond.String() != list[0] && beyond.String() != "unknown" {
		t.Errorf("a value beyond the last reads %q", beyond)
	}
}

func TestWords(t *testing.T) {
	checkWords(t, ParseEffect, "write read")
	checkWords(t, ParseRisk, "high medium low")
	checkWords(t, ParseUndo, "impossible possible trivial")
	checkWords(t, ParseExposure, "outbound sensitive internal none")
	checkWords(t, ParseOutcome, "REFUSE RECORD_ONLY AWAIT_APPROVAL RUN")
	checkWords(t, ParseApprovalKind, "none per_call session")
	checkWords(t, ParseSourceKind, "unclassified platform review release hint_at_review hint_at_call")
	checkWords(t, ParseTrait, "effect risk undo exposure collection idempotent")
}

// R2, R11: what the log does not know reads as the strictest.
func TestRecordedUnknownIsStrictest(t *testing.T) {
	for _, n := range []int32{-1 << 31, -1, 0, 7, 99, 1<<31 - 1} {
		strict := RecordedEffect(ledgerv1.Effect(n)) == Write && RecordedRisk(ledgerv1.Risk(n)) == HighRisk &&
			RecordedUndo(ledgerv1.Undo(n)) == UndoImpossible && RecordedExposure(ledgerv1.Exposure(n)) == OutboundExposure &&
			RecordedOutcome(ledgerv1.Outcome(n)) == Refuse && RecordedApprovalKind(ledgerv1.ApprovalKind(n)) == NoApproval &&
			RecordedSourceKind(ledgerv1.SourceKind(n)) == Unclassified
		if !strict {
			t.Errorf("%d is not read as the strictest", n)
		}
	}
	if got := RecordedTraits(nil); got != (Classified{}) {
		t.Errorf("no traits read as %v", got)
	}
}

func TestRecordWordsAgreeWithTheLog(t *testing.T) {
	for o := Refuse; o <= Run; o++ {
		if got, want := o.Record().String(), "OUTCOME_"+o.String(); got != want || RecordedOutcome(o.Record()) != o {
			t.Errorf("%v is recorded as %s, want %s", o, got, want)
		}
	}
	for k := Unclassified; k <= HintAtCall; k++ {
		want := "SOURCE_KIND_" + strings.ToUpper(k.String())
		if k == Unclassified {
			want = "SOURCE_KIND_UNSPECIFIED"
		}
		if got := k.Record().String(); got != want || RecordedSourceKind(k.Record()) != k {
			t.Errorf("%v is recorded as %s, want %s", k, got, want)
		}
	}
	for k := NoApproval; k <= Session; k++ {
		if RecordedApprovalKind(k.Record()) != k {
			t.Errorf("%v does not come back", k)
		}
	}
	if PerCall.Record() != ledgerv1.ApprovalKind_APPROVAL_KIND_PER_CALL {
		t.Errorf("per_call is recorded as %v", PerCall.Record())
	}
}

// Every combination of traits comes back from the log's bytes, with its sources.
func TestTraitsComeBackFromTheLog(t *testing.T) {
	for traits := range everyTraits {
		c := Classify(Statement{traits, Source{Review, "reviewed"}})
		c.Sources[RiskTrait] = Source{HintAtCall, "destructiveHint"}
		wire, err := proto.Marshal(c.Record())
		if err != nil {
			t.Fatal(err)
		}
		var back ledgerv1.Traits
		if err := proto.Unmarshal(wire, &back); err != nil {
			t.Fatal(err)
		}
		if got := RecordedTraits(&back); got != c {
			t.Fatalf("%v comes back as %v", c, got)
		}
		for i, word := range map[Trait]string{EffectTrait: back.Effect.String(), RiskTrait: back.Risk.String(), UndoTrait: back.Undo.String(), ExposureTrait: back.Exposure.String()} {
			spelt := map[Trait]string{EffectTrait: traits.Effect.String(), RiskTrait: traits.Risk.String(), UndoTrait: traits.Undo.String(), ExposureTrait: traits.Exposure.String()}[i]
			if want := strings.ToUpper(i.String() + "_" + spelt); word != want {
				t.Fatalf("recorded as %s, want %s", word, want)
			}
		}
	}
}
