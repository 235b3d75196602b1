package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/writ-dev/writ/decisions"
)

// pair is one key of two objects, with its value in each; nil where there is none.
type pair struct{ key, old, now []byte }

// both tells whether both values start with that byte.
func (p pair) both(first byte) bool { return p.old[0] == first && p.now[0] == first }

// pairs walks two objects side by side. What is no object, nil too, has no keys.
func pairs(old, now []byte) []pair {
	var list []pair
	for k, v := range members(old) {
		list = append(list, pair{key: k, old: v})
	}
	known := make(map[string]int, len(list))
	for i, p := range list {
		known[string(p.key)] = i
	}
	for k, v := range members(now) {
		if i, ok := known[string(k)]; ok {
			list[i].now = v
		} else {
			list = append(list, pair{key: k, now: v})
		}
	}
	slices.SortFunc(list, func(a, b pair) int { return bytes.Compare(a.key, b.key) })
	return list
}

// keys returns the keys of an object, in their quotes.
func keys(object []byte) map[string]bool {
	set := map[string]bool{}
	for k := range members(object) {
		set[string(k)] = true
	}
	return set
}

// texts returns the elements of an array of strings, in their quotes; nil for
// everything else.
func texts(array []byte) map[string]bool {
	if len(array) == 0 || array[0] != '[' {
		return nil
	}
	set := map[string]bool{}
	for v := range elements(array) {
		if v[0] != '"' {
			return nil
		}
		set[string(v)] = true
	}
	return set
}

func union(a, b map[string]bool) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]bool{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// minus returns the elements of array that are not in the other.
func minus(array, other []byte) [][]byte {
	there := map[string]bool{}
	for v := range elements(other) {
		there[string(v)] = true
	}
	var rest [][]byte
	for v := range elements(array) {
		if !there[string(v)] {
			rest = append(rest, v)
		}
	}
	return rest
}

// at returns an element, or nil.
func at(list [][]byte, i int) []byte {
	if i < len(list) {
		return list[i]
	}
	return nil
}

// join adds a name to a path for people.
func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// step adds a keyword to a path for people.
func step(path string, keyword []byte) string {
	switch string(keyword) {
	case `"items"`:
		return path + "[]"
	case `"properties"`:
		return path
	}
	return join(path, keyName(keyword))
}

// keyName returns a key, given in its quotes, as it may be shown.
func keyName(key []byte) string {
	clean, truncated := Clean(decisions.Unquote(key), longestQuote)
	if truncated {
		clean += "…"
	}
	return strings.ReplaceAll(clean, "`", "'")
}

// clipPath bounds a path: its end says most.
func clipPath(path string) string {
	const longest = 2 * longestQuote
	if len(path) <= longest {
		return path
	}
	path = path[len(path)-longest:]
	for !utf8.RuneStart(path[0]) {
		path = path[1:]
	}
	return "…" + path
}

// subject says what changed: " `amount` type", or " type" of the tool as a whole.
func subject(path, what string) string {
	if path != "" {
		path = "`" + clipPath(path) + "`"
	}
	return strings.TrimRight(" "+strings.TrimLeft(path+" "+what, " "), " ")
}

// fromTo says what a value was and is.
func fromTo(old, now []byte) string {
	if old != nil && now != nil && clipped(old) == clipped(now) {
		return fmt.Sprintf("changed from %s in what is not shown", clipped(old))
	}
	return fmt.Sprintf("changed from %s to %s", said(old), said(now))
}

// said shows a JSON value; a short word without its quotes.
func said(value []byte) string {
	switch {
	case value == nil:
		return "unsaid"
	case value[0] == '"' && isWord(value[1:len(value)-1]):
		return string(value[1 : len(value)-1])
	}
	return clipped(value)
}

func isWord(text []byte) bool {
	for _, c := range text {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return 0 < len(text) && len(text) <= 20 && string(text) != "unsaid"
}
