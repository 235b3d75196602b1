package decisions

// Outcome is the answer to a call. It counts from strict to gentle; the zero value
// refuses (R11).
type Outcome uint8

// Outcomes, strictest first.
const (
	Refuse Outcome = iota
	RecordOnly
	AwaitApproval
	Run
)

// Strictest returns the stricter of two outcomes.
func Strictest(a, b Outcome) Outcome { return min(a, b) }

// ApprovalKind says which approval lifts AwaitApproval.
type ApprovalKind uint8

// Approval kinds. A per-call approval is stricter than a session's (R25).
const (
	NoApproval ApprovalKind = iota
	PerCall
	Session
)
