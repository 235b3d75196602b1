package ledger

import (
	"errors"
	"sync"

	"github.com/writ-dev/writ/decisions"
)

// fields finds the entries of a segment that hold given values. What a sealed segment
// holds is in the index, put there by the indexer. The open segment is read into
// memory when somebody first asks, and from then on only what is new: where nobody
// asks, it costs nothing.
type fields struct {
	l *Ledger

	mu   sync.Mutex
	open *columns // of the open segment, or of one that was just sealed

	reading sync.Mutex // a sealed segment is read by one at a time

	// The indexer's.
	looked uint32     // behind the last sealed segment that it knows
	unread []*segment // those that the index does not hold, newest last
}

// choose returns the entries, of those before a sequence, that a segment of the list
// holds all of the terms in.
func (f *fields) choose(segments []*segment, i int, until uint64, terms []decisions.Term) (chosen, error) {
	if i == len(segments)-1 {
		return f.chooseOpen(segments, i, until, terms)
	}
	found, err := f.l.index.choose(segments[i], terms)
	if !errors.Is(err, errUnread) {
		return found, err
	}
	c, err := f.read(segments, i)
	if err != nil {
		return nil, err
	}
	return c.choose(terms), nil
}

func (f *fields) chooseOpen(segments []*segment, i int, until uint64, terms []decisions.Term) (chosen, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open == nil || f.open.segment != segments[i] {
		f.open = newColumns(segments, i)
	}
	if err := f.open.grow(until); err != nil {
		f.open = nil
		return nil, err
	}
	return f.open.choose(terms), nil
}

// read reads a sealed segment and puts what it holds into the index. Without room on
// the disk it is read all the same.
func (f *fields) read(segments []*segment, i int) (*columns, error) {
	f.reading.Lock()
	defer f.reading.Unlock()
	c := f.takeOpen(segments[i])
	if c == nil {
		c = newColumns(segments, i)
	}
	if err := c.grow(segments[i+1].first); err != nil {
		return nil, err
	}
	if err := f.l.space.forIndex(); err != nil {
		return c, nil // the next one who asks tries again
	}
	return c, f.l.index.guard(func() error { return f.l.index.setFields(c) })
}

// takeOpen returns what is in memory of a segment that was sealed, and lets go of it.
func (f *fields) takeOpen(s *segment) *columns {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.open
	if c == nil || c.segment != s {
		return nil
	}
	f.open = nil
	return c
}

// next puts the newest sealed segment that the index does not hold into it, and says
// whether there may be more. Only the indexer calls it. Errors: ErrNoSpace, the index's,
// the disk's.
func (f *fields) next() (more bool, err error) {
	segments := f.l.segments.view()
	for _, s := range segments[:max(len(segments), 1)-1] {
		if s.number < f.looked {
			continue
		}
		found, err := f.l.index.hasFields(s)
		if err != nil {
			return false, err
		}
		if !found {
			f.unread = append(f.unread, s)
		}
		f.looked = s.number + 1
	}
	if len(f.unread) == 0 {
		return false, nil
	}
	if err := f.l.space.forIndex(); err != nil {
		return false, err
	}
	last := len(f.unread) - 1
	s := f.unread[last]
	for i := range segments {
		if segments[i] == s {
			if _, err := f.read(segments, i); err != nil {
				return false, err
			}
		}
	}
	f.unread = f.unread[:last]
	return last > 0, nil
}
