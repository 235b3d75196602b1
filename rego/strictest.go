package rego

import (
	"cmp"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// defaultPermitSeconds is how long a permit holds where no verdict says it.
const defaultPermitSeconds = 60

// strictest joins verdicts, of which there is at least one. The strictest outcome
// wins, a per-call approval over a session's, then the first by code, rule and
// sentence. Obligations are all of those with the winning outcome, and the permit is
// their shortest.
func strictest(verdicts []Verdict) Verdict {
	slices.SortFunc(verdicts, func(a, b Verdict) int {
		return cmp.Or(
			cmp.Compare(a.Outcome, b.Outcome),
			cmp.Compare(a.Approval, b.Approval),
			cmp.Compare(a.Reason.Code, b.Reason.Code),
			cmp.Compare(a.Reason.Rule, b.Reason.Rule),
			cmp.Compare(a.Reason.Sentence, b.Reason.Sentence),
		)
	})
	v := verdicts[0]
	v.Obligations = nil
	for _, other := range verdicts {
		if other.Outcome == v.Outcome {
			v.Obligations = append(v.Obligations, other.Obligations...)
			// An unsaid permit is 0 and wraps to the longest, so that it bounds nothing.
			v.PermitSeconds = min(v.PermitSeconds-1, other.PermitSeconds-1) + 1
		}
	}
	slices.SortFunc(v.Obligations, func(a, b Obligation) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
	})
	v.Obligations = slices.Compact(v.Obligations)
	switch {
	case v.Outcome < decisions.AwaitApproval:
		v.PermitSeconds = 0
	case v.PermitSeconds == 0:
		v.PermitSeconds = defaultPermitSeconds
	}
	return v
}
