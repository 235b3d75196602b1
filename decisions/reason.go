package decisions

// Code is a stable reason code. docs/reason-codes.md lists all; a test keeps the
// two equal.
type Code string

// Reason says why an answer is what it is.
type Reason struct {
	Code Code
	// Sentence is for people: what, why, and the next step where there is one.
	Sentence string
	// Rule is the policy's rule that decided, or "floor".
	Rule string
}

// Floor is the Rule of reasons that no policy can lift.
const Floor = "floor"

// Codes that Writ itself gives. A policy's rules add their own.
const (
	// The floor.
	CodeToolsetChanged  Code = "toolset_changed"
	CodeToolsetMissing  Code = "toolset_missing"
	CodeToolsetUnpinned Code = "toolset_unpinned"
	CodeToolUnknown     Code = "tool_unknown"
	CodeRehearsalWrite  Code = "rehearsal_write"
	CodeArguments       Code = "arguments_invalid"
	CodeScopeMissing    Code = "scope_missing"

	// The policy engine.
	CodePolicyUndefined Code = "policy_undefined"
	CodePolicyError     Code = "policy_error"
	CodePolicyTimeout   Code = "policy_timeout"
	CodePolicyUnknown   Code = "policy_unknown_value"
	CodeInputMissing    Code = "input_missing"

	// The ledger's writer.
	CodeKeyReused Code = "idempotency_key_reused"
	CodeRepeat    Code = "repeat_stricter"

	// Approvals.
	CodeApprovalUnknown Code = "approval_unknown"
)
