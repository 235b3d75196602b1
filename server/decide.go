// Package server tells the story of one decision: resolve the tool, ask the
// policy, hold the floor, log, answer. Protocols live in its subpackages.
package server

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// Decider judges calls. It holds no lock across a decision: what judges is an
// immutable snapshot, and what changes is the ledger's.
type Decider struct {
	active   atomic.Pointer[Active]
	ledger   Ledger
	digests  *decisions.DigestKey
	observed *Observed
	now      func() time.Time
}

// Caller is who the transport authenticated (R36). The zero value is nobody.
type Caller struct {
	Name string
	// By is the authentication's name, "none" where there is none.
	By string
}

// Decide judges one call and returns when the decision is durable (R31). An error
// is not an answer: the call must not run. A cancelled context does not stop it:
// once judging began, an entry is owed.
func (d *Decider) Decide(ctx context.Context, caller Caller, call *decisions.Request) (*Answer, error) {
	judged, err := d.judge(ctx, caller, call)
	if err != nil {
		return nil, err
	}
	proposal, err := d.propose(&judged)
	if err != nil {
		return nil, err
	}
	receipt, err := d.ledger.Append(proposal)
	if err != nil {
		return nil, fmt.Errorf("the decision could not be logged, so there is none: %w", err)
	}
	return judged.answer(receipt), nil
}

// judge resolves the call, asks the policy and holds the floor. What it returns
// is not yet an answer.
func (d *Decider) judge(ctx context.Context, caller Caller, call *decisions.Request) (judgement, error) {
	var room [1024]byte
	request, err := call.Digest(room[:])
	if err != nil {
		return judgement{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	active := d.active.Load()
	found := active.Catalog.Resolve(query(call))
	j := judgement{
		caller:  caller,
		call:    call,
		request: request,
		active:  active,
		traits:  found.Classified,
		stage:   decisions.EarlierStage(active.stages, call.Stage, found.Stage),
		at:      d.now(),

		proseChanged: proseChanged(call, found.Pin),
		warnings:     found.Warnings,
	}
	if refusal := d.floorRefuses(&j, &found); refusal != nil {
		j.refuse(*refusal)
		return j, nil
	}
	input := j.input()
	j.verdict = active.Policy.Evaluate(context.WithoutCancel(ctx), &input)
	j.holdFloor()
	return j, nil
}

// DecideAll judges many calls in order, each on its own, and waits once. The
// answer or the error of call i is at place i.
func (d *Decider) DecideAll(ctx context.Context, caller Caller, calls []*decisions.Request) ([]*Answer, []error) {
	answers, errs := make([]*Answer, len(calls)), make([]error, len(calls))
	judged, places := make([]judgement, 0, len(calls)), make([]int, 0, len(calls))
	proposals := make([]decisions.Proposal, 0, len(calls))
	for i, call := range calls {
		if call == nil {
			continue // its error is known to who converted it
		}
		j, err := d.judge(ctx, caller, call)
		if err != nil {
			errs[i] = err
			continue
		}
		p, err := d.propose(&j)
		if err != nil {
			errs[i] = err
			continue
		}
		judged, proposals, places = append(judged, j), append(proposals, p), append(places, i)
	}
	receipts, err := d.ledger.AppendAll(proposals)
	for k, place := range places {
		if err != nil {
			errs[place] = fmt.Errorf("the decision could not be logged, so there is none: %w", err)
			continue
		}
		answers[place] = judged[k].answer(receipts[k])
	}
	return answers, errs
}
