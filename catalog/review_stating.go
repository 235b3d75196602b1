package catalog

import (
	"slices"
	"strconv"
	"time"
)

// Stating is what a person states about tools, in the words of docs/catalog.md. What is
// empty stays as it is.
type Stating struct {
	Effect, Risk, Undo, Exposure string
	// Plan goes with Undo.
	Plan                            UndoPlan
	Collection, Idempotent          *bool
	Description, Boundary, Rejected string
	// Kind, Reference, By and At are the basis, and go together. Who gives one has
	// looked: a mark that the tool must be looked at again is taken away.
	Kind, Reference, By, At string
}

// fields are the keys to write, in their order.
func (s Stating) fields() []written {
	all := []written{
		{"effect", statedText(s.Effect)},
		{"risk", statedText(s.Risk)},
		{"undo", s.undo()},
		{"exposure", statedText(s.Exposure)},
		{"collection", statedFlag(s.Collection)},
		{"idempotent", statedFlag(s.Idempotent)},
		{"description", statedText(s.Description)},
		{"boundary", statedText(s.Boundary)},
		{"basis", s.basis()},
		{"rejected", statedText(s.Rejected)},
	}
	all = slices.DeleteFunc(all, func(w written) bool { return w.text == "" })
	if s.Kind != "" {
		all = append(all, written{"recheck", ""})
	}
	return all
}

func (s Stating) undo() string {
	if s.Plan == (UndoPlan{}) {
		return statedText(s.Undo)
	}
	return braces("can", statedText(s.Undo), "who", statedText(s.Plan.Who), "needs", statedText(s.Plan.Needs),
		"within", statedText(s.Plan.Within), "consumed_by", statedText(s.Plan.ConsumedBy))
}

func (s Stating) basis() string {
	if s.Kind == "" {
		return ""
	}
	at := s.At
	if _, err := time.Parse(time.DateOnly, at); err != nil {
		at = statedText(at)
	}
	return braces("kind", statedText(s.Kind), "reference", statedText(s.Reference), "by", statedText(s.By), "at", at)
}

func statedText(s string) string {
	if s == "" {
		return ""
	}
	return yamlText(s)
}

func statedFlag(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

// braces writes a mapping on one line, without what is empty.
func braces(pairs ...string) string {
	text := ""
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			text += ", " + pairs[i] + ": " + pairs[i+1]
		}
	}
	return "{" + text[min(len(text), 2):] + "}"
}
