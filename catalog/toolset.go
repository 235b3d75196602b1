package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// Bounds of a tool list, all pages together (R16).
const (
	MaxToolSetBytes = decisions.DefaultSize
	MaxTools        = 10_000
)

// ErrToolSet is what every refusal of a tool list wraps.
var ErrToolSet = errors.New("tool list is refused")

// ErrIncomplete says that a list has a page that was not given. It comes with
// ErrToolSet.
var ErrIncomplete = errors.New("the list is not complete")

// ToolSet is the whole tool list of one server connection, in canonical form. Its
// texts are the server's own: untrusted, as sent (see Clean).
type ToolSet struct {
	// Tools are sorted by name (RFC 8785 order).
	Tools []Tool
	// Fingerprint is "fp1:" and 64 hex digits; ProseDigest "pd1:" and 64.
	Fingerprint, ProseDigest string
}

// Tool is one tool of a list.
type Tool struct {
	Name string
	// Title and Description are what the server says; "" where it says nothing. The
	// title is the tool's own, or else that of its annotations.
	Title, Description string
	// Input is the input schema in canonical form, prose included; nil where the
	// server sent none.
	Input json.RawMessage
	// Contract and Prose are what fingerprint and prose digest cover of the tool.
	Contract, Prose []byte
	// Hints are the annotations that speak about safety, exactly as spelt by MCP.
	Hints decisions.Hints
}

// ParseToolSet reads a tool list: all pages of tools/list, in order. Each page is a
// tools/list result, a JSON-RPC response that holds one, a bare array of tools, or
// an array of such pages; one page may also hold several that follow one another.
//
// It refuses, with an error that wraps ErrToolSet, says where, and changes nothing:
// what is no strict JSON (decisions.Canonical), two tools of one name, a JSON-RPC
// error, a list whose last page names a next one (ErrIncomplete), a reference into
// what the fingerprint leaves out, and what is over MaxToolSetBytes or MaxTools.
func ParseToolSet(pages ...[]byte) (*ToolSet, error) {
	r := reader{room: MaxToolSetBytes}
	for i, page := range pages {
		if err := r.page(page); err != nil {
			return nil, fmt.Errorf("%w: page %d: %w", ErrToolSet, i+1, err)
		}
	}
	if r.pages == 0 {
		return nil, fmt.Errorf("%w: there is no page: give the answer to tools/list", ErrToolSet)
	}
	if r.more {
		return nil, fmt.Errorf("%w: %w: the last page has a nextCursor: give every page", ErrToolSet, ErrIncomplete)
	}
	return newToolSet(r.tools)
}

// newToolSet sorts tools and takes their digests.
func newToolSet(tools []Tool) (*ToolSet, error) {
	slices.SortFunc(tools, func(a, b Tool) int { return decisions.CompareKeys(a.Name, b.Name) })
	for i := 1; i < len(tools); i++ {
		if tools[i-1].Name == tools[i].Name {
			return nil, fmt.Errorf("%w: two tools are named %s: a call could mean either", ErrToolSet, quoted(tools[i].Name))
		}
	}
	ts := &ToolSet{Tools: tools}
	ts.Fingerprint = digest(fingerprintVersion, ts.ContractDocument())
	ts.ProseDigest = digest(proseVersion, ts.ProseDocument())
	return ts, nil
}

// Tool returns the tool of that exact name, or nil.
func (ts *ToolSet) Tool(name string) *Tool {
	i, found := slices.BinarySearchFunc(ts.Tools, name, func(t Tool, name string) int {
		return decisions.CompareKeys(t.Name, name)
	})
	if !found {
		return nil
	}
	return &ts.Tools[i]
}
