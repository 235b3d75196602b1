package catalog

import (
	"io/fs"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// ReviewStatus says what is open in one review.
type ReviewStatus struct {
	File      string `json:"file"`
	Workspace string `json:"workspace"`
	Server    string `json:"server"`
	// Findings are about no tool.
	Findings []Finding    `json:"findings"`
	Tools    []ToolStatus `json:"tools"`
	// Unreviewed are the tools of the list that the review does not state: they have the
	// strictest traits, and no release can use them.
	Unreviewed []string `json:"unreviewed"`
}

// ToolStatus says what is open about one tool. Nothing is, where all is empty.
type ToolStatus struct {
	Name string `json:"tool"`
	// Missing are the keys that are still to be stated.
	Missing []string `json:"missing"`
	// Recheck says why the tool must be looked at again.
	Recheck []string `json:"recheck"`
	// Wrong is what a check finds beside these.
	Wrong []Finding `json:"wrong"`
}

// Open reports whether something is to be done.
func (t ToolStatus) Open() bool { return len(t.Missing)+len(t.Recheck)+len(t.Wrong) > 0 }

// begun reports whether any trait is stated.
func (t ToolStatus) begun() bool {
	for _, trait := range []string{"effect", "risk", "undo", "exposure"} {
		if !slices.Contains(t.Missing, trait) {
			return true
		}
	}
	return false
}

// Open counts what is to be done: tools, and findings about no tool.
func (s ReviewStatus) Open() int {
	open := len(s.Findings)
	for _, t := range s.Tools {
		if t.Open() {
			open++
		}
	}
	return open
}

// Tools says what is open of each tool, in the order of the file.
func (d *ReviewDraft) Tools() []ToolStatus { return statusOf(d.File, d.review, d.found).Tools }

// ReviewStatuses says what is open in each current review of a catalogue's directory,
// by file. The findings are those of a check of the catalogue that are about reviews
// and lists.
func ReviewStatuses(fsys fs.FS, now time.Time) []ReviewStatus {
	l := loader{now: now, lists: map[string]*list{}, current: map[serverKey]*Review{}, digests: map[string]*Review{}}
	byFile := map[string]*ReviewStatus{}
	for _, f := range l.read(fsys) {
		switch directory(f.Path) {
		case "reviews":
			byFile[f.Path] = &ReviewStatus{File: f.Path}
			l.parse(f)
		case "superseded", "toolsets":
			l.parse(f)
		}
	}
	l.linkReviews()
	reviews := map[string]*Review{}
	for _, r := range l.reviews {
		reviews[r.File] = r
	}
	// What is not about a review that could be read is about all of them: nothing loads.
	for _, f := range l.list {
		if byFile[f.File] == nil {
			byFile[f.File] = &ReviewStatus{File: f.File}
		}
	}
	var all []ReviewStatus
	for _, file := range sortedKeys(byFile) {
		of := slices.DeleteFunc(slices.Clone(l.list), func(f Finding) bool { return f.File != file })
		all = append(all, statusOf(file, reviews[file], of))
	}
	return all
}

// statusOf sorts findings by the tools that they are about; the review is nil where the
// file could not be read as one.
func statusOf(file string, r *Review, found []Finding) ReviewStatus {
	s := ReviewStatus{File: file, Findings: []Finding{}, Tools: []ToolStatus{}, Unreviewed: []string{}}
	if r == nil {
		s.Findings = append(s.Findings, found...)
		return s
	}
	s.Workspace, s.Server = r.Workspace, r.Server
	tools := slices.SortedFunc(maps.Values(r.Tools), func(a, b *ToolReview) int { return a.at.Line - b.at.Line })
	for _, t := range tools {
		s.Tools = append(s.Tools, ToolStatus{Name: t.Name, Missing: t.missing(), Recheck: append([]string{}, t.Recheck...), Wrong: []Finding{}})
	}
	for _, f := range found {
		i := len(tools) - 1
		for i >= 0 && tools[i].at.Line > f.Line {
			i--
		}
		switch {
		case i < 0 || f.Line > lastLine(tools[i]):
			s.Findings = append(s.Findings, f)
		case !saidAlready(f, tools[i]):
			s.Tools[i].Wrong = append(s.Tools[i].Wrong, f)
		}
	}
	if r.list != nil {
		for _, name := range r.list.names() {
			if r.Tools[name] == nil {
				s.Unreviewed = append(s.Unreviewed, name)
			}
		}
	}
	return s
}

// missing lists the keys that a tool does not state yet.
func (t *ToolReview) missing() []string {
	keys := []string{"effect", "risk", "undo", "exposure", "description"}
	if t.Traits != (decisions.Traits{}) {
		keys = append(keys, "basis", "rejected")
	}
	return slices.DeleteFunc(keys, func(key string) bool {
		n := member(t.value, key)
		return n != nil && !isNull(n)
	})
}

// saidAlready tells findings that Missing and Recheck say already.
func saidAlready(f Finding, t *ToolReview) bool {
	switch f.Code {
	case codeUnstated, codeBasisMissing, codeRejectedMissing, codeRecheck:
		return true
	case codeMissing:
		return f.Line == t.at.Line && f.Column == t.at.Column
	}
	return false
}

// lastLine is where the last value of a tool starts.
func lastLine(t *ToolReview) int {
	line := max(t.at.Line, t.value.Line)
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		line = max(line, n.Line)
		for _, child := range n.Content {
			walk(child)
		}
	}
	walk(t.value)
	return line
}
