package server

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

const (
	// keyLifetime is how long an idempotency key is remembered.
	keyLifetime = 24 * time.Hour
	// maxInlineInputs is where the inputs that a policy read move to a blob.
	maxInlineInputs = 32 << 10
)

// propose writes the entry: what the decision depended on, the rest as keyed
// digests (R35), and the claim on the idempotency key.
func (d *Decider) propose(j *judgement) (decisions.Proposal, error) {
	c := j.call
	request := d.digests.Sum("request", j.request[:])
	entry := &ledgerv1.Decision{
		Parties: &ledgerv1.Parties{
			Caller: j.caller.Name, CallerBy: j.caller.By,
			Process: c.Process, OnBehalfOf: c.OnBehalfOf, Automation: c.Automation,
		},
		Workspace: c.Workspace, Release: c.Release, StageSaid: c.Stage, Stage: j.stage,
		Server: c.Server, Method: method(c), Tool: c.Tool,
		Credential: c.Credential, Session: c.Session,
		ToolsetFingerprint: c.ToolsetFingerprint, ProseDigest: c.ProseDigest,
		Traits:          j.traits.Record(),
		Judgement:       j.record(),
		PolicyRevision:  j.active.Policy.Revision(),
		CatalogRevision: j.active.Catalog.Revision(),
		RequestDigest:   request[:],
		ApprovalId:      c.ApprovalID,
		Warnings:        j.warnings,
		Hints:           hints(c.Hints),
		ToolsetChanges:  firstOf(j.changes, maxChanges),
	}
	d.digestRest(entry, c)
	if err := d.keepInputs(entry, j.verdict.Inputs); err != nil {
		return decisions.Proposal{}, err
	}
	if err := d.keepChanges(entry, j.changes); err != nil {
		return decisions.Proposal{}, err
	}
	proposal := decisions.Proposal{Claim: d.claim(j, request)}
	if claim := proposal.Claim; claim != nil {
		entry.IdempotencyKey = &ledgerv1.IdempotencyKey{
			KeyDigest: claim.Key[:], LifetimeSeconds: uint32(claim.Lifetime / time.Second),
		}
	}
	err := d.encode(&proposal, entry)
	return proposal, err
}

// encode makes the entry's bytes. Every part is bounded; should they not fit together,
// the inputs stand beside the log, for an entry is owed (R31).
func (d *Decider) encode(p *decisions.Proposal, decision *ledgerv1.Decision) (err error) {
	entry := &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: decision}}
	if p.Body, err = proto.Marshal(entry); err != nil || len(p.Body) <= decisions.MaxBody {
		return err
	}
	if decision.InputsSha256, err = d.ledger.PutBlob(decision.Inputs); err != nil {
		return err
	}
	decision.Inputs = nil
	p.Body, err = proto.Marshal(entry)
	return err
}

func (j *judgement) record() *ledgerv1.Judgement {
	v := &j.verdict
	record := &ledgerv1.Judgement{
		Outcome: v.Outcome.Record(),
		Reason: &ledgerv1.Reason{
			Code: string(v.Reason.Code), Sentence: v.Reason.Sentence, Rule: v.Reason.Rule,
		},
		Approval:      v.Approval.Record(),
		PermitSeconds: v.PermitSeconds,
	}
	for _, o := range v.Obligations {
		record.Obligations = append(record.Obligations, &ledgerv1.Obligation{Kind: o.Kind, Value: o.Value})
	}
	return record
}

// digestRest keeps what may be personal only as digests under the log's key: a
// plain hash of an amount or an address is a dictionary (R35).
func (d *Decider) digestRest(e *ledgerv1.Decision, c *decisions.Request) {
	if sum, said := d.argumentsDigest(&c.Arguments); said {
		e.ArgumentsDigest = sum[:]
	}
	if c.Target != "" {
		sum := d.digests.Sum("target", []byte(c.Target))
		e.TargetDigest = sum[:]
	}
	if c.Scope != nil {
		sum := d.digests.Sum("scope", []byte(c.Scope.Selection), strconv.AppendInt(nil, c.Scope.Count, 10))
		e.ScopeDigest = sum[:]
	}
	if len(c.Labels) > 0 {
		var parts [][]byte
		for _, k := range slices.Sorted(maps.Keys(c.Labels)) {
			parts = append(parts, []byte(k), []byte(c.Labels[k]))
		}
		sum := d.digests.Sum("labels", parts...)
		e.LabelsDigest = sum[:]
	}
}

// argumentsDigest is over the canonical arguments, or over their digest where only
// that was sent.
func (d *Decider) argumentsDigest(a *decisions.Arguments) (decisions.Hash, bool) {
	switch a.Kind {
	case decisions.ArgumentsJSON:
		canonical, err := a.Canonical()
		return d.digests.Sum("arguments", canonical), err == nil
	case decisions.ArgumentsDigest:
		return d.digests.Sum("arguments-digest", a.Digest[:]), true
	case decisions.ArgumentsOmitted:
	}
	return decisions.Hash{}, false
}

// hints is nil where the gateway passed none on.
func hints(h decisions.Hints) *ledgerv1.Hints {
	if h == (decisions.Hints{}) {
		return nil
	}
	return &ledgerv1.Hints{
		ReadOnly: h.ReadOnly.Bool(), Destructive: h.Destructive.Bool(),
		Idempotent: h.Idempotent.Bool(), OpenWorld: h.OpenWorld.Bool(),
	}
}

// keepInputs puts the inputs into the entry, or beside the log where they are large.
func (d *Decider) keepInputs(e *ledgerv1.Decision, inputs []byte) error {
	if len(inputs) <= maxInlineInputs {
		e.Inputs = inputs
		return nil
	}
	sum, err := d.ledger.PutBlob(inputs)
	if err != nil {
		return fmt.Errorf("the inputs could not be stored, so there is no decision: %w", err)
	}
	e.InputsSha256 = sum
	return nil
}

// keepChanges puts all that changed in a tool set beside the log, where the entry
// holds only the first.
func (d *Decider) keepChanges(e *ledgerv1.Decision, changes []string) error {
	if len(changes) <= maxChanges {
		return nil
	}
	sum, err := d.ledger.PutBlob([]byte(strings.Join(changes, "\n")))
	if err != nil {
		return fmt.Errorf("the difference could not be stored, so there is no decision: %w", err)
	}
	e.ToolsetChangesSha256 = sum
	return nil
}

func (d *Decider) claim(j *judgement, request decisions.Hash) *decisions.Claim {
	if j.call.IdempotencyKey == "" {
		return nil
	}
	return &decisions.Claim{
		Key: d.digests.Sum("idempotency-key",
			[]byte(j.call.Workspace), []byte(j.caller.Name), []byte(j.call.IdempotencyKey)),
		Request:  request,
		Outcome:  j.verdict.Outcome,
		Reason:   j.verdict.Reason,
		Lifetime: keyLifetime,
	}
}
