package catalog

import "github.com/writ-dev/writ/decisions"

// Query is the part of a call that the catalogue speaks about.
type Query struct {
	Workspace, Automation, Release string
	// Server is the connection's name; empty for platform actions.
	Server, Credential string
	// Method is "tools/call" where it is empty.
	Method, Tool string
	// Fingerprint and ProseDigest are of the list that the gateway holds.
	Fingerprint, ProseDigest string
	// Hints are the annotations that the gateway found in its list.
	Hints decisions.Hints
}

// Mismatch says how the gateway's tool set differs from the pinned one (R14). The
// zero value refuses.
type Mismatch uint8

// Mismatches.
const (
	// MismatchUnpinned: the release pins no list of this server for this
	// credential, or the pinned list does not hold the tool (Resolution.Pin is set
	// then).
	MismatchUnpinned Mismatch = iota
	// MismatchMissing: the call does not say which list the gateway holds.
	MismatchMissing
	// MismatchChanged: the gateway holds another list.
	MismatchChanged
	// MismatchNone: the lists agree, or a platform action needs none.
	MismatchNone
)

// Resolution is what the catalogue says about a call. The zero value is the
// strictest: unclassified, first stage, unpinned.
type Resolution struct {
	// Classified are the effective traits, each with its source (R3).
	Classified decisions.Classified
	// Stage is the release's stage; empty where the release is unknown (R10).
	Stage string
	// ReleaseFound: the catalogue holds the release.
	ReleaseFound bool
	// Pin is what the release pins for the server and credential; nil where it pins
	// nothing.
	Pin *Pin
	// Tool is the pinned tool; nil for other methods and where the pinned list does
	// not hold it.
	Tool     *PinnedTool
	Mismatch Mismatch
	// Warnings do not stop the call. The caller must not change the slice.
	Warnings []string
}

// Pin is the list of a server that a release was checked with.
type Pin struct {
	Server string
	// Credential is the one that the list was fetched with; empty: any that has no
	// pin of its own.
	Credential string
	ToolSet    *ToolSet
	// Review is the digest of the review that the tools were checked with.
	Review string
	// reviewPinned: a later review can't loosen what the release may do (R13).
	reviewPinned bool

	// tools are those of the list; classified are those that the release says it
	// uses, and unlisted is what holds for the others.
	tools        map[string]*PinnedTool
	classified   map[string]decisions.Classified
	unlisted     decisions.Classified
	hints        decisions.HintSources
	proseChanged []string
}

// Resolve says what the catalogue holds about a call. It reads maps and joins the
// call's hints; everything else was computed at Load.
//
// A call of an MCP server is bound to the pinned list whatever its method: a list
// says which server it is that the release was checked with (R14). A server that
// offers no tools is pinned by its empty list.
func (c *Catalog) Resolve(q Query) Resolution {
	method := q.Method
	if method == "" {
		method = MethodToolsCall
	}
	var res Resolution
	release := c.releases[releaseKey{q.Workspace, q.Automation, q.Release}]
	if release != nil {
		res.Stage, res.ReleaseFound = release.stage, true
	}
	classified, protocol := Platform(method)
	switch {
	case method == MethodToolsCall:
		res.pin(release, &q, true)
	case protocol || q.Server != "":
		res.Classified = classified
		res.pin(release, &q, false)
	default:
		res.Mismatch = MismatchNone
		if action := c.actions[actionKey{q.Workspace, method}]; action != nil {
			res.Classified = action.classified
		}
	}
	res.tighten(&q)
	return res
}

// pin compares the call with what the release pins, and finds the tool there.
func (res *Resolution) pin(release *released, q *Query, wantTool bool) {
	res.Pin = release.pin(q.Server, q.Credential)
	if res.Pin == nil {
		return
	}
	if wantTool {
		res.Tool, res.Classified = res.Pin.tool(q.Tool)
	}
	res.Mismatch = res.Pin.compare(q.Fingerprint)
	if wantTool && res.Tool == nil && res.Mismatch == MismatchNone {
		res.Mismatch = MismatchUnpinned
	}
	if q.ProseDigest != "" && q.ProseDigest != res.Pin.ToolSet.ProseDigest {
		res.Warnings = res.Pin.proseChanged
	}
}

// tool returns a tool of the pinned list and everything that speaks about it, joined.
func (p *Pin) tool(name string) (*PinnedTool, decisions.Classified) {
	tool := p.tools[name]
	if tool == nil {
		return nil, decisions.Classified{}
	}
	if classified, listed := p.classified[name]; listed {
		return tool, classified
	}
	return tool, p.unlisted
}

func (p *Pin) compare(fingerprint string) Mismatch {
	switch fingerprint {
	case "":
		return MismatchMissing
	case p.ToolSet.Fingerprint:
		return MismatchNone
	}
	return MismatchChanged
}

// tighten joins what the server says about itself now: it only ever tightens (R6).
func (res *Resolution) tighten(q *Query) {
	if q.Hints.Traits() == decisions.Gentlest {
		return
	}
	var sources *decisions.HintSources
	if res.Pin != nil {
		sources = &res.Pin.hints
	} else {
		unpinned := hintsAtCall(q.Server)
		sources = &unpinned
	}
	res.Classified = q.Hints.Tighten(res.Classified, sources)
}

func hintsAtCall(server string) decisions.HintSources {
	return decisions.NewHintSources(decisions.HintAtCall, "server "+server+", sent with the call")
}
