package writ

import (
	"fmt"
	"slices"
	"time"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// Answer is a decision. The zero value refuses.
type Answer struct {
	response *writv1.DecideResponse
	honoured []string
}

// Response is the answer as it was sent; nil for the zero Answer.
func (a Answer) Response() *writv1.DecideResponse { return a.response }

// MayRun is the one question that an enforcement point asks. It is true only where
// the outcome is RUN, the answer is logged, the permit has not expired, and every
// obligation is one that the caller said it fulfils (R30). A repeat runs only where
// nothing was permitted under its key before, where the last try is known to have
// failed, or where the tool is idempotent by review (R28).
func (a Answer) MayRun(now time.Time) bool { return a.Refusal(now) == "" }

// Refusal says why the call must not run; empty where it may.
func (a Answer) Refusal(now time.Time) string {
	r := a.response
	switch {
	case r == nil:
		return "there is no decision"
	case r.GetOutcome() != writv1.Outcome_OUTCOME_RUN:
		return fmt.Sprintf("the outcome is %s (%s): %s", r.GetOutcome(), r.GetReason().GetCode(), r.GetReason().GetSentence())
	case r.GetLog().GetLogId() == "" || len(r.GetLog().GetLeafHash()) != 32:
		return "the answer carries no place in the log"
	case r.GetPermitExpiresAt() == nil || !now.Before(r.GetPermitExpiresAt().AsTime()):
		return "the permit has expired: ask again"
	case !a.fulfils(r.GetObligations()):
		return "the permit carries an obligation that this client does not fulfil"
	case a.mayHaveRun():
		return "an earlier call with this idempotency key may have run, and the tool is not idempotent by review"
	}
	return ""
}

func (a Answer) fulfils(obligations []*writv1.Obligation) bool {
	for _, o := range obligations {
		if !slices.Contains(a.honoured, o.GetKind()) {
			return false
		}
	}
	return true
}

func (a Answer) mayHaveRun() bool {
	repeat := a.response.GetRepeat()
	if repeat == nil || a.response.GetTraits().GetIdempotent() {
		return false
	}
	switch repeat.GetFirstResult() {
	case writv1.Result_RESULT_FAILED, writv1.Result_RESULT_NOT_PERMITTED:
		return false
	default:
		return true
	}
}
