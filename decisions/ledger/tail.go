package ledger

import (
	"sort"
	"sync"

	"github.com/writ-dev/writ/decisions"
)

const (
	// tileWidth is how many leaves go into the index together (C2SP tlog-tiles).
	tileWidth = 256
	// maxTail is how many entries may wait for the index before the writer does.
	maxTail = 1 << 18
)

// change is one write to the writer's state.
type change struct {
	sequence uint64
	key      decisions.Hash
	record   decisions.KeyRecord
}

// tail is the end of the log that is not in the index yet: leaves, places of batches,
// and changes of the writer's state. It is the KeyStore of the writer; behind it
// stands the index. The writer adds, the indexer takes away, readers look.
type tail struct {
	index *index

	mu      sync.Mutex
	drained sync.Cond
	first   uint64 // sequence of leaves[0]: a multiple of tileWidth
	leaves  []decisions.Hash
	spots   []spot  // of the same entries
	places  []place // of every batch from the one before leaves[0] on
	changes []change
	fresh   map[decisions.Hash]change
	firsts  map[decisions.EntryRef]decisions.Hash
	err     error // the indexer's; ends all waiting
}

// newTail begins behind the index, with leaves whose entries are not in the log any more.
func newTail(x *index, leaves []decisions.Hash) *tail {
	t := &tail{index: x, first: x.size(), leaves: leaves, spots: make([]spot, len(leaves)), fresh: map[decisions.Hash]change{}, firsts: map[decisions.EntryRef]decisions.Hash{}}
	t.drained.L = &t.mu
	return t
}

// add takes a durable batch in; ends say where in it each entry ends. Leaves before
// t.first, which a replay meets when it begins within a batch, are in the index already.
// It says whether the index has a tile to take.
func (t *tail) add(at place, leaves []decisions.Hash, ends []uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	begin := uint32(frameHeader)
	for i, end := range ends {
		if at.first+uint64(i) >= t.first {
			t.leaves = append(t.leaves, leaves[i])
			t.spots = append(t.spots, spot{uint32(at.offset) + begin + 2, uint16(end - begin - 2)}) //nolint:gosec // a segment has at most 4 GiB, an entry 64 KiB
		}
		begin = end
	}
	t.places = append(t.places, at)
	return len(t.leaves) >= tileWidth
}

// wait blocks while the index is too far behind.
func (t *tail) wait() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.leaves) >= maxTail && t.err == nil {
		t.drained.Wait()
	}
	return t.err
}

func (t *tail) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	t.drained.Broadcast()
}

// Key implements decisions.KeyStore.
func (t *tail) Key(key decisions.Hash) (decisions.KeyRecord, bool, error) {
	t.mu.Lock()
	c, ok := t.fresh[key]
	t.mu.Unlock()
	if ok {
		return c.record, true, nil
	}
	return t.index.key(key)
}

// KeyOf implements decisions.KeyStore.
func (t *tail) KeyOf(first decisions.EntryRef) (decisions.Hash, bool, error) {
	t.mu.Lock()
	key, ok := t.firsts[first]
	t.mu.Unlock()
	if ok {
		return key, true, nil
	}
	return t.index.keyOf(first)
}

// SetKey implements decisions.KeyStore.
func (t *tail) SetKey(key decisions.Hash, record decisions.KeyRecord, sequence uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := change{sequence, key, record}
	t.changes = append(t.changes, c)
	t.fresh[key], t.firsts[record.First] = c, key
}

// tile is what the index takes in at once: the next tileWidth leaves, the changes
// that their entries made, and the batch that holds the last of them, from which a
// replay goes on.
type tile struct {
	leaves  []decisions.Hash
	spots   []spot
	changes []change
	last    place
}

// take returns the next tile, if one is complete.
func (t *tail) take() (tile, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.leaves) < tileWidth {
		return tile{}, false
	}
	until := t.first + tileWidth
	changes := sort.Search(len(t.changes), func(i int) bool { return t.changes[i].sequence >= until })
	return tile{t.leaves[:tileWidth:tileWidth], t.spots[:tileWidth:tileWidth], t.changes[:changes:changes], t.places[t.holding(until-1)]}, true
}

// drop forgets a tile that the index has taken in.
func (t *tail) drop(d tile) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.first += tileWidth
	t.leaves, t.spots, t.changes = t.leaves[tileWidth:], t.spots[tileWidth:], t.changes[len(d.changes):]
	t.places = t.places[t.holding(t.first-1):]
	for _, c := range d.changes {
		fresh := t.fresh[c.key]
		if fresh.sequence == c.sequence {
			delete(t.fresh, c.key)
		}
		if fresh.sequence == c.sequence || fresh.record.First != c.record.First {
			delete(t.firsts, c.record.First)
		}
	}
	t.drained.Broadcast()
}

// holding returns which of places holds an entry.
func (t *tail) holding(sequence uint64) int {
	return sort.Search(len(t.places), func(i int) bool { return t.places[i].first > sequence }) - 1
}

// find returns the spot and leaf of an entry that is in the tail.
func (t *tail) find(sequence uint64) (spot, decisions.Hash, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if sequence < t.first || sequence-t.first >= uint64(len(t.leaves)) {
		return spot{}, decisions.Hash{}, false
	}
	return t.spots[sequence-t.first], t.leaves[sequence-t.first], true
}

// subtree says whether the leaves from one sequence up to, not including, another are
// in the index, and returns them where all are in the tail. Nobody changes what it
// returns.
func (t *tail) subtree(from, to uint64) (indexed bool, leaves []decisions.Hash) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if to <= t.first {
		return true, nil
	}
	if from < t.first || to-t.first > uint64(len(t.leaves)) {
		return false, nil
	}
	return false, t.leaves[from-t.first : to-t.first]
}

// lag is how many entries the index is behind.
func (t *tail) lag() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.leaves)
}
