package rego

import (
	"encoding/json"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// Input is what is known of one call. The zero value is the strictest call.
type Input struct {
	Workspace  string
	Automation string
	Release    string
	// Stage is the effective one (R10).
	Stage  string
	Server string
	Method string
	Tool   string

	// The four identities (R36); automation is above.
	Caller     string
	Process    string
	OnBehalfOf string

	Session    string
	Credential string
	Target     string

	Classified decisions.Classified

	// ScopeStated says whether Selection and Count were sent.
	ScopeStated bool
	Selection   string
	Count       int64

	// Arguments is a JSON object without duplicate keys, as it was sent. It is nil
	// where the arguments were omitted or only their digest was sent.
	Arguments json.RawMessage

	ToolsetAge   time.Duration
	ProseChanged bool
	Labels       map[string]string
	// Time of the call. A policy that reads it is asked afresh for each call.
	Time time.Time
}
