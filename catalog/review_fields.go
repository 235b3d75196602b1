package catalog

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/writ-dev/writ/decisions"
)

// written is a key with the text of its value, on one line. An empty text takes the
// key away.
type written struct{ key, text string }

// toolKeys are the keys of a tool in the order in which they are written.
func toolKeys() []string {
	return []string{"recheck", "effect", "risk", "undo", "exposure", "collection", "idempotent",
		"description", "boundary", "basis", "rejected"}
}

// reviewKeys are the keys of a review in that order.
func reviewKeys() []string {
	return []string{"workspace", "server", "toolset", "prose_digest", "fingerprint", "tools"}
}

// put edits keys of a block mapping. A key that is new comes behind those before it in
// the order, or where the mapping starts.
func (s *sheet) put(mapping *yaml.Node, end int, order []string, fields []written) {
	entries := s.entries(mapping, end)
	indent := strings.Repeat(" ", mapping.Content[0].Column-1)
	for _, f := range fields {
		at := slices.IndexFunc(entries, func(e entry) bool { return e.key.Value == f.key })
		if at < 0 {
			if f.text != "" {
				line := s.behind(entries, order, f.key)
				s.replace(line, line, indent+f.key+": "+f.text)
			}
			continue
		}
		e := entries[at]
		trailing, others := s.comments(e)
		if trailing == placeholders()[f.key] {
			trailing = ""
		}
		var lines []string
		if f.text == "" {
			others, trailing = append([]string{trailing}, others...), ""
		}
		for _, c := range others {
			if c != "" {
				lines = append(lines, indent+c)
			}
		}
		if f.text != "" {
			lines = append(lines, strings.TrimRight(indent+f.key+": "+f.text+"  "+trailing, " "))
		}
		s.replace(e.first, e.last, lines...)
	}
}

// behind finds the line where a key that is not there yet belongs.
func (s *sheet) behind(entries []entry, order []string, key string) int {
	line, best := entries[0].first, -1
	for _, e := range entries {
		if rank := slices.Index(order, e.key.Value); rank > best && rank < slices.Index(order, key) {
			line, best = e.last, rank
		}
	}
	return line
}

// comments returns the comments that would be lost with an entry's lines: the one
// behind its key's line, and the others.
func (s *sheet) comments(e entry) (trailing string, others []string) {
	var quote rune
	for i := e.first; i < e.last; i++ {
		line := strings.TrimRight(s.lines[i], "\r\n")
		if i > e.first && literal(e.value) {
			break
		}
		start := 0
		if i == e.first {
			start = strings.Index(line[e.key.Column-1:], ":") + e.key.Column
		}
		var comment string
		if comment, quote = commentOf(line, start, quote); comment == "" {
			continue
		}
		if i == e.first {
			trailing = comment
		} else {
			others = append(others, comment)
		}
	}
	return trailing, others
}

// commentOf finds the comment of a line from a byte on, outside of quotes; quote is
// the one that an earlier line has left open.
func commentOf(line string, start int, quote rune) (comment string, open rune) {
	before, closed, escaped := ' ', -2, false
	for i, r := range line[start:] {
		spaced := i == 0 || strings.ContainsRune(" \t", rune(line[start+i-1]))
		switch {
		case quote != 0:
			if r == quote && !escaped {
				quote, closed = 0, i
			}
			escaped = quote == '"' && r == '\\' && !escaped
		case r == '#' && spaced:
			return line[start+i:], 0
		case r == '\'' && i == closed+1, opens(r, before):
			quote, escaped = r, false
		}
		if r != ' ' && r != '\t' {
			before = r
		}
	}
	return "", quote
}

// opens tells a quote that starts a text from one within a plain text.
func opens(r, before rune) bool {
	return (r == '"' || r == '\'') && strings.ContainsRune(" :,[{-", before)
}

// placeholders are the comments with which a skeleton says what belongs into a key.
// They go when it is filled in.
func placeholders() map[string]string {
	return map[string]string{
		"effect":     "# " + choice(vocabulary(decisions.Read)),
		"risk":       "# " + choice(vocabulary(decisions.LowRisk)),
		"undo":       "# " + choice(vocabulary(decisions.UndoTrivial)),
		"exposure":   "# " + choice(vocabulary(decisions.NoExposure)),
		"collection": "# true (the default) | false",
		"idempotent": "# false (the default) | true",
		"basis":      "# {kind: , reference: , by: , at: }",
	}
}

// choice writes words as a comment lists them.
func choice(words []string) string { return strings.Join(words, " | ") }
