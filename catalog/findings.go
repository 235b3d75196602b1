package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Severity says whether a finding keeps a catalogue from being loaded.
type Severity uint8

// Severities. The zero value stops.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// MarshalText writes the severity as its word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Finding is one thing that is wrong with a catalogue, and how to put it right
// (R20).
type Finding struct {
	Severity Severity `json:"severity"`
	// File is relative to the catalogue's directory. Line and Column count from 1;
	// both are 0 where the finding is about the whole file.
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Code is stable, in snake_case; docs/catalog.md lists all.
	Code string `json:"code"`
	// Message says what is wrong, Fix what to do about it.
	Message string `json:"message"`
	Fix     string `json:"fix"`
}

// String returns "file:line:column: severity: message; fix [code]".
func (f Finding) String() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
	}
	return fmt.Sprintf("%s: %s: %s; %s [%s]", place, f.Severity, f.Message, f.Fix, f.Code)
}

// FindingsError is why a catalogue was not loaded: everything that is wrong with
// it, at once.
type FindingsError struct{ Findings []Finding }

// Error returns one line for each finding.
func (e *FindingsError) Error() string {
	lines := make([]string, len(e.Findings))
	for i, f := range e.Findings {
		lines[i] = f.String()
	}
	return "catalogue refused:\n" + strings.Join(lines, "\n")
}

// The codes of findings.
const (
	codeUnreadable      = "unreadable"
	codeTooLarge        = "too_large"
	codeMisplaced       = "misplaced_file"
	codeSyntax          = "yaml_syntax"
	codeAlias           = "yaml_alias"
	codeDuplicateKey    = "duplicate_key"
	codeUnknownField    = "unknown_field"
	codeWrongType       = "wrong_type"
	codeWrongWord       = "wrong_word"
	codeMissing         = "missing_field"
	codeFuture          = "time_in_the_future"
	codeUnstated        = "trait_not_stated"
	codeBasisMissing    = "basis_missing"
	codeBasisRefused    = "basis_refused"
	codeRejectedMissing = "rejected_missing"
	codeUndoWords       = "undo_without_words"
	codeOwnWords        = "not_own_words"
	codeHintWorse       = "hint_admits_worse"
	codeToolSetInvalid  = "toolset_invalid"
	codeToolSetMissing  = "toolset_missing"
	codeFingerprint     = "fingerprint_differs"
	codeProse           = "prose_differs"
	codeRecheck         = "recheck"
	codeToolUnknown     = "tool_unknown"
	codeToolUnreviewed  = "tool_not_reviewed"
	codeContract        = "contract_not_reviewed"
	codeReviewUnknown   = "review_unknown"
	codeDuplicate       = "stated_twice"
	codeGentler         = "statement_gentler"
	codePromotion       = "not_promoted"
	codeReleaseUnknown  = "release_unknown"
	codeSchema          = "schema_unusable"
)

// findings collects what is wrong, so that all of it is said at once.
type findings struct{ list []Finding }

func (fs *findings) add(f Finding) { fs.list = append(fs.list, f) }

// mostFindings bounds what one reading says: nobody reads on, and a hostile file
// could fill the memory.
const mostFindings = 1000

// sorted returns the findings in the order of their places, each once. The last of
// too many says how many are left out.
func (fs *findings) sorted() []Finding {
	slices.SortStableFunc(fs.list, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Code, b.Code),
			strings.Compare(a.Message, b.Message),
		)
	})
	list := slices.Compact(fs.list)
	if more := len(list) - mostFindings; more > 0 {
		list = append(list[:mostFindings:mostFindings], Finding{File: ".", Code: codeTooLarge,
			Message: fmt.Sprintf("there are %d more findings", more), Fix: "put these right first"})
	}
	return list
}

// stops reports whether any finding is an error.
func stops(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == Error })
}
