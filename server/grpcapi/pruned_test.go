package grpcapi_test

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// R28, R32: a decision that was pruned is not found, and whoever asks is told where it is;
// what it permitted may still be reported, and a repeat of it is still known.
func TestPrunedDecision(t *testing.T) {
	s := startSample(t)
	call := sampleCall()
	call.IdempotencyKey = "once"
	first, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	if first.GetOutcome() != writv1.Outcome_OUTCOME_RUN {
		t.Fatal(first)
	}
	large, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Inputs: bytes.Repeat([]byte{' '}, 60_000)}}})
	must(t, err)
	for range 60 { // some segments
		_, err := s.log.Append(decisions.Proposal{Body: large})
		must(t, err)
	}
	report, err := s.log.Prune(t.Context(), ledger.PruneOptions{KeepBytes: 1, Archive: "none"})
	must(t, err)
	if report.First <= first.GetLog().GetSequence() {
		t.Fatal(report)
	}
	_, err = s.entries.GetEntry(t.Context(), &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_DecisionId{DecisionId: first.GetDecisionId()}})
	if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "pruned") {
		t.Errorf("got %v, expected NOT_FOUND", err)
	}
	_, err = s.decisions.Report(t.Context(), &writv1.ReportRequest{DecisionId: first.GetDecisionId(), Result: writv1.Result_RESULT_SUCCEEDED})
	must(t, err)
	again, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	if again.GetDecisionId() != first.GetDecisionId() || again.GetRepeat().GetFirstResult() != writv1.Result_RESULT_SUCCEEDED {
		t.Errorf("a repeat is answered %v", again)
	}
}
