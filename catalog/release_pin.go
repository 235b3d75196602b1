package catalog

import (
	"fmt"
	"time"

	"github.com/writ-dev/writ/decisions"
)

type pinKey struct{ server, credential string }

// released is a release as Resolve looks it up.
type released struct {
	file  string
	stage string
	// replaces is what the file says; empty where it says nothing.
	replaces string
	pins     map[pinKey]*Pin
}

// pin returns what the release pins for a connection: for its credential, or for
// any.
func (r *released) pin(server, credential string) *Pin {
	if r == nil {
		return nil
	}
	if p := r.pins[pinKey{server, credential}]; p != nil {
		return p
	}
	return r.pins[pinKey{server, ""}]
}

// pin computes what Resolve answers for a connection.
func (l *loader) pin(r *Release, u *ServerUse, list *list, reviews []*Review) *Pin {
	l.compile(u.toolset, list)
	p := &Pin{
		Server:     u.Server,
		Credential: u.Credential,
		ToolSet:    list.ToolSet,
		tools:      list.tools,
		classified: make(map[string]decisions.Classified, len(u.Tools)),
		unlisted: decisions.Classify(decisions.Statement{Source: decisions.Source{Kind: decisions.Release,
			Detail: fmt.Sprintf("release %s of %s does not say that it uses this tool", r.Version, r.Automation)}}),
		hints: hintsAtCall(u.Server),
		proseChanged: []string{fmt.Sprintf(
			"descriptions or hints of server %s are not the ones that were reviewed: compare the lists with writ toolset diff", u.Server)},
	}
	if len(reviews) > 0 {
		p.Review, p.reviewPinned = reviews[0].Digest, u.Review != ""
	}
	for _, name := range u.Tools {
		if tool := list.Tool(name); tool != nil {
			p.classified[name] = classify(r, u, tool, reviews)
		}
	}
	return p
}

// classify joins what the review that the release was checked with, a later one,
// the release itself and the hints in the pinned list say (R3, R13).
func classify(r *Release, u *ServerUse, tool *Tool, reviews []*Review) decisions.Classified {
	if len(reviews) == 0 || reviews[0].Tools[tool.Name] == nil {
		return decisions.Classified{}
	}
	c := decisions.Classify(reviews[0].statement(tool.Name))
	seen := reviews[0].Tools[tool.Name].Basis.At
	for _, later := range reviews[1:] {
		if later.Tools[tool.Name] != nil {
			c = c.Tighten(later.statement(tool.Name))
		}
	}
	if stricter, ok := u.Stricter[tool.Name]; ok {
		c = c.Tighten(decisions.Statement{Traits: stricter, Source: decisions.Source{
			Kind: decisions.Release, Detail: fmt.Sprintf("release %s of %s", r.Version, r.Automation)}})
	}
	where := "server " + u.Server + ", seen at review"
	if !seen.IsZero() {
		where += " " + seen.Format(time.DateOnly)
	}
	hints := decisions.NewHintSources(decisions.HintAtReview, where)
	return tool.Hints.Tighten(c, &hints)
}
