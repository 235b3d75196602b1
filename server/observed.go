package server

import (
	"slices"
	"sync"

	"github.com/writ-dev/writ/catalog"
)

// maxObserved bounds the lists that are held; the oldest goes first.
const maxObserved = 64

// Observed holds tool lists that gateways showed, so that a refusal for a changed
// set can say what changed (R14). They classify nothing and permit nothing. It is
// safe for concurrent use.
type Observed struct {
	mu    sync.Mutex
	lists []*catalog.ToolSet // oldest first
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
