package main

import (
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// answered is one call and what came back.
type answered struct {
	name   string
	answer *writv1.DecideResponse
}

// printAnswers prints decisions as a table, each with the sentence that explains it
// on a line of its own.
func printAnswers(w io.Writer, answers []answered) error {
	var t table
	t.row("CALL", "STAGE", "OUTCOME", "REASON", "DECISION", "LOG PLACE", "LEAF")
	for _, a := range answers {
		r := a.answer
		t.row(a.name, r.GetStage(), outcomeWord(r.GetOutcome()), r.GetReason().GetCode(), r.GetDecisionId(),
			fmt.Sprintf("%.8s/%d", r.GetLog().GetLogId(), r.GetLog().GetSequence()),
			hex.EncodeToString(r.GetLog().GetLeafHash())[:12])
	}
	if err := t.print(w); err != nil {
		return err
	}
	say(w, "\n")
	for _, a := range answers {
		say(w, "%s: %s\n", a.name, sentence(a.answer))
		for _, warning := range a.answer.GetWarnings() {
			say(w, "  warning: %s\n", warning)
		}
	}
	return nil
}

func sentence(r *writv1.DecideResponse) string {
	s := r.GetReason().GetSentence()
	if kind := r.GetApproval(); kind != writv1.ApprovalKind_APPROVAL_KIND_UNSPECIFIED {
		s += fmt.Sprintf(" (%s approval)", word(kind.String(), "APPROVAL_KIND_"))
	}
	return s + fmt.Sprintf(" [%s]", r.GetReason().GetRule())
}

func outcomeWord(o writv1.Outcome) string {
	if o == writv1.Outcome_OUTCOME_UNSPECIFIED {
		return "REFUSE"
	}
	return strings.TrimPrefix(o.String(), "OUTCOME_")
}

// word turns a value of the contract's enums into what people read.
func word(value, prefix string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(value, prefix), "_", "-"))
}

func callName(call *writv1.DecideRequest) string {
	if call.GetServer() == "" {
		return call.GetMethod()
	}
	if m := call.GetMethod(); m != "" && m != "tools/call" {
		return strings.TrimSuffix(m+" "+call.GetServer()+" "+call.GetTool(), " ")
	}
	return call.GetServer() + "." + call.GetTool()
}
