package server

import (
	"fmt"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/rego"
)

// query is the part of a call that the catalogue speaks about.
func query(c *decisions.Request) catalog.Query {
	return catalog.Query{
		Workspace: c.Workspace, Automation: c.Automation, Release: c.Release,
		Server: c.Server, Credential: c.Credential, Method: c.Method, Tool: c.Tool,
		Fingerprint: c.ToolsetFingerprint, ProseDigest: c.ProseDigest, Hints: c.Hints,
	}
}

// input is what the policy sees of a judgement.
func (j *judgement) input() rego.Input {
	c := j.call
	in := rego.Input{
		Workspace: c.Workspace, Automation: c.Automation, Release: c.Release, Stage: j.stage,
		Server: c.Server, Method: method(c), Tool: c.Tool,
		Caller: j.caller.Name, Process: c.Process, OnBehalfOf: c.OnBehalfOf,
		Session: c.Session, Credential: c.Credential, Target: c.Target,
		Classified: j.traits,
		ToolsetAge: c.ToolsetAge, ProseChanged: j.proseChanged,
		Labels: c.Labels, Time: j.at,
	}
	if c.Arguments.Kind == decisions.ArgumentsJSON {
		in.Arguments = c.Arguments.JSON
	}
	if c.Scope != nil {
		in.ScopeStated, in.Selection, in.Count = true, c.Scope.Selection, c.Scope.Count
	}
	return in
}

// proseChanged says that the gateway's list has other words or hints than the one
// that was reviewed (R15). It stops nothing by itself.
func proseChanged(c *decisions.Request, pin *catalog.Pin) bool {
	return pin != nil && c.ProseDigest != "" && c.ProseDigest != pin.ToolSet.ProseDigest
}

// method is never empty.
func method(c *decisions.Request) string {
	if c.Method == "" {
		return decisions.DefaultMethod
	}
	return c.Method
}

// Seen is an observed tool list and how it differs from what releases pin.
type Seen struct {
	ToolSet     *catalog.ToolSet
	Differences []Difference
}

// Difference is between an observed list and what one release pins.
type Difference struct {
	Automation, Release, Pinned string
	// Changes are in words, most dangerous first; empty where nothing changed.
	Changes []string
}

// Observe takes a list that a server sent, every page as it was sent, and
// remembers it. It pins nothing.
func (d *Decider) Observe(workspace, server string, pages [][]byte) (*Seen, error) {
	ts, err := catalog.ParseToolSet(pages...)
	if err != nil {
		return nil, fmt.Errorf("%w: pages: %w", ErrInvalid, err)
	}
	sent := 0
	for _, p := range pages {
		sent += len(p)
	}
	d.observed.keep(observedList{workspace: workspace, server: server, set: ts, bytes: sent})
	seen := &Seen{ToolSet: ts}
	for _, p := range d.active.Load().Catalog.Pins(workspace, server) {
		seen.Differences = append(seen.Differences, Difference{
			Automation: p.Automation, Release: p.Release, Pinned: p.Pin.ToolSet.Fingerprint,
			Changes: firstOf(d.observed.changes(p.Pin.ToolSet, ts), maxChanges),
		})
	}
	return seen, nil
}
