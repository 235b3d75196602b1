package server

import (
	"fmt"
	"slices"
	"sync"

	"github.com/writ-dev/writ/catalog"
)

const (
	// maxObserved bounds the lists that are held; the oldest goes first.
	maxObserved = 64
	// maxChanges bounds how many words about a changed list an answer or an entry
	// holds, and maxSaid how many are kept at all; each has at most 600 bytes.
	maxChanges = 50
	maxSaid    = 5000
)

// Observed holds tool lists that gateways showed, so that a refusal for a changed
// set can say what changed (R14). They classify nothing and permit nothing. It is
// safe for concurrent use.
type Observed struct {
	mu    sync.Mutex
	lists []*catalog.ToolSet // oldest first
	said  []difference       // oldest first
}

// difference is between two lists, in words, so that comparing large ones costs
// one call and not each.
type difference struct {
	from, to string // fingerprints and prose digests
	words    []string
}

// Keep remembers a list.
func (o *Observed) Keep(ts *catalog.ToolSet) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lists = slices.DeleteFunc(o.lists, func(have *catalog.ToolSet) bool {
		return have.Fingerprint == ts.Fingerprint
	})
	if len(o.lists) == maxObserved {
		o.lists = slices.Delete(o.lists, 0, 1)
	}
	o.lists = append(o.lists, ts)
}

// find returns the list with a fingerprint, or nil.
func (o *Observed) find(fingerprint string) *catalog.ToolSet {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, ts := range slices.Backward(o.lists) {
		if ts.Fingerprint == fingerprint {
			return ts
		}
	}
	return nil
}

// changes returns the differences in words, most dangerous first, at most maxSaid of
// them.
func (o *Observed) changes(pinned, seen *catalog.ToolSet) []string {
	from, to := pinned.Fingerprint+pinned.ProseDigest, seen.Fingerprint+seen.ProseDigest
	if words, known := o.known(from, to); known {
		return words
	}
	words := inWords(catalog.Diff(pinned, seen))
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.said) == maxObserved {
		o.said = slices.Delete(o.said, 0, 1)
	}
	o.said = append(o.said, difference{from, to, words})
	return words
}

func (o *Observed) known(from, to string) ([]string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range slices.Backward(o.said) {
		if d.from == from && d.to == to {
			return d.words, true
		}
	}
	return nil, false
}

func rank(c catalog.Change) int {
	if c.Contract {
		return 0
	}
	return 1
}

// inWords bounds what a hostile list can make anybody hold.
func inWords(changes []catalog.Change) []string {
	// What moves the fingerprint comes first: it is why a call is refused.
	changes = slices.Clone(changes)
	slices.SortStableFunc(changes, func(a, b catalog.Change) int { return rank(a) - rank(b) })
	said := make([]string, len(changes))
	for i, c := range changes {
		said[i] = c.Words
	}
	return firstOf(said, maxSaid)
}

// firstOf returns at most limit lines, the last of which says how many more there are.
func firstOf(said []string, limit int) []string {
	if len(said) <= limit {
		return said
	}
	return append(slices.Clone(said[:limit-1]), fmt.Sprintf("and %d more", len(said)-limit+1))
}
