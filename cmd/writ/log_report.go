package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"time"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// showPlace begins a table with where an entry stands.
func showPlace(e *writv1.LogEntry) *table {
	var t table
	t.row("entry", fmt.Sprintf("%d of log %s", e.GetPosition().GetSequence(), e.GetPosition().GetLogId()))
	t.row("leaf hash", hex.EncodeToString(e.GetPosition().GetLeafHash()))
	t.row("time", e.GetTime().AsTime().Format(time.RFC3339Nano))
	return &t
}

// showReport prints what became of a permitted call, beside the decision that it was
// under (R32).
func showReport(s streams, e *writv1.LogEntry, decided *ledgerv1.Decision, missing error) error {
	report, t := e.GetEntry().GetOutcomeReported(), showPlace(e)
	t.row("kind", kindWord(e.GetEntry()))
	t.row("decision", report.GetDecisionId())
	if decided != nil {
		t.row("call", callName(&writv1.DecideRequest{Server: decided.GetServer(), Method: decided.GetMethod(), Tool: decided.GetTool()}))
	}
	t.row("result", word(report.GetResult().String(), "RESULT_"))
	t.row("reported by", reporter(report.GetCaller()))
	t.row("final target", finalTarget(report, decided, missing))
	return t.print(s.out)
}

func reporter(caller string) string {
	if caller == "" {
		return "nobody who was authenticated"
	}
	return caller
}

// finalTarget compares the two targets' keyed digests: another one is a finding.
func finalTarget(report *ledgerv1.OutcomeReported, decided *ledgerv1.Decision, missing error) string {
	switch {
	case len(report.GetFinalTargetDigest()) == 0:
		return "not stated"
	case decided == nil:
		return fmt.Sprintf("stated, but the decision can't be read: %v", missing)
	case bytes.Equal(report.GetFinalTargetDigest(), decided.GetTargetDigest()):
		return "the one that was decided"
	case len(decided.GetTargetDigest()) == 0:
		return "stated; the decision named none"
	}
	return "ANOTHER than was decided"
}
