package ledger

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/writ-dev/writ/decisions"
)

// head is the durable tree: it never holds a leaf whose entry is not synced.
type head struct {
	size atomic.Uint64

	mu      sync.Mutex
	tree    decisions.Frontier
	waiting chan struct{} // closed when the tree grows; nil while nobody waits
}

func (h *head) set(tree decisions.Frontier) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tree = tree
	h.size.Store(tree.Size())
}

func (h *head) advance(leaves []decisions.Hash) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, leaf := range leaves {
		h.tree.Append(leaf)
	}
	h.size.Store(h.tree.Size())
	if h.waiting != nil {
		close(h.waiting)
		h.waiting = nil
	}
}

// grown returns what is closed when the tree is larger than a size; nil where it is.
func (h *head) grown(size uint64) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tree.Size() > size {
		return nil
	}
	if h.waiting == nil {
		h.waiting = make(chan struct{})
	}
	return h.waiting
}

func (h *head) snapshot() decisions.Frontier {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tree.Clone()
}

// segmentList is the segments that were begun. The writer adds; readers take a view.
type segmentList struct {
	mu  sync.RWMutex
	all []*segment
}

func (s *segmentList) add(next *segment) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all[:len(s.all):len(s.all)], next)
}

// drop forgets the segments before a number. Who has a view of them may go on reading:
// their files close with the last reference to them.
func (s *segmentList) drop(number uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.Clone(s.all[number-s.all[0].number:])
}

// view returns the segments so far. Nobody changes what it returns.
func (s *segmentList) view() []*segment {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.all
}

// holding returns the segment that holds an entry of the log, nil where it was pruned.
func (s *segmentList) holding(sequence uint64) *segment {
	all := s.view()
	after := sort.Search(len(all), func(i int) bool { return all[i].first > sequence })
	if after == 0 {
		return nil
	}
	return all[after-1]
}
