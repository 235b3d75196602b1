package catalog

import (
	"io/fs"
	"time"

	"go.yaml.in/yaml/v3"
)

// ReviewDraft is a review's file while a person works on it. Its edits are edits of text:
// what they do not mean to change stays as it is, byte by byte, with comments and order.
type ReviewDraft struct {
	// File is relative to the catalogue's directory.
	File string
	// Data is the file's content.
	Data []byte

	now    time.Time
	doc    *yaml.Node
	review *Review
	list   *ToolSet
	// found is what is wrong with the review, or open.
	found []Finding
}

// OpenReviewDraft reads a review of a catalogue's directory, and the list that it names.
// Statements may be open or wrong; a *FindingsError says what keeps the file from
// being edited at all.
func OpenReviewDraft(fsys fs.FS, file string, now time.Time) (*ReviewDraft, error) {
	l := loader{now: now, lists: map[string]*list{}}
	data, readable := l.readFile(fsys, file)
	if !readable {
		return nil, &FindingsError{l.sorted()}
	}
	d := &ReviewDraft{File: file, Data: data, now: now}
	if err := d.parse(); err != nil {
		return nil, err
	}
	if raw, readable := l.readFile(fsys, d.review.toolset); readable {
		l.parseToolSet(File{d.review.toolset, raw})
	}
	found := l.lists[d.review.toolset]
	if found == nil {
		return nil, &FindingsError{l.sorted()}
	}
	d.list = found.ToolSet
	d.judge()
	return d, nil
}

// Workspace and Server say what the review is of.
func (d *ReviewDraft) Workspace() string { return d.review.Workspace }

// Server is the connection's name.
func (d *ReviewDraft) Server() string { return d.review.Server }

// Digest is the review's digest (R13).
func (d *ReviewDraft) Digest() string { return d.review.Digest }

// Complete reports whether nothing of the review is open or wrong.
func (d *ReviewDraft) Complete() bool { return len(d.found) == 0 }

// List is the path of the list that the review names, from the catalogue's directory.
func (d *ReviewDraft) List() string { return d.review.toolset }

// ToolSet is that list.
func (d *ReviewDraft) ToolSet() *ToolSet { return d.list }

// parse reads Data anew. What a line can't be told of keeps it from being edited.
func (d *ReviewDraft) parse() error {
	dec := &decoder{findings: &findings{}, file: d.File, now: d.now}
	oddLines(dec, d.Data)
	if d.doc = dec.document(d.Data); d.doc == nil || len(dec.list) > 0 {
		return &FindingsError{dec.sorted()}
	}
	dec.list = nil
	d.review = dec.review(d.Data)
	d.found = dec.list
	if d.review.toolset == "" || !d.mapsTools() || hasCode(d.found, codeDuplicateKey) {
		return &FindingsError{dec.sorted()}
	}
	return nil
}

// mapsTools reports whether the tools are a mapping, or not there yet.
func (d *ReviewDraft) mapsTools() bool {
	tools := member(d.doc, "tools")
	return tools != nil && (tools.Kind == yaml.MappingNode || isNull(tools))
}

// judge compares the review with its list, as a check of the catalogue does.
func (d *ReviewDraft) judge() {
	dec := &decoder{findings: &findings{list: d.found}, file: d.File, now: d.now}
	d.review.list = &list{ToolSet: d.list}
	dec.against(d.review)
	d.review.Digest = d.review.digest()
	d.found = dec.list
}

// with returns the draft of another text, which has the same list.
func (d *ReviewDraft) with(data []byte) (*ReviewDraft, error) {
	next := &ReviewDraft{File: d.File, Data: data, now: d.now, list: d.list}
	if err := next.parse(); err != nil {
		return nil, err
	}
	next.judge()
	return next, nil
}

func hasCode(list []Finding, code string) bool {
	for _, f := range list {
		if f.Code == code {
			return true
		}
	}
	return false
}
