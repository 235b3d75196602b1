package grpcapi

import (
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/server"
)

// request turns a checked message into the domain's form.
func request(m *writv1.DecideRequest) *decisions.Request {
	r := &decisions.Request{
		Workspace: m.GetWorkspace(), Automation: m.GetAutomation(), Release: m.GetRelease(),
		Stage: m.GetStage(), Server: m.GetServer(), Method: m.GetMethod(), Tool: m.GetTool(),
		ToolsetFingerprint: m.GetToolsetFingerprint(), ProseDigest: m.GetProseDigest(),
		Process: m.GetProcess(), Session: m.GetSession(), OnBehalfOf: m.GetOnBehalfOf(),
		Credential: m.GetCredential(), Target: m.GetTarget(),
		IdempotencyKey: m.GetIdempotencyKey(), ApprovalID: m.GetApprovalId(), Labels: m.GetLabels(),
	}
	if m.ToolsetAge != nil {
		r.ToolsetAge = m.GetToolsetAge().AsDuration()
	}
	switch a := m.GetArguments().(type) {
	case *writv1.DecideRequest_ArgumentsJson:
		r.Arguments = decisions.Arguments{Kind: decisions.ArgumentsJSON, JSON: []byte(a.ArgumentsJson)}
	case *writv1.DecideRequest_ArgumentsDigest:
		r.Arguments = decisions.Arguments{Kind: decisions.ArgumentsDigest, Digest: [32]byte(a.ArgumentsDigest)}
	}
	if h := m.GetHints(); h != nil {
		r.Hints = decisions.Hints{
			ReadOnly: decisions.HintOf(h.ReadOnly), Destructive: decisions.HintOf(h.Destructive),
			Idempotent: decisions.HintOf(h.Idempotent), OpenWorld: decisions.HintOf(h.OpenWorld),
		}
	}
	if s := m.GetScope(); s != nil {
		r.Scope = &decisions.Scope{Selection: s.GetSelection(), Count: s.GetCount()}
	}
	return r
}

// response turns a durable answer into its message. The contract's enums and the
// record's count alike; a test holds them together.
func response(a *server.Answer) *writv1.DecideResponse {
	var all struct { // what every response has, made at once
		response writv1.DecideResponse
		reason   writv1.Reason
		log      writv1.LogPosition
		permit   timestamppb.Timestamp
	}
	m, reason, log := &all.response, &all.reason, &all.log
	reason.Code, reason.Sentence, reason.Rule = string(a.Reason.Code), a.Reason.Sentence, a.Reason.Rule
	log.LogId, log.Sequence, log.LeafHash = a.Log.LogID, a.Log.Sequence, a.Log.Leaf[:]
	m.Outcome, m.Reason, m.DecisionId = writv1.Outcome(a.Outcome.Record()), reason, a.DecisionID
	m.Traits, m.Stage, m.Log = traits(&a.Traits), a.Stage, log
	m.PolicyRevision, m.CatalogRevision = a.PolicyRevision, a.CatalogRevision
	m.Approval, m.Warnings = writv1.ApprovalKind(a.Approval.Record()), a.Warnings
	for _, o := range a.Obligations {
		m.Obligations = append(m.Obligations, &writv1.Obligation{Kind: o.Kind, Value: o.Value})
	}
	if at := a.PermitExpires; !at.IsZero() {
		all.permit.Seconds, all.permit.Nanos = at.Unix(), int32(at.Nanosecond()) //nolint:gosec // below 1e9
		m.PermitExpiresAt = &all.permit
	}
	if a.Repeat != nil {
		m.Repeat = &writv1.Repeat{
			FirstSequence: a.Repeat.FirstSequence, FirstResult: writv1.Result(a.Repeat.FirstResult),
		}
	}
	return m
}

func traits(c *decisions.Classified) *writv1.EffectiveTraits {
	return &writv1.EffectiveTraits{
		Effect: writv1.Effect(c.Traits.Effect.Record()), Risk: writv1.Risk(c.Traits.Risk.Record()),
		Undo: writv1.Undo(c.Traits.Undo.Record()), Exposure: writv1.Exposure(c.Traits.Exposure.Record()),
		Single: c.Traits.Single, Idempotent: c.Traits.Idempotent,
		Sources: sources(c),
	}
}

// sources names each source once, in the order of the traits. Most calls have one, the
// review, which stands for all traits.
func sources(c *decisions.Classified) []*writv1.Source {
	first := c.Sources[0]
	if !slices.ContainsFunc(c.Sources[1:], func(s decisions.Source) bool { return s != first }) {
		return []*writv1.Source{{Kind: first.Kind.String(), Detail: first.Detail}}
	}
	var all []*writv1.Source
	var of [len(c.Sources)]*writv1.Source // at a source's first trait
	for i, s := range c.Sources {
		at := slices.Index(c.Sources[:], s)
		if of[at] == nil {
			of[at] = &writv1.Source{
				Kind: s.Kind.String(), Detail: s.Detail, Traits: make([]writv1.Trait, 0, len(c.Sources)),
			}
			all = append(all, of[at])
		}
		of[at].Traits = append(of[at].Traits, writv1.Trait_TRAIT_EFFECT+writv1.Trait(i))
	}
	return all
}

func position(logID string, sequence uint64, leaf decisions.Hash) *writv1.LogPosition {
	return &writv1.LogPosition{LogId: logID, Sequence: sequence, LeafHash: leaf[:]}
}
