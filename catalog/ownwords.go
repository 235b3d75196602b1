package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ownWords refuses a review that repeats the server (R5, R19). What it does is said
// by the reviewer: no copy, and no near copy. Where something can be looked up, and
// what was rejected, may name what the server names, but may not quote it.
func (d *decoder) ownWords(t *ToolReview, tool *Tool) {
	if t.Description+t.Boundary+t.Basis.Reference+t.Rejected == "" {
		return
	}
	words := wordsOf(tool)
	server := words.prepare()
	for _, said := range []struct {
		words    string
		nearCopy bool
		key      []string
	}{
		{t.Description, true, []string{"description"}},
		{t.Boundary, true, []string{"boundary"}},
		{t.Basis.Reference, false, []string{"basis", "reference"}},
		{t.Rejected, false, []string{"rejected"}},
	} {
		if copied := server.repeatedIn(said.words, said.nearCopy); copied != "" {
			d.report(t.place(said.key...), codeOwnWords,
				fmt.Sprintf("%s: %s repeats the server's words (untrusted: %q)", t.Name, said.key[len(said.key)-1], clip(copied)),
				"say in your own words what you know, and from where")
		}
	}
}

// serverWords are all texts that a server sends about a tool.
type serverWords struct {
	description string
	// names are titles, details the texts about inputs: an honest sentence may come
	// near to these by chance, so only a quotation of them counts.
	names, details []string
}

func wordsOf(t *Tool) serverWords {
	s := serverWords{description: t.Description}
	if t.Title != "" {
		s.names = append(s.names, t.Title)
	}
	var prose struct {
		Input any `json:"input"`
	}
	if json.Unmarshal(t.Prose, &prose) == nil {
		s.inputs(prose.Input)
	}
	return s
}

// inputs collects the texts on a schema's prose side.
func (s *serverWords) inputs(v any) {
	switch v := v.(type) {
	case string:
		s.details = append(s.details, v)
	case []any:
		for _, element := range v {
			s.inputs(element)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			if key != "$schema" {
				s.inputs(v[key])
			}
		}
	}
}

// compared are a server's texts, ready to be compared.
type compared struct {
	description passage
	names       []passage
	details     []passage
}

func (s *serverWords) prepare() compared {
	c := compared{description: newPassage(s.description)}
	for _, name := range s.names {
		c.names = append(c.names, newPassage(name))
	}
	room := comparedBytes
	for _, detail := range s.details {
		if room -= len(detail); room < 0 {
			break
		}
		if d := newPassage(detail); len(d.words) >= quotedWords {
			c.details = append(c.details, d)
		}
	}
	return c
}

// repeatedIn returns the server's words that a text repeats, or nothing.
func (c compared) repeatedIn(own string, nearCopy bool) string {
	text := newPassage(own)
	if copied := text.quotes(c.description); copied != "" {
		return copied
	}
	if nearCopy {
		if copied := text.nearCopy(c.description); copied != "" {
			return copied
		}
	}
	for _, other := range slices.Concat(c.names, c.details) {
		if copied := text.quotes(other); copied != "" {
			return copied
		}
	}
	return ""
}
