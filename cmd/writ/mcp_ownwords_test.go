package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/writ-dev/writ/catalog"
)

// R19, on descriptions of real servers: their words are refused in whatever guise, and a
// reviewer's own sentence is no copy of any of them.
func TestOwnWordsOnRealServers(t *testing.T) {
	requireNode(t)
	installAll(t, []npmPackage{filesHints, memoryProse, thinkingInputs, all})
	l := newLab(t)
	var own []string
	for _, r := range slices.Concat(filesystemReview(), memoryReview(), everythingReview(), thinkingReview()) {
		own = append(own, r.does)
	}
	for _, p := range []npmPackage{filesHints, memoryProse, thinkingInputs, all} {
		list := l.fetch(t, p)
		ts, err := catalog.ParseToolSet([]byte(list))
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range own {
			if n := copies(t, list, ts, func(string) string { return sentence }); n > 0 {
				t.Errorf("%s: %q counts as a copy of %d descriptions", p.name, sentence, n)
			}
		}
		for guise, in := range guises() {
			if n := copies(t, list, ts, in); n < len(ts.Tools) {
				t.Errorf("%s, %s: %d of %d copies are seen", p.name, guise, n, len(ts.Tools))
			}
		}
	}
}

// guises are what a hurried reviewer does with a server's description.
func guises() map[string]func(string) string {
	first := func(description string) []string {
		sentence, _, _ := strings.Cut(description, ". ")
		line, _, _ := strings.Cut(sentence, "\n")
		return strings.Fields(line)
	}
	return map[string]func(string) string{
		"as it is":           func(d string) string { return d[:min(len(d), 2000)] },
		"the first sentence": func(d string) string { return strings.Join(first(d), " ") },
		"shouted": func(d string) string {
			return "**" + strings.ToUpper(strings.Join(first(d), "  ")) + "**!"
		},
		"in the third person": func(d string) string {
			words := first(d)
			words[0] += "s"
			return strings.Join(words, " ")
		},
		"without one word": func(d string) string {
			words := first(d)
			return strings.Join(slices.Delete(words, len(words)/2, len(words)/2+1), " ")
		},
		"with one word more": func(d string) string {
			words := first(d)
			return strings.Join(slices.Insert(words, len(words)/2, "quickly"), " ")
		},
		"announced": func(d string) string { return "This tool will " + strings.Join(first(d), " ") },
	}
}

// copies states a description for every tool and counts those that repeat the server.
func copies(t *testing.T, list string, ts *catalog.ToolSet, describe func(string) string) int {
	t.Helper()
	var review strings.Builder
	fmt.Fprintf(&review, "workspace: lab\nserver: s\ntoolset: toolsets/s.json\nprose_digest: %s\ntools:\n", ts.ProseDigest)
	for _, tool := range ts.Tools {
		clean, _ := catalog.Clean(describe(tool.Description), 2000)
		fmt.Fprintf(&review, "  %q: {effect: write, risk: high, undo: impossible, exposure: outbound, description: %q}\n", tool.Name, clean)
	}
	n := 0
	for _, f := range catalog.Check(fstest.MapFS{
		"toolsets/s.json": {Data: []byte(list)}, "reviews/s.yaml": {Data: []byte(review.String())},
	}, time.Now()) {
		if f.Code != "not_own_words" {
			t.Fatalf("the review is wrong in itself: %v", f)
		}
		n++
	}
	return n
}
