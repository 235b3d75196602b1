package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// A review digest, version 1, is "rd1:" and the SHA-256, in lower-case hex, of a
// canonical JSON object (cj1) with the members
//
//	workspace, server, fingerprint, prose_digest
//	tools: one member for each tool, by name, with effect, risk, undo, exposure,
//	  collection, idempotent, who, needs, within, consumed_by, description,
//	  boundary, kind, reference, by, at (RFC 3339, UTC), rejected
//
// where texts that are not stated are absent. File names, comments and order do
// not change it; any statement does (R13).

type digestedReview struct {
	Workspace   string                  `json:"workspace"`
	Server      string                  `json:"server"`
	Fingerprint string                  `json:"fingerprint"`
	ProseDigest string                  `json:"prose_digest"`
	Tools       map[string]digestedTool `json:"tools"`
}

type digestedTool struct {
	Effect      string `json:"effect"`
	Risk        string `json:"risk"`
	Undo        string `json:"undo"`
	Exposure    string `json:"exposure"`
	Collection  bool   `json:"collection"`
	Idempotent  bool   `json:"idempotent"`
	Who         string `json:"who,omitempty"`
	Needs       string `json:"needs,omitempty"`
	Within      string `json:"within,omitempty"`
	ConsumedBy  string `json:"consumed_by,omitempty"`
	Description string `json:"description,omitempty"`
	Boundary    string `json:"boundary,omitempty"`
	Kind        string `json:"kind,omitempty"`
	Reference   string `json:"reference,omitempty"`
	By          string `json:"by,omitempty"`
	At          string `json:"at,omitempty"`
	Rejected    string `json:"rejected,omitempty"`
}

// digest returns the review digest; empty where the review's texts have no
// canonical form, which is a finding of its own.
func (r *Review) digest() string {
	content := digestedReview{
		Workspace: r.Workspace, Server: r.Server,
		Fingerprint: r.list.Fingerprint, ProseDigest: r.prose,
		Tools: make(map[string]digestedTool, len(r.Tools)),
	}
	for name, t := range r.Tools {
		content.Tools[name] = t.digested()
	}
	raw, err := json.Marshal(content)
	if err != nil {
		return ""
	}
	canonical, err := decisions.Canonical(nil, raw, decisions.Limits{})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(canonical)
	return "rd1:" + hex.EncodeToString(sum[:])
}

func (t *ToolReview) digested() digestedTool {
	at := ""
	if !t.Basis.At.IsZero() {
		at = t.Basis.At.Format(time.RFC3339)
	}
	return digestedTool{
		Effect: t.Traits.Effect.String(), Risk: t.Traits.Risk.String(),
		Undo: t.Traits.Undo.String(), Exposure: t.Traits.Exposure.String(),
		Collection: !t.Traits.Single, Idempotent: t.Traits.Idempotent,
		Who: t.Undo.Who, Needs: t.Undo.Needs, Within: t.Undo.Within, ConsumedBy: t.Undo.ConsumedBy,
		Description: t.Description, Boundary: t.Boundary,
		Kind: t.Basis.Kind, Reference: t.Basis.Reference, By: t.Basis.By, At: at,
		Rejected: t.Rejected,
	}
}

// statement is what the review says about a tool, and by whom.
func (r *Review) statement(name string) decisions.Statement {
	t := r.Tools[name]
	return decisions.Statement{Traits: t.Traits, Source: decisions.Source{
		Kind: decisions.Review, Detail: "review of server " + r.Server + t.by()}}
}

// by says who stated a tool's traits, when, and on which basis.
func (t *ToolReview) by() string {
	if t.Basis.Kind == "" {
		return ""
	}
	return " by " + t.Basis.By + ", " + t.Basis.At.Format(time.DateOnly) + " (" + t.Basis.Kind + ")"
}
