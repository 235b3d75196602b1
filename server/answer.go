package server

import (
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/rego"
)

// judgement is a call that has been judged and is not yet in the log: no answer.
type judgement struct {
	caller   Caller
	call     *decisions.Request
	request  decisions.Hash
	active   *Active
	traits   decisions.Classified
	stage    string
	at       time.Time
	verdict  rego.Verdict
	warnings []string
	// proseChanged: the list's words or hints are not those that were reviewed.
	proseChanged bool
	// changes are all differences of a changed tool set, in words.
	changes []string
}

// Answer is a decision that is durable in the log.
type Answer struct {
	Outcome    decisions.Outcome
	Reason     decisions.Reason
	DecisionID string
	Traits     decisions.Classified
	Stage      string
	// Approval says which approval would lift AwaitApproval.
	Approval    decisions.ApprovalKind
	Obligations []rego.Obligation
	// PermitExpires is zero unless the outcome is Run.
	PermitExpires   time.Time
	Repeat          *Repeat
	Log             decisions.Receipt
	PolicyRevision  string
	CatalogRevision string
	Warnings        []string
}

// Repeat says that the idempotency key was judged before (R27, R28).
type Repeat struct {
	FirstSequence uint64
	FirstResult   ledgerv1.Result
}

// answer turns a durable receipt into the answer. Where the writer settled
// something else than was judged, the settlement holds.
func (j *judgement) answer(r decisions.Receipt) *Answer {
	a := &Answer{
		Outcome:         j.verdict.Outcome,
		Reason:          j.verdict.Reason,
		DecisionID:      decisions.DecisionID(r.LogID, r.Sequence),
		Traits:          j.traits,
		Stage:           j.stage,
		Approval:        j.verdict.Approval,
		Obligations:     j.verdict.Obligations,
		Log:             r,
		PolicyRevision:  j.active.Policy.Revision(),
		CatalogRevision: j.active.Catalog.Revision(),
		Warnings:        j.warnings,
	}
	if s := r.Settlement; s != nil {
		a.settle(s)
	}
	if a.Outcome == decisions.Run {
		a.PermitExpires = permitFrom(r.Time, j.at).Add(time.Duration(j.verdict.PermitSeconds) * time.Second)
	}
	if a.Outcome != decisions.AwaitApproval {
		a.Approval = decisions.NoApproval
	}
	return a
}

// permitFrom is the earlier of the entry's time and the clock's. The log's time never
// runs backwards, so that after a clock that once jumped ahead it is far off, and a
// permit counted from it would hold for as long.
func permitFrom(entry, clock time.Time) time.Time {
	if clock.Before(entry) {
		return clock
	}
	return entry
}

func (a *Answer) settle(s *ledgerv1.Settlement) {
	a.Outcome = decisions.RecordedOutcome(s.GetOutcome())
	a.Reason = decisions.Reason{
		Code:     decisions.Code(s.GetReason().GetCode()),
		Sentence: s.GetReason().GetSentence(),
		Rule:     s.GetReason().GetRule(),
	}
	if s.GetDecisionId() != "" {
		a.DecisionID = s.GetDecisionId()
		a.Repeat = &Repeat{FirstSequence: s.GetFirstSequence(), FirstResult: s.GetFirstResult()}
	}
	if a.Outcome != decisions.Run {
		a.Obligations = nil
	}
}
