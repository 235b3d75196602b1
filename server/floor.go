package server

import (
	"fmt"
	"strings"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
)

// The floor is what no policy and no approval can lift (R9, R14, R18, R23).

// firstChanges is how many differences a refusal spells out; the log has all.
const firstChanges = 3

// floorRefuses returns why the call is refused before any policy is asked, or nil.
func (d *Decider) floorRefuses(j *judgement, found *catalog.Resolution) *decisions.Reason {
	switch found.Mismatch {
	case catalog.MismatchNone:
		return checkArguments(j, found)
	case catalog.MismatchMissing:
		return floor(decisions.CodeToolsetMissing, fmt.Sprintf(
			"The call carries no tool-set fingerprint, and the release pins %s: send toolset_fingerprint.", found.Pin.ToolSet.Fingerprint))
	case catalog.MismatchChanged:
		j.changes = d.changes(found.Pin.ToolSet, j)
		return floor(decisions.CodeToolsetChanged, changed(j.call.Server, j.changes))
	case catalog.MismatchUnpinned:
		if found.Pin != nil {
			return floor(decisions.CodeToolUnknown, fmt.Sprintf(
				"The pinned tool set of %s has no tool %q: review the list that has it, and pin it.", j.call.Server, j.call.Tool))
		}
	}
	return floor(decisions.CodeToolsetUnpinned, unpinned(j.call))
}

// checkArguments holds the arguments against the pinned input schema, so that no
// rule meets a null where it compares an amount (R18).
func checkArguments(j *judgement, found *catalog.Resolution) *decisions.Reason {
	if found.Tool == nil || j.call.Arguments.Kind == decisions.ArgumentsDigest {
		return nil
	}
	if err := found.Tool.CheckArguments(&j.call.Arguments); err != nil {
		return floor(decisions.CodeArguments, fmt.Sprintf("%s: %v.", j.call.Tool, err))
	}
	return nil
}

// holdFloor joins the policy's verdict with what holds whatever it says.
func (j *judgement) holdFloor() {
	first := j.active.stages[0]
	if j.stage == first && j.traits.Traits.Effect == decisions.Write && j.verdict.Outcome > decisions.RecordOnly {
		j.tighten(decisions.RecordOnly, *floor(decisions.CodeRehearsalWrite,
			fmt.Sprintf("Nothing is real in stage %s: a write is only recorded.", first)))
	}
	if !j.traits.Traits.Single && j.call.Scope == nil && j.verdict.Outcome == decisions.AwaitApproval {
		j.refuse(*floor(decisions.CodeScopeMissing,
			"The call acts on many things and does not say on which: an approval needs scope.selection and scope.count."))
	}
	if j.verdict.Outcome == decisions.AwaitApproval && j.call.ApprovalID != "" {
		j.verdict.Reason = *floor(decisions.CodeApprovalUnknown, fmt.Sprintf(
			"Approval %q is not in this log, so the call still waits. %s", j.call.ApprovalID, j.verdict.Reason.Sentence))
	}
}

// tighten replaces the verdict by a stricter one of the floor's.
func (j *judgement) tighten(o decisions.Outcome, why decisions.Reason) {
	j.verdict.Outcome = decisions.Strictest(j.verdict.Outcome, o)
	j.verdict.Reason = why
	j.verdict.Approval = decisions.NoApproval
	j.verdict.Obligations = nil
	j.verdict.PermitSeconds = 0
}

func (j *judgement) refuse(why decisions.Reason) { j.tighten(decisions.Refuse, why) }

func floor(code decisions.Code, sentence string) *decisions.Reason {
	return &decisions.Reason{Code: code, Sentence: sentence, Rule: decisions.Floor}
}

func unpinned(call *decisions.Request) string {
	if call.Server == "" {
		return "The call names no server connection, so no tool set is pinned for it: send server."
	}
	if call.Release == "" {
		return fmt.Sprintf("The call names no release, so no tool set of %s is pinned for it: send automation and release.", call.Server)
	}
	return fmt.Sprintf("Release %s of %s in workspace %s pins no tool set of server %s: review the server and pin its fingerprint in the release.",
		call.Release, call.Automation, call.Workspace, call.Server)
}

// changes returns every difference in words, where somebody showed the new list.
func (d *Decider) changes(pinned *catalog.ToolSet, j *judgement) []string {
	seen := d.observed.find(j.call.Workspace, j.call.Server, j.call.ToolsetFingerprint)
	if seen == nil {
		seen = j.active.Catalog.ToolSet(j.call.ToolsetFingerprint)
	}
	if seen == nil {
		return nil
	}
	return d.observed.changes(pinned, seen)
}

func changed(server string, changes []string) string {
	if len(changes) == 0 {
		return fmt.Sprintf("The tool set of %s is not the pinned one, and the new list was not shown: send it with ToolSetService.Observe to see what changed.", server)
	}
	said := strings.Join(changes[:min(firstChanges, len(changes))], "; ")
	if more := len(changes) - firstChanges; more > 0 {
		said += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("The tool set of %s changed since it was pinned: %s.", server, said)
}
