package decisions_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// decodedFields reads the same by decoding the whole entry.
func decodedFields(e *ledgerv1.Entry) [decisions.FieldCount]string {
	var f [decisions.FieldCount]string
	if name := e.ProtoReflect().WhichOneof(e.ProtoReflect().Descriptor().Oneofs().ByName("body")); name != nil {
		f[decisions.FieldKind] = string(name.Name())
	}
	d := e.GetDecision()
	if d == nil {
		return f
	}
	outcome, reason := d.GetJudgement().GetOutcome(), d.GetJudgement().GetReason()
	if s := e.GetSettlement(); s != nil {
		outcome, reason = s.GetOutcome(), s.GetReason()
	}
	f[decisions.FieldSession], f[decisions.FieldProcess] = d.GetSession(), d.GetParties().GetProcess()
	f[decisions.FieldAutomation], f[decisions.FieldServer] = d.GetParties().GetAutomation(), d.GetServer()
	f[decisions.FieldTool], f[decisions.FieldApproval] = d.GetTool(), d.GetApprovalId()
	f[decisions.FieldOutcome], f[decisions.FieldReason] = decisions.RecordedOutcome(outcome).String(), reason.GetCode()
	return f
}

func drawAnswer(t *rapid.T) (ledgerv1.Outcome, *ledgerv1.Reason) {
	code := rapid.SampledFrom([]string{"", "read_low", "tool_unknown"}).Draw(t, "code")
	return ledgerv1.Outcome(rapid.IntRange(0, 4).Draw(t, "outcome")), &ledgerv1.Reason{Code: code, Sentence: "Because."}
}

func drawFound(t *rapid.T) *ledgerv1.Entry {
	word := rapid.SampledFrom([]string{"", "a", "mail", "s-17"})
	e := &ledgerv1.Entry{}
	if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		e.Body = &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{DecisionId: "00000000-1"}}
		return e
	}
	d := &ledgerv1.Decision{
		Session: word.Draw(t, "session"), Server: word.Draw(t, "server"), Tool: word.Draw(t, "tool"),
		ApprovalId: word.Draw(t, "approval"), Workspace: word.Draw(t, "workspace"), Inputs: []byte(word.Draw(t, "inputs")),
	}
	if rapid.Bool().Draw(t, "parties") {
		d.Parties = &ledgerv1.Parties{Process: word.Draw(t, "process"), Automation: word.Draw(t, "automation"), Caller: "c"}
	}
	if rapid.Bool().Draw(t, "judged") {
		outcome, reason := drawAnswer(t)
		d.Judgement = &ledgerv1.Judgement{Outcome: outcome, Reason: reason, PermitSeconds: 60}
	}
	if rapid.Bool().Draw(t, "settled") {
		outcome, reason := drawAnswer(t)
		e.Settlement = &ledgerv1.Settlement{Outcome: outcome, Reason: reason, DecisionId: "00000000-1"}
	}
	e.Body = &ledgerv1.Entry_Decision{Decision: d}
	return e
}

func store(t rapid.TB, e *ledgerv1.Entry) []byte {
	body, err := proto.Marshal(&ledgerv1.Entry{Body: e.GetBody()})
	if err != nil {
		t.Fatal(err)
	}
	var settlement []byte
	if e.GetSettlement() != nil {
		if settlement, err = proto.Marshal(e.GetSettlement()); err != nil {
			t.Fatal(err)
		}
	}
	return decisions.Seal(nil, body, 7, 1_800_000_000e9, settlement)
}

// What an entry is found by is what it says, whoever reads it: a settlement's answer is
// the effective one.
func TestReadFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawFound(t)
		fields, err := decisions.ReadFields(store(t, e))
		if err != nil {
			t.Fatal(err)
		}
		var got [decisions.FieldCount]string
		for i, v := range fields {
			got[i] = string(v)
		}
		if diff := cmp.Diff(decodedFields(e), got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Whatever the bytes are, reading them ends, and with what decoding them gives.
func FuzzReadFields(f *testing.F) {
	f.Add(store(f, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
		Session: "s", Parties: &ledgerv1.Parties{Process: "p"}, Judgement: &ledgerv1.Judgement{Reason: &ledgerv1.Reason{Code: "c"}},
	}}}))
	f.Fuzz(func(t *testing.T, raw []byte) {
		fields, err := decisions.ReadFields(raw)
		var e ledgerv1.Entry
		if err != nil || proto.Unmarshal(raw, &e) != nil {
			return
		}
		for i, want := range decodedFields(&e) {
			if string(fields[i]) != want {
				t.Errorf("field %d is %q, decoded it is %q", i, fields[i], want)
			}
		}
	})
}

// A kind is named as the record format names it.
func TestKindNames(t *testing.T) {
	if got := decisions.KindName(decisions.KindOutcomeReported); got != "outcome_reported" {
		t.Errorf("got %q", got)
	}
	if got := decisions.KindName(13); got != "" {
		t.Errorf("field 13 is no kind, got %q", got)
	}
	if names := decisions.KindNames(); len(names) < 6 || names[4] != "decision" {
		t.Errorf("got %q", names)
	}
}
