package server

import (
	"fmt"
	"slices"
	"sync"

	"github.com/writ-dev/writ/catalog"
)

const (
	// maxObserved and maxObservedBytes bound the lists that are held, by number and by
	// what was sent; decoded they take about eight times as much. The oldest goes first.
	maxObserved      = 64
	maxObservedBytes = 16 << 20
	// maxCompared bounds the comparisons that are held.
	maxCompared = 128
	// maxChanges bounds how many words about a changed list an answer or an entry
	// holds, and maxSaid how many are kept at all; each has at most 600 bytes.
	maxChanges = 50
	maxSaid    = 1000
)

// Observed holds tool lists that gateways showed, so that a refusal for a changed
// set can say what changed (R14). They classify nothing and permit nothing. It is
// safe for concurrent use.
type Observed struct {
	mu       sync.Mutex
	lists    []observedList // oldest first
	bytes    int
	compared []*comparison // oldest first

	// comparing lets one comparison run at a time: a hostile list makes it cost a
	// second, and its callers wait for that one instead of each doing it.
	comparing sync.Mutex
}

// observedList is a list of one server connection, and the bytes that were sent.
type observedList struct {
	workspace, server string
	set               *catalog.ToolSet
	bytes             int
}

// comparison is between two lists, by fingerprints and prose digests, in words.
type comparison struct {
	from, to string
	once     sync.Once
	words    []string
}

// keep remembers a list that was shown in so many bytes.
func (o *Observed) keep(l observedList) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, have := range o.lists {
		if have.workspace == l.workspace && have.server == l.server && have.set.Fingerprint == l.set.Fingerprint {
			o.drop(i)
			break
		}
	}
	for len(o.lists) > 0 && (len(o.lists) >= maxObserved || o.bytes+l.bytes > maxObservedBytes) {
		o.drop(0)
	}
	o.lists = append(o.lists, l)
	o.bytes += l.bytes
}

func (o *Observed) drop(i int) {
	o.bytes -= o.lists[i].bytes
	o.lists = slices.Delete(o.lists, i, i+1)
}

// find returns the list of a connection with a fingerprint, or nil.
func (o *Observed) find(workspace, server, fingerprint string) *catalog.ToolSet {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, l := range slices.Backward(o.lists) {
		if l.workspace == workspace && l.server == server && l.set.Fingerprint == fingerprint {
			return l.set
		}
	}
	return nil
}

// changes returns the differences in words, most dangerous first, at most maxSaid of
// them.
func (o *Observed) changes(pinned, seen *catalog.ToolSet) []string {
	c := o.comparison(pinned.Fingerprint+pinned.ProseDigest, seen.Fingerprint+seen.ProseDigest)
	c.once.Do(func() {
		o.comparing.Lock()
		defer o.comparing.Unlock()
		c.words = inWords(catalog.Diff(pinned, seen))
	})
	return c.words
}

// comparison finds one, or makes room for it; its words come with its first use.
func (o *Observed) comparison(from, to string) *comparison {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, c := range slices.Backward(o.compared) {
		if c.from == from && c.to == to {
			return c
		}
	}
	if len(o.compared) == maxCompared {
		o.compared = slices.Delete(o.compared, 0, 1)
	}
	c := &comparison{from: from, to: to}
	o.compared = append(o.compared, c)
	return c
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
