package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os/exec"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// samples is how many answers are followed into the log one by one.
const samples = 200

// evidence is what was found of the answers in the log.
type evidence struct {
	// Sampled answers were found at their place, with their leaf hash.
	Sampled int `json:"sampled"`
	// Outcomes counts the sampled answers.
	Outcomes map[string]int `json:"outcomes"`
}

// evidence asks for decisions and looks each up in the log, then verifies the whole
// log offline while the service still runs.
func (svc *service) evidence(ctx context.Context, writ string) (evidence, error) {
	found := evidence{Outcomes: map[string]int{}}
	for i := range samples {
		// Spread over tools, stages and changed fingerprints.
		call, err := svc.at.plain(i * 33)
		if err != nil {
			return found, err
		}
		answer, err := writv1.NewDecisionServiceClient(svc.conn).Decide(ctx, call)
		if err != nil {
			return found, err
		}
		if err := svc.logged(ctx, call, answer); err != nil {
			return found, err
		}
		found.Sampled++
		found.Outcomes[answer.GetOutcome().String()]++
	}
	if err := verifyLog(ctx, writ, svc.at.data); err != nil {
		return found, fmt.Errorf("while the service runs: %w", err)
	}
	return found, nil
}

// logged checks that the log holds the answer where the answer says.
func (svc *service) logged(ctx context.Context, call *writv1.DecideRequest, answer *writv1.DecideResponse) error {
	place := answer.GetLog().GetSequence()
	got, err := writv1.NewLogServiceClient(svc.conn).GetEntry(ctx, &writv1.GetEntryRequest{
		By: &writv1.GetEntryRequest_Sequence{Sequence: place},
	})
	if err != nil {
		return fmt.Errorf("entry %d: %w", place, err)
	}
	leaf := sha256.Sum256(append([]byte{0}, got.GetEntry().GetRaw()...)) // RFC 6962 §2.1
	if !bytes.Equal(leaf[:], answer.GetLog().GetLeafHash()) {
		return fmt.Errorf("entry %d: the stored bytes hash to %x, and the answer said %x", place, leaf, answer.GetLog().GetLeafHash())
	}
	if id := got.GetEntry().GetDecisionId(); id != answer.GetDecisionId() {
		return fmt.Errorf("entry %d is decision %s, and the answer said %s", place, id, answer.GetDecisionId())
	}
	decision := got.GetEntry().GetEntry().GetDecision()
	if decision.GetTool() != call.GetTool() || decision.GetSession() != call.GetSession() {
		return fmt.Errorf("entry %d holds another call than the one that was answered", place)
	}
	return nil
}

// verifyLog has the log verified offline.
func verifyLog(ctx context.Context, writ, data string) error {
	out, err := exec.CommandContext(ctx, writ, "log", "verify", data).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s log verify: %w: %s", writ, err, out)
	}
	return nil
}
