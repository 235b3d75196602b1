package catalog

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Fate is what became of a tool when a review was carried over to another list.
type Fate string

// Fates.
const (
	// Kept: the inputs are the same, and so is what the server says of the tool, or it
	// only names it otherwise, describes its results or claims to be harmless.
	Kept Fate = "kept"
	// Recheck: the inputs or the descriptions changed, or a hint newly admits harm. What was stated stands, with a mark that a check refuses
	// until someone has looked.
	Recheck Fate = "recheck"
	// Added: it is new, and everything is to be stated.
	Added Fate = "new"
	// Dropped: the list no longer has it.
	Dropped Fate = "gone"
)

// Carried says what became of one tool, and why.
type Carried struct {
	Tool string   `json:"tool"`
	Fate Fate     `json:"fate"`
	Why  []string `json:"why"`
}

// Update carries the review over to another list, which lies at a path of the
// catalogue's directory. It returns the draft of the new text, and what became of each
// tool, in the order of the file.
//
// Strictness is never lost: what the server changed is marked, and the mark is refused
// by every check. Tools of the reviewed list that the review left out stay out.
func (d *ReviewDraft) Update(to *ToolSet, toolset string) (*ReviewDraft, []Carried, error) {
	reasons, harmless := d.changes(to)
	var fates []Carried
	var dropped, marked []string
	for _, t := range d.Tools() {
		c := Carried{Tool: t.Name, Fate: Kept, Why: reasons[t.Name]}
		switch {
		case to.Tool(t.Name) == nil:
			c.Fate, c.Why = Dropped, []string{"the list no longer has it"}
			dropped = append(dropped, t.Name)
		case len(c.Why) > 0 && !harmless[t.Name] && t.begun():
			c.Fate = Recheck
			marked = append(marked, t.Name)
		}
		fates = append(fates, c)
	}
	next := *d
	next.list = to
	carried, err := next.carry(toolset, dropped, marked, reasons)
	if err != nil {
		return nil, nil, err
	}
	var added []string
	for _, name := range to.names() {
		if d.list.Tool(name) == nil && d.review.Tools[name] == nil {
			added = append(added, name)
			fates = append(fates, Carried{Tool: name, Fate: Added, Why: []string{"the reviewed list did not have it"}})
		}
	}
	if len(added) > 0 {
		carried, err = carried.adding(added, "New in this list.")
	}
	return carried, fates, err
}

// changes says by tool what is different in another list, and of which tools nobody
// needs to look at it. Where the reviewed list was replaced, nobody knows.
func (d *ReviewDraft) changes(to *ToolSet) (reasons map[string][]string, harmless map[string]bool) {
	const most = 5
	reasons, harmless = map[string][]string{}, map[string]bool{}
	if d.review.prose != d.list.ProseDigest || d.review.fingerprint != "" && d.review.fingerprint != d.list.Fingerprint {
		for name := range d.review.Tools {
			reasons[name] = []string{d.review.toolset + " is no longer the list that was reviewed, so nobody can say what changed"}
		}
		return reasons, harmless
	}
	more := map[string]int{}
	for _, c := range Diff(d.list, to) {
		if len(reasons[c.Tool]) == 0 {
			harmless[c.Tool] = sayTheSame(d.list.Tool(c.Tool), to.Tool(c.Tool))
		}
		if c.Contract || c.Kind == HintChanged && c.Danger == NewPower {
			harmless[c.Tool] = false
		}
		if len(reasons[c.Tool]) == most {
			more[c.Tool]++
			continue
		}
		reasons[c.Tool] = append(reasons[c.Tool], c.Words)
	}
	for name, n := range more {
		reasons[name] = append(reasons[name], fmt.Sprintf("and %d more changes: see writ toolset diff", n))
	}
	return reasons, harmless
}

// sayTheSame reports whether a tool and its inputs are described in the same words.
func sayTheSame(old, now *Tool) bool {
	if old == nil || now == nil {
		return false
	}
	was, is := wordsOf(old), wordsOf(now)
	return was.description == is.description && slices.Equal(was.details, is.details)
}

// carry writes the new list into the review's head, takes tools away and marks others.
func (d *ReviewDraft) carry(toolset string, dropped, marked []string, reasons map[string][]string) (*ReviewDraft, error) {
	s := newSheet(d.Data)
	want := flatten(d.doc)
	head := []written{{"toolset", yamlText(toolset)}, {"prose_digest", d.list.ProseDigest}, {"fingerprint", d.list.Fingerprint}}
	expect(want, "", head)
	s.put(d.doc, len(s.lines), reviewKeys(), head)
	entries := d.entriesOf(s)
	for _, e := range entries {
		name := e.key.Value
		at := "\x00tools\x00" + name
		switch {
		case slices.Contains(dropped, name):
			s.drop(e)
			deleteBelow(want, at)
		case slices.Contains(marked, name):
			mark := []written{{"recheck", yamlList(together(d.review.Tools[name].Recheck, reasons[name]))}}
			s.state(e, mark)
			expect(want, at, mark)
		}
	}
	if len(entries) > 0 && len(dropped) == len(entries) {
		s.replace(entries[0].first, entries[0].first, strings.Repeat(" ", entries[0].key.Column-1)+"{}")
	}
	return d.edited(s, want)
}

// together appends texts that are not there yet.
func together(texts, more []string) []string {
	all := slices.Clone(texts)
	for _, text := range more {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// drop takes an entry away, with the comment directly above it and the blank line
// below.
func (s *sheet) drop(e entry) {
	last := e.last
	if last < len(s.lines) && strings.TrimSpace(s.lines[last]) == "" {
		last++
	}
	s.replace(s.above(e), last)
}

// adding appends skeletons of tools, which the list holds.
func (d *ReviewDraft) adding(names []string, heading string) (*ReviewDraft, error) {
	var b strings.Builder
	for _, name := range names {
		skeletonTool(&b, d.review.Server, d.list.Tool(name))
	}
	s := newSheet(d.Data)
	want := flatten(d.doc)
	tops := s.entries(d.doc, len(s.lines))
	top := tops[slices.IndexFunc(tops, func(e entry) bool { return e.key.Value == "tools" })]
	lines := append([]string{"", "  # " + heading}, strings.Split(strings.TrimRight(b.String(), "\n"), "\n")...)
	if len(top.value.Content) == 0 {
		lines = append([]string{"tools:"}, lines...)
		s.replace(top.first, top.last, lines...)
	} else {
		s.replace(top.last, top.last, lines...)
	}
	var added yaml.Node
	if err := yaml.Unmarshal([]byte(b.String()), &added); err != nil {
		return nil, err
	}
	want["\x00tools"] = "!!map "
	for _, name := range names {
		flattenInto(want, "\x00tools\x00"+name, member(added.Content[0], name))
	}
	return d.edited(s, want)
}
