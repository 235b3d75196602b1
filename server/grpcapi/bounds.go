package grpcapi

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/durationpb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// The bounds that the contract states beside each field. Each error names the
// field as the contract spells it, what was found, and what is expected.

const (
	maxArguments  = 1 << 20
	maxToolsetAge = 3650 * 24 * time.Hour
	maxScopeCount = 1_000_000_000_000
	maxLabels     = 32
	maxBatch      = 1000
	maxPages      = 1000
	maxPageBytes  = 3 << 20
	maxPageSize   = 1000
)

// errBounds marks a request that the contract does not allow.
var errBounds = errors.New("invalid request")

func outside(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", errBounds, field, fmt.Sprintf(format, args...))
}

// decideBounds checks one call.
func decideBounds(r *writv1.DecideRequest) error {
	for _, err := range [...]error{
		text("workspace", r.GetWorkspace(), 1, 128),
		text("automation", r.GetAutomation(), 0, 128),
		text("release", r.GetRelease(), 0, 128),
		text("stage", r.GetStage(), 0, 64),
		text("server", r.GetServer(), 0, 128),
		text("method", r.GetMethod(), 0, 128),
		text("tool", r.GetTool(), 0, 256),
		digestText("toolset_fingerprint", "fp1:", r.GetToolsetFingerprint()),
		digestText("prose_digest", "pd1:", r.GetProseDigest()),
		age("toolset_age", r.GetToolsetAge()),
		argumentBounds(r),
		text("process", r.GetProcess(), 0, 256),
		text("session", r.GetSession(), 0, 256),
		text("on_behalf_of", r.GetOnBehalfOf(), 0, 256),
		text("credential", r.GetCredential(), 0, 256),
		text("target", r.GetTarget(), 0, 1024),
		scopeBounds(r.GetScope()),
		text("idempotency_key", r.GetIdempotencyKey(), 0, 256),
		text("approval_id", r.GetApprovalId(), 0, 128),
		labelBounds(r.GetLabels()),
		toolPresent(r),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// digestText checks a digest that a gateway copied: one that was cut or mangled is no
// changed tool set. An empty one was not sent.
func digestText(field, prefix, s string) error {
	if s == "" {
		return nil
	}
	rest, tagged := strings.CutPrefix(s, prefix)
	if !tagged || len(rest) != 64 || strings.Trim(rest, "0123456789abcdef") != "" {
		return outside(field, "is %.80q; expected %s and 64 lower-case hex digits, as ToolSetService.Observe gives it", s, prefix)
	}
	return nil
}

// text checks length in bytes and that nothing hides in it.
func text(field, s string, least, most int) error {
	if len(s) < least {
		return outside(field, "is empty; expected %d to %d bytes", least, most)
	}
	if len(s) > most {
		return outside(field, "has %d bytes; expected at most %d", len(s), most)
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return plainText(field, s)
		}
		if s[i] < 0x20 || s[i] == 0x7f {
			return outside(field, "has the control character %#02x at byte %d; expected printable text", s[i], i)
		}
	}
	return nil
}

// plainText refuses what hides in other scripts: C1 controls, bidi, zero-width and tag
// characters, line and paragraph separators (R19).
func plainText(field, s string) error {
	for i, r := range s {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r >= 0xE0000 && r <= 0xE0FFF {
			return outside(field, "has the invisible character %U at byte %d; expected printable text", r, i)
		}
	}
	return nil
}

func age(field string, d *durationpb.Duration) error {
	if d == nil {
		return nil
	}
	if err := d.CheckValid(); err != nil {
		return outside(field, "is not a duration (%v); expected 0 to 3650 days", err)
	}
	if a := d.AsDuration(); a < 0 || a > maxToolsetAge {
		return outside(field, "is %v; expected 0 to 3650 days", a)
	}
	return nil
}

// argumentBounds leaves the JSON itself to the canonical parser.
func argumentBounds(r *writv1.DecideRequest) error {
	switch a := r.GetArguments().(type) {
	case *writv1.DecideRequest_ArgumentsJson:
		if n := len(a.ArgumentsJson); n > maxArguments {
			return outside("arguments_json", "has %d bytes; expected at most %d: send arguments_digest instead", n, maxArguments)
		}
	case *writv1.DecideRequest_ArgumentsDigest:
		if n := len(a.ArgumentsDigest); n != 32 {
			return outside("arguments_digest", "has %d bytes; expected the 32 of a SHA-256 sum", n)
		}
	}
	return nil
}

func scopeBounds(s *writv1.Scope) error {
	if s == nil {
		return nil
	}
	if err := text("scope.selection", s.GetSelection(), 1, 1024); err != nil {
		return err
	}
	if n := s.GetCount(); n < 0 || n > maxScopeCount {
		return outside("scope.count", "is %d; expected 0 to %d", n, int64(maxScopeCount))
	}
	return nil
}

func labelBounds(labels map[string]string) error {
	if len(labels) > maxLabels {
		return outside("labels", "has %d entries; expected at most %d", len(labels), maxLabels)
	}
	for k, v := range labels {
		if err := text("labels key", k, 1, 64); err != nil {
			return err
		}
		// The key is not named: the service logs what it refuses, and a key may be personal.
		if err := text("labels value", v, 0, 256); err != nil {
			return err
		}
	}
	return nil
}

// toolPresent: a call of a tool names one.
func toolPresent(r *writv1.DecideRequest) error {
	if m := r.GetMethod(); (m == "" || m == "tools/call") && r.GetTool() == "" {
		return outside("tool", "is empty; a tools/call names its tool")
	}
	return nil
}

func observeBounds(r *writv1.ObserveRequest) error {
	if err := text("workspace", r.GetWorkspace(), 1, 128); err != nil {
		return err
	}
	if err := text("server", r.GetServer(), 1, 128); err != nil {
		return err
	}
	if n := len(r.GetPages()); n == 0 || n > maxPages {
		return outside("pages", "has %d pages; expected 1 to %d", n, maxPages)
	}
	total := 0
	for _, p := range r.GetPages() {
		total += len(p)
	}
	if total > maxPageBytes {
		return outside("pages", "has %d bytes; expected at most %d", total, maxPageBytes)
	}
	return nil
}

func reportBounds(r *writv1.ReportRequest) error {
	if err := text("decision_id", r.GetDecisionId(), 1, 64); err != nil {
		return err
	}
	switch r.GetResult() {
	case writv1.Result_RESULT_UNKNOWN, writv1.Result_RESULT_SUCCEEDED, writv1.Result_RESULT_FAILED:
	default:
		return outside("result", "is %v; expected RESULT_UNKNOWN, RESULT_SUCCEEDED or RESULT_FAILED", r.GetResult())
	}
	return text("final_target", r.GetFinalTarget(), 0, 1024)
}
