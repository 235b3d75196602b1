package catalog

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// oddLines reports line ends that YAML counts and an editor does not show as such.
func oddLines(d *decoder, data []byte) {
	rest := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	for _, end := range []string{"\r", "\u0085", "\u2028", "\u2029"} {
		if before, _, found := bytes.Cut(rest, []byte(end)); found {
			line := bytes.Count(before, []byte("\n")) + 1
			d.add(Finding{File: d.file, Line: line, Column: 1, Code: codeSyntax,
				Message: "a line ends with something else than a line feed", Fix: "end it with a line feed"})
		}
	}
}

// sheet is a file as lines, each with its end, and the edits that are due.
type sheet struct {
	lines []string
	eol   string
	edits []edit
}

// edit puts lines in the place of those from first up to, not including, last.
type edit struct {
	first, last int
	lines       []string
}

func newSheet(data []byte) *sheet {
	text := string(data)
	s := &sheet{eol: "\n"}
	if strings.Contains(text, "\r\n") {
		s.eol = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += s.eol
	}
	s.lines = slices.Collect(strings.Lines(text))
	return s
}

func (s *sheet) replace(first, last int, lines ...string) {
	s.edits = append(s.edits, edit{first, last, lines})
}

// bytes returns the text with its edits made. Those of one place stand in the order in
// which they were asked for.
func (s *sheet) bytes() []byte {
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.first, b.first) })
	var b bytes.Buffer
	next := 0
	for _, e := range s.edits {
		for ; next < e.first; next++ {
			b.WriteString(s.lines[next])
		}
		for _, line := range e.lines {
			b.WriteString(line + s.eol)
		}
		next = max(next, e.last)
	}
	for ; next < len(s.lines); next++ {
		b.WriteString(s.lines[next])
	}
	return b.Bytes()
}

// entry is a key of a block mapping with its value, as lines from first up to last.
// What stands below last and belongs to nobody, blank lines and comments, is left out.
type entry struct {
	key, value  *yaml.Node
	first, last int
}

// entries finds the lines of a block mapping's keys; end is the line behind it.
func (s *sheet) entries(mapping *yaml.Node, end int) []entry {
	var all []entry
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		all = append(all, entry{key: mapping.Content[i], value: mapping.Content[i+1], first: mapping.Content[i].Line - 1})
	}
	for i := range all {
		last := end
		if i+1 < len(all) {
			last = all[i+1].first
		}
		all[i].last = max(s.trim(all[i], last), all[i].first+1)
	}
	return all
}

// trim takes blank lines and comments off the end of an entry. Comments that are
// indented deeper than its key belong to what stands in it.
func (s *sheet) trim(e entry, last int) int {
	first := e.first + 1
	if e.value.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		first = s.closing(e) + 1
	}
	for last > first {
		line := strings.TrimLeft(s.lines[last-1], " ")
		indent := len(s.lines[last-1]) - len(line)
		comment := strings.HasPrefix(line, "#") && (indent < e.key.Column || e.value.Kind == yaml.ScalarNode && !literal(e.value) && !isNull(e.value))
		if strings.TrimSpace(line) != "" && !comment {
			break
		}
		last--
	}
	return last
}

// closing returns the line in which a quoted text ends: a line of it may start with #.
func (s *sheet) closing(e entry) int {
	line := e.value.Line - 1
	_, quote := commentOf(s.lines[line], e.value.Column-1, 0)
	for quote != 0 && line+1 < len(s.lines) {
		line++
		_, quote = commentOf(s.lines[line], 0, quote)
	}
	return line
}

// above returns the first of the comment lines that stand directly above an entry, as
// far indented as its key.
func (s *sheet) above(e entry) int {
	line := e.first
	for line > 0 && strings.HasPrefix(s.lines[line-1], strings.Repeat(" ", e.key.Column-1)+"#") {
		line--
	}
	return line
}

// literal reports a block scalar, in which a line may start with #.
func literal(n *yaml.Node) bool { return n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 }

// block reports whether a mapping's keys have lines of their own.
func block(mapping *yaml.Node) bool { return mapping.Style&yaml.FlowStyle == 0 }

// flatten writes a document as the places and values of its scalars, for comparison.
func flatten(n *yaml.Node) map[string]string {
	all := map[string]string{}
	flattenInto(all, "", n)
	return all
}

// deleteBelow takes a place and all that is in it away.
func deleteBelow(all map[string]string, place string) {
	maps.DeleteFunc(all, func(p, _ string) bool { return p == place || strings.HasPrefix(p, place+"\x00") })
}

func flattenInto(all map[string]string, path string, n *yaml.Node) {
	all[path] = n.ShortTag() + " " + n.Value
	for i, child := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			flattenInto(all, path+"\x00"+string(rune(i)), child)
		case i%2 == 1:
			flattenInto(all, path+"\x00"+n.Content[i-1].Value, child)
		}
	}
}
