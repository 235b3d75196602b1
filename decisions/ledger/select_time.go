package ledger

import (
	"errors"
	"sort"
)

// firstAt returns the first of the entries before size that is not older than a time,
// or size. Times never run backwards (R25), so a search needs no index of them.
func (l *Ledger) firstAt(at int64, size uint64) (uint64, error) {
	from, to, err := l.around(at, size)
	if err != nil {
		return 0, err
	}
	n := sort.Search(int(to-from), func(i int) bool { //nolint:gosec // a tile and a batch at most
		if err != nil {
			return true
		}
		var r Record
		r, err = l.Entry(from + uint64(i)) //nolint:gosec // not negative
		if errors.Is(err, ErrPruned) {     // a moment ago
			err = nil
			return false
		}
		return err != nil || r.Time.UnixNano() >= at
	})
	return from + uint64(n), err //nolint:gosec // not negative
}

// around bounds that entry by the places of batches: each says the time of the entry
// before it.
func (l *Ledger) around(at int64, size uint64) (from, to uint64, err error) {
	tiles, from, to := l.tail.around(at, size)
	look := func(i int) (p place) {
		if err == nil {
			p, _, err = l.index.tilePlace(uint64(i)) //nolint:gosec // not negative
		}
		return p
	}
	pruned := int(l.First() / tileWidth) //nolint:gosec // far fewer; of those before, nothing is known
	n := pruned + sort.Search(tiles-pruned, func(i int) bool { return look(pruned+i).before >= at })
	if n < tiles {
		to = min(to, look(n).first)
	}
	if n > pruned {
		from = max(from, look(n-1).first)
	}
	from = max(from, l.First())
	return from, max(from, to), err
}

// around does so within the tail, and returns how many tiles are in the index.
func (t *tail) around(at int64, size uint64) (tiles int, from, to uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := sort.Search(len(t.places), func(i int) bool { return t.places[i].before >= at })
	to = size
	if n < len(t.places) {
		to = min(size, t.places[n].first)
	}
	if n > 0 {
		from = t.places[n-1].first
	}
	return int(t.first / tileWidth), min(from, to), to //nolint:gosec // far fewer
}
