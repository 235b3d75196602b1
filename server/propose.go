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
	// maxInlineInputs is where the inputs that a policy read become an item.
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
	proposal := decisions.Proposal{Claim: d.claim(j, digests.request)}
	inputs, err := d.keepInputs(&proposal, j)
	if err != nil {
		return decisions.Proposal{}, err
	}
	if err := d.keepChanges(&entry, j.changes); err != nil {
		return decisions.Proposal{}, err
	}
	if claim := proposal.Claim; claim != nil {
		entry.IdempotencyKey = &ledgerv1.IdempotencyKey{
			KeyDigest: claim.Key[:], LifetimeSeconds: uint32(claim.Lifetime / time.Second),
		}
	}
	err = d.encode(&proposal, &entry, j, inputs)
	return proposal, err
}

// usualBody is what an entry's body seldom exceeds, in bytes.
const usualBody = 1024

// encode makes the entry's bytes. Every part is bounded; should they not fit together,
// the inputs become an item, for an entry is owed (R31).
func (d *Decider) encode(p *decisions.Proposal, entry *ledgerv1.Decision, j *judgement, in kept) (err error) {
	entry.Inputs, entry.Items = in.inline, in.items
	p.Body, err = decisions.AppendDecision(make([]byte, 0, usualBody), entry, &j.traits)
	if err != nil || len(p.Body) <= decisions.MaxBody {
		return err
	}
	if err = d.putItem(p, &in, ledgerv1.ItemKind_ITEM_KIND_INPUTS, in.inline); err != nil {
		return err
	}
	entry.Inputs, entry.Items = nil, in.items
	p.Body, err = decisions.AppendDecision(p.Body[:0], entry, &j.traits)
	return err
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

// kept is where the inputs that the policy read are: in the entry, and in items.
type kept struct {
	inline []byte
	items  []*ledgerv1.Item
}

// keepInputs puts the inputs into the entry, or into an item where they are large; what
// the policy masks of them, into an item always (R35).
func (d *Decider) keepInputs(p *decisions.Proposal, j *judgement) (in kept, err error) {
	inputs, masked := j.active.Policy.Mask(j.verdict.Inputs)
	if len(masked) > 0 {
		content, err := decisions.EncodeDisclosures(masked)
		if err == nil {
			err = d.putItem(p, &in, ledgerv1.ItemKind_ITEM_KIND_DISCLOSURES, content)
		}
		if err != nil {
			return in, err
		}
	}
	if len(inputs) > maxInlineInputs {
		return in, d.putItem(p, &in, ledgerv1.ItemKind_ITEM_KIND_INPUTS, inputs)
	}
	in.inline = inputs
	return in, nil
}

// putItem has the ledger encrypt what may be personal, so that it can be erased.
func (d *Decider) putItem(p *decisions.Proposal, in *kept, kind ledgerv1.ItemKind, content []byte) error {
	item, err := d.ledger.PutItem(kind, content)
	if err != nil {
		return fmt.Errorf("the inputs could not be stored, so there is no decision: %w", err)
	}
	in.items = append(in.items, item)
	p.Keys = max(p.Keys, item.GetSlot()+1)
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
