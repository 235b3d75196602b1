package server

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Report logs what became of a permitted call (R32). The decision and its outcome
// are separate entries.
func (d *Decider) Report(caller Caller, decisionID string, result ledgerv1.Result, finalTarget string) (decisions.Receipt, error) {
	report := &ledgerv1.OutcomeReported{DecisionId: decisionID, Result: result, Caller: caller.Name}
	if finalTarget != "" {
		sum := d.digests.Sum("target", []byte(finalTarget))
		report.FinalTargetDigest = sum[:]
	}
	body, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: report}})
	if err != nil {
		return decisions.Receipt{}, err
	}
	receipt, err := d.ledger.Append(decisions.Proposal{Body: body})
	if err != nil {
		return decisions.Receipt{}, fmt.Errorf("the report could not be logged: send it again: %w", err)
	}
	return receipt, nil
}
