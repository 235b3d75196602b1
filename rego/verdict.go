package rego

import "github.com/writ-dev/writ/decisions"

// Verdict is a policy's answer. The zero value refuses.
type Verdict struct {
	Outcome decisions.Outcome
	Reason  decisions.Reason
	// Approval says what lifts decisions.AwaitApproval; NoApproval otherwise.
	Approval decisions.ApprovalKind
	// Obligations go with the outcome, in order of kind and value, each once. They
	// are shared with other verdicts: do not change them.
	Obligations []Obligation
	// PermitSeconds is how long a permit holds; 0 where nothing can run.
	PermitSeconds uint32
	// Inputs is the document that was judged, as JSON (see the package comment). It
	// is shared with other verdicts: do not change it.
	Inputs []byte
	// Remembered says that the same document was judged before.
	Remembered bool
}

// Obligation is what must be done beside the call (R30).
type Obligation struct {
	Kind, Value string
}

// refusal is an answer of the engine itself.
func refusal(code decisions.Code, sentence string) Verdict {
	return Verdict{Reason: decisions.Reason{Code: code, Sentence: sentence, Rule: "policy engine"}}
}
