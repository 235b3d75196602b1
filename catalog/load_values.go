package catalog

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// maxText bounds one text of a catalogue file, in bytes.
const maxText = 4096

// text reads a string.
func (d *decoder) text(into *string) field {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
			d.report(n, codeWrongType, "expected text, got "+valueWords(n), `write it in quotes`)
			return
		}
		value := strings.TrimSpace(n.Value)
		switch {
		case value == "":
			d.report(n, codeMissing, "the text is empty", "write it, or remove the key")
		case len(value) > maxText:
			d.report(n, codeTooLarge, fmt.Sprintf("the text is longer than %d bytes", maxText), "shorten it")
		case strings.ContainsFunc(value, hidden):
			d.report(n, codeWrongType, "the text holds control or invisible characters", "remove them")
		default:
			*into = value
		}
	}
}

// hidden reports characters that a reader would not see (R19).
func hidden(r rune) bool { return r != '\n' && unshown(r) }

// texts reads a list of strings, each once.
func (d *decoder) texts(visit func(value string, at *yaml.Node)) field {
	return func(n *yaml.Node) {
		if n.Kind != yaml.SequenceNode {
			d.report(n, codeWrongType, "expected a list, got "+valueWords(n), `write it as "[a, b]"`)
			return
		}
		seen := map[string]bool{}
		for _, item := range n.Content {
			var value string
			d.text(&value)(item)
			if value != "" && seen[value] {
				d.report(item, codeDuplicate, fmt.Sprintf("%q is listed twice", clip(value)), "keep one of them")
			} else if value != "" {
				seen[value] = true
				visit(value, item)
			}
		}
	}
}

// flag reads true or false.
func (d *decoder) flag(into *bool) field {
	return func(n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
			d.report(n, codeWrongType, "expected true or false, got "+valueWords(n), "write true or false")
			return
		}
		*into = strings.EqualFold(n.Value, "true")
	}
}

// mostAhead is how far the date on the first islands is ahead of UTC.
const mostAhead = 14 * time.Hour

// day reads a date, or a time with its zone, that is not in the future.
func (d *decoder) day(into *time.Time) field {
	return func(n *yaml.Node) {
		latest := d.now.Add(mostAhead)
		at, err := time.Parse(time.DateOnly, n.Value)
		if err != nil {
			latest = d.now
			at, err = time.Parse(time.RFC3339, n.Value)
		}
		switch {
		case err != nil || n.Kind != yaml.ScalarNode:
			d.report(n, codeWrongType, "expected a date, got "+valueWords(n), "write it as 2026-11-30")
		case at.After(latest):
			d.report(n, codeFuture, n.Value+" is in the future", "write the day on which it was looked at")
		default:
			*into = at.UTC()
		}
	}
}

// word reads one of a closed list of words, which stand for the numbers from 0 on.
func word[T ~uint8](d *decoder, into *T, words []string) field {
	return func(n *yaml.Node) {
		for i, w := range words {
			if n.Kind == yaml.ScalarNode && n.Value == w {
				*into = T(i)
				return
			}
		}
		d.report(n, codeWrongWord, "got "+valueWords(n), suggest(n.Value, words))
	}
}

// vocabulary returns the words of a type whose values count from 0 to last.
func vocabulary[T interface {
	~uint8
	fmt.Stringer
}](last T) []string {
	words := make([]string, 0, last+1)
	for v := T(0); v <= last; v++ {
		words = append(words, v.String())
	}
	return words
}

// valueWords names a value for a message.
func valueWords(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return kindWords(n)
	case n.Value == "":
		return "nothing"
	}
	return fmt.Sprintf("%q", clip(n.Value))
}

// clip bounds a text that is quoted in a message.
func clip(s string) string {
	const most = 64
	clean, truncated := Clean(s, most)
	if truncated {
		clean += "…"
	}
	return clean
}
