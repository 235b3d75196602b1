package server

import (
	"fmt"
	"strings"
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/rego"
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
	c, v, digests := j.call, &j.verdict, d.digest(j)
	entry := ledgerv1.Decision{ // like all below it, it does not outlive this call: no allocation
		Parties: &ledgerv1.Parties{
			Caller: j.caller.Name, CallerBy: j.caller.By,
			Process: c.Process, OnBehalfOf: c.OnBehalfOf, Automation: c.Automation,
		},
		Workspace: c.Workspace, Release: c.Release, StageSaid: c.Stage, Stage: j.stage,
		Server: c.Server, Method: method(c), Tool: c.Tool,
		Credential: c.Credential, Session: c.Session,
		ToolsetFingerprint: c.ToolsetFingerprint, ProseDigest: c.ProseDigest,
		Judgement: &ledgerv1.Judgement{
			Outcome:     v.Outcome.Record(),
			Reason:      &ledgerv1.Reason{Code: string(v.Reason.Code), Sentence: v.Reason.Sentence, Rule: v.Reason.Rule},
			Approval:    v.Approval.Record(),
			Obligations: obligations(v.Obligations), PermitSeconds: v.PermitSeconds,
		},
		PolicyRevision: j.active.Policy.Revision(), CatalogRevision: j.active.Catalog.Revision(),
		RequestDigest: digests.request[:], ArgumentsDigest: digests.arguments.bytes(),
		TargetDigest: digests.target.bytes(), ScopeDigest: digests.scope.bytes(), LabelsDigest: digests.labels.bytes(),
		ApprovalId: c.ApprovalID, Warnings: j.warnings, Hints: hints(c.Hints),
		ToolsetChanges: firstOf(j.changes, maxChanges),
	}
	if err := d.keepInputs(&entry, v.Inputs); err != nil {
		return decisions.Proposal{}, err
	}
	if err := d.keepChanges(&entry, j.changes); err != nil {
		return decisions.Proposal{}, err
	}
	claim := d.claim(j, digests.request)
	if claim != nil {
		entry.IdempotencyKey = &ledgerv1.IdempotencyKey{
			KeyDigest: claim.Key[:], LifetimeSeconds: uint32(claim.Lifetime / time.Second),
		}
	}
	body, err := d.encode(&entry, j)
	return decisions.Proposal{Body: body, Claim: claim}, err
}

// usualBody is what an entry's body seldom exceeds, in bytes.
const usualBody = 1024

// encode makes the entry's bytes. Every part is bounded; should they not fit together,
// the inputs stand beside the log, for an entry is owed (R31).
func (d *Decider) encode(entry *ledgerv1.Decision, j *judgement) ([]byte, error) {
	body, err := decisions.AppendDecision(make([]byte, 0, usualBody), entry, &j.traits)
	if err != nil || len(body) <= decisions.MaxBody {
		return body, err
	}
	if entry.InputsSha256, err = d.ledger.PutBlob(j.verdict.Inputs); err != nil {
		return nil, err
	}
	entry.Inputs = nil
	return decisions.AppendDecision(body[:0], entry, &j.traits)
}

func obligations(all []rego.Obligation) []*ledgerv1.Obligation {
	var records []*ledgerv1.Obligation
	for _, o := range all {
		records = append(records, &ledgerv1.Obligation{Kind: o.Kind, Value: o.Value})
	}
	return records
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
		Key:      d.digests.SumText("idempotency-key", j.call.Workspace, j.caller.Name, j.call.IdempotencyKey),
		Request:  request,
		Outcome:  j.verdict.Outcome,
		Reason:   j.verdict.Reason,
		Lifetime: keyLifetime,
	}
}
