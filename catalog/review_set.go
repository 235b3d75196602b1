package catalog

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ErrRefused is what every refusal to edit a review wraps. Nothing is changed then.
var ErrRefused = errors.New("refused, nothing is changed")

// Set states the same about several tools, each given by its name or a pattern (see
// path.Match), and returns the draft of the new text. Tools that the list holds and the
// review does not are added.
//
// It refuses what a check of the catalogue would refuse, all of it at once; only traits
// and descriptions may stay open. A narrowing needs its basis and its rejected
// alternative from the start (R5).
func (d *ReviewDraft) Set(patterns []string, s Stating) (*ReviewDraft, []string, error) {
	fields := s.fields()
	if len(fields) == 0 {
		return nil, nil, fmt.Errorf("%w: nothing is stated", ErrRefused)
	}
	names, err := d.match(patterns)
	if err != nil {
		return nil, nil, err
	}
	before := d
	if missing := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return d.review.Tools[n] != nil }); len(missing) > 0 {
		if before, err = d.adding(missing, "Added later."); err != nil {
			return nil, nil, err
		}
	}
	after, err := before.writing(names, fields)
	if err != nil {
		return nil, nil, err
	}
	if err := after.refusals(names); err != nil {
		return nil, nil, err
	}
	return after, names, nil
}

// match finds the tools that patterns mean, each once, in the order of the list.
func (d *ReviewDraft) match(patterns []string) ([]string, error) {
	known := sortedKeys(d.review.Tools)
	for _, name := range d.list.names() {
		if d.review.Tools[name] == nil {
			known = append(known, name)
		}
	}
	var names []string
	var errs []error
	for _, p := range patterns {
		found := slices.DeleteFunc(slices.Clone(known), func(name string) bool {
			fits, err := path.Match(p, name)
			return name != p && (err != nil || !fits)
		})
		if slices.Contains(found, p) {
			found = []string{p}
		}
		if len(found) == 0 {
			errs = append(errs, fmt.Errorf("%w: %s and %s hold no tool %q: %s", ErrRefused, d.File, d.List(), clip(p), suggest(p, known)))
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), errors.Join(errs...)
}

// writing puts fields into the tools' entries.
func (d *ReviewDraft) writing(names []string, fields []written) (*ReviewDraft, error) {
	s := newSheet(d.Data)
	want := flatten(d.doc)
	for _, name := range names {
		expect(want, "\x00tools\x00"+name, fields)
	}
	for _, e := range d.entriesOf(s) {
		if slices.Contains(names, e.key.Value) {
			s.state(e, fields)
		}
	}
	return d.edited(s, want)
}

// entriesOf finds the lines of each tool.
func (d *ReviewDraft) entriesOf(s *sheet) []entry {
	for _, top := range s.entries(d.doc, len(s.lines)) {
		if top.key.Value == "tools" && top.value.Kind == yaml.MappingNode && block(top.value) {
			return s.entries(top.value, top.last)
		}
	}
	return nil
}

// state writes fields of one tool. A tool whose keys share lines gets a line for each.
func (s *sheet) state(e entry, fields []written) {
	if e.value.Kind == yaml.MappingNode && len(e.value.Content) > 0 && block(e.value) {
		s.put(e.value, e.last, toolKeys(), fields)
		return
	}
	text := map[string]string{}
	var order []string
	for i := 0; i+1 < len(e.value.Content); i += 2 {
		key := e.value.Content[i].Value
		text[key], order = yamlFlow(e.value.Content[i+1]), append(order, key)
	}
	for _, f := range fields {
		if _, there := text[f.key]; !there {
			order = append(order, f.key)
		}
		text[f.key] = f.text
	}
	indent := strings.Repeat(" ", e.key.Column-1)
	trailing, others := s.comments(e)
	lines := []string{strings.TrimRight(indent+yamlText(e.key.Value)+":  "+trailing, " ")}
	for _, c := range others {
		lines = append(lines, indent+"  "+c)
	}
	slices.SortStableFunc(order, func(a, b string) int { return slices.Index(toolKeys(), a) - slices.Index(toolKeys(), b) })
	for _, key := range order {
		if text[key] != "" {
			lines = append(lines, indent+"  "+key+": "+text[key])
		}
	}
	s.replace(e.first, e.last, lines...)
}

// edited makes the edits of a sheet and makes sure that they did what they should and
// no more: clever layouts exist.
func (d *ReviewDraft) edited(s *sheet, want map[string]string) (*ReviewDraft, error) {
	next, err := d.with(s.bytes())
	if err != nil {
		return nil, fmt.Errorf("%w: the layout of %s can't be edited; edit it by hand: %w", ErrRefused, d.File, err)
	}
	if !maps.Equal(flatten(next.doc), want) {
		return nil, fmt.Errorf("%w: the layout of %s can't be edited: give each tool and each key a line of its own", ErrRefused, d.File)
	}
	return next, nil
}

// expect writes fields into what a document should say.
func expect(want map[string]string, at string, fields []written) {
	want[at] = "!!map "
	for _, f := range fields {
		place := at + "\x00" + f.key
		if strings.HasPrefix(want[place], "!!map") || strings.HasPrefix(want[place], "!!seq") {
			deleteBelow(want, place)
		}
		delete(want, place)
		var n yaml.Node
		if f.text != "" && yaml.Unmarshal([]byte(f.text), &n) == nil {
			flattenInto(want, place, n.Content[0])
		}
	}
}

// refusals are what keeps a statement from being written, one line for each.
func (d *ReviewDraft) refusals(names []string) error {
	var lines []string
	said := map[string][]string{}
	refuse := func(tool, what string) {
		if said[what] == nil {
			lines = append(lines, what)
		}
		said[what] = append(said[what], clip(tool))
	}
	for _, t := range d.Tools() {
		if !slices.Contains(names, t.Name) {
			continue
		}
		if missing := slices.DeleteFunc(slices.Clone(t.Missing), func(key string) bool { return key != "basis" && key != "rejected" }); len(missing) > 0 {
			refuse(t.Name, fmt.Sprintf("gentler than the strictest without %s (R5); state it too", strings.Join(missing, " and ")))
		}
		for _, f := range t.Wrong {
			what := strings.TrimPrefix(f.Message, t.Name+": ")
			refuse(t.Name, fmt.Sprintf("%s: %s; %s [%s]", d.review.Tools[t.Name].keyAt(f.Line), what, f.Fix, f.Code))
		}
	}
	for i, what := range lines {
		lines[i] = fmt.Sprintf("%s: %s: %s", d.File, strings.Join(said[what], ", "), what)
	}
	if len(lines) == 0 {
		return nil
	}
	return fmt.Errorf("%w:\n%s", ErrRefused, strings.Join(lines, "\n"))
}

// keyAt names the key that stands in a line, or the tool as a whole.
func (t *ToolReview) keyAt(line int) string {
	key := "the tool"
	for i := 0; i+1 < len(t.value.Content); i += 2 {
		if n := t.value.Content[i]; n.Line <= line && n.Line != t.at.Line {
			key = n.Value
		}
	}
	return key
}
