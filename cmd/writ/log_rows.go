package main

import (
	"strconv"
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// listHeading names the columns of a list. What ENTRY says is what log show takes.
func listHeading() []string { return []string{"TIME", "ENTRY", "OUTCOME", "REASON", "CALL", "STAGE"} }

// listRow is an entry in those columns.
func listRow(e *writv1.LogEntry) []string {
	at, own := e.GetTime().AsTime().Local().Format(time.DateTime), strconv.FormatUint(e.GetPosition().GetSequence(), 10)
	if report := e.GetEntry().GetOutcomeReported(); report != nil {
		return []string{at, own, word(report.GetResult().String(), "RESULT_"), "outcome reported", "of " + report.GetDecisionId(), ""}
	}
	d := e.GetEntry().GetDecision()
	if d == nil {
		return []string{at, own, "-", kindWord(e.GetEntry()), "-", ""}
	}
	outcome, reason := final(e.GetEntry())
	said := outcomeWord(writv1.Outcome(outcome))
	if isRepeat(e) {
		said += " (repeat)"
	} else {
		own = e.GetDecisionId()
	}
	call := &writv1.DecideRequest{Server: d.GetServer(), Method: d.GetMethod(), Tool: d.GetTool()}
	return []string{at, own, said, reason.GetCode(), callName(call), d.GetStage()}
}

// isRepeat says that a decision carries the id of an earlier one (R27).
func isRepeat(e *writv1.LogEntry) bool {
	own := decisions.DecisionID(e.GetPosition().GetLogId(), e.GetPosition().GetSequence())
	return e.GetDecisionId() != "" && e.GetDecisionId() != own
}

// final is what was answered: the settlement's word where there is one.
func final(e *ledgerv1.Entry) (ledgerv1.Outcome, *ledgerv1.Reason) {
	if s := e.GetSettlement(); s != nil {
		return s.GetOutcome(), s.GetReason()
	}
	return e.GetDecision().GetJudgement().GetOutcome(), e.GetDecision().GetJudgement().GetReason()
}

// kindName is the kind as the record format and the filter name it.
func kindName(e *ledgerv1.Entry) string {
	m := e.ProtoReflect()
	if body := m.WhichOneof(m.Descriptor().Oneofs().ByName("body")); body != nil {
		return string(body.Name())
	}
	return ""
}

func kindWord(e *ledgerv1.Entry) string {
	switch body := e.GetBody().(type) {
	case *ledgerv1.Entry_LogCreated:
		if body.LogCreated.GetRestored() != nil {
			return "log restored"
		}
		return "log created"
	case *ledgerv1.Entry_WriterStarted:
		return "writer started"
	case *ledgerv1.Entry_PolicyActivated:
		return "policy activated"
	case *ledgerv1.Entry_CatalogActivated:
		return "catalogue activated"
	case *ledgerv1.Entry_OutcomeReported:
		return "outcome reported"
	case *ledgerv1.Entry_KeyChanged:
		return "key changed"
	case *ledgerv1.Entry_Erased:
		return "erased"
	case *ledgerv1.Entry_Pruned:
		return "pruned"
	}
	return "unknown to this version"
}
