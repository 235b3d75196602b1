package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// selectAhead is how many entries are read together at most.
const selectAhead = 64

// Select yields the entries that a query wants, of those that are durable when it is
// called. Each is read with its leaf check, and compared with the filter once more. It
// ends after an error: the context's, ErrDamaged.
func (l *Ledger) Select(ctx context.Context, q decisions.Query) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s, err := l.begin(q)
		if err != nil {
			yield(Record{}, err)
			return
		}
		group := make([]uint64, 0, selectAhead)
		for sequence, err := range s.sequences(ctx) {
			if err != nil {
				yield(Record{}, err)
				return
			}
			if group = append(group, sequence); len(group) == selectAhead {
				if !s.read(group, yield) {
					return
				}
				group = group[:0]
			}
		}
		s.read(group, yield)
	}
}

// selection is a query on what was durable when it began.
type selection struct {
	decisions.Query
	l        *Ledger
	size     uint64
	segments []*segment
	from, to uint64 // entries beyond are not wanted
	cursor   cursor
}

func (l *Ledger) begin(q decisions.Query) (*selection, error) {
	s := &selection{Query: q, l: l, size: l.Size(), cursor: cursor{l: l}} // before the list of segments, which then holds all of it
	s.segments, s.to = l.segments.view(), s.size
	if q.OldestFirst {
		s.from = q.Start
	} else if q.Start < s.size {
		s.to = q.Start + 1
	}
	if !q.Since.IsZero() {
		first, err := l.firstAt(q.Since.UnixNano(), s.size)
		if err != nil {
			return nil, err
		}
		s.from = max(s.from, first)
	}
	if !q.Until.IsZero() {
		first, err := l.firstAt(q.Until.UnixNano(), s.size)
		if err != nil {
			return nil, err
		}
		s.to = min(s.to, first)
	}
	return s, nil
}

// sequences yields where the wanted entries stand, in the query's order, up to its
// limit.
func (s *selection) sequences(ctx context.Context) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		left := s.Limit
		for n := range s.segments {
			i := n
			if !s.OldestFirst {
				i = len(s.segments) - 1 - n
			}
			found, err := s.in(ctx, i)
			if err != nil {
				yield(0, err)
				return
			}
			for n := range found {
				if !yield(s.segments[i].first+uint64(n), nil) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// in returns the wanted entries of one segment, counted from its first.
func (s *selection) in(ctx context.Context, i int) (iter.Seq[uint32], error) {
	first, end := s.segments[i].first, s.size
	if i < len(s.segments)-1 {
		end = s.segments[i+1].first
	}
	from, to := max(s.from, first), min(s.to, end)
	if from >= to {
		return func(func(uint32) bool) {}, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var c chosen = everyEntry{}
	if len(s.Terms) > 0 {
		var err error
		if c, err = s.l.fields.choose(s.segments, i, s.size, s.Terms); err != nil {
			return nil, err
		}
	}
	if s.OldestFirst {
		return c.ascending(uint32(from-first), uint32(to-first)), nil //nolint:gosec // a segment has fewer entries than bytes
	}
	return c.descending(uint32(from-first), uint32(to-first)), nil //nolint:gosec // as above
}

// read reads a group of entries forwards, since that is how batches are read, and
// yields them in the query's order. It says whether to go on.
func (s *selection) read(group []uint64, yield func(Record, error) bool) bool {
	slices.Sort(group)
	records := make([]Record, 0, len(group))
	for _, sequence := range group {
		r, err := s.cursor.readKept(sequence)
		if errors.Is(err, ErrPruned) { // a moment ago
			continue
		}
		if err == nil {
			err = s.check(r)
		}
		if err != nil {
			yield(Record{}, err)
			return false
		}
		records = append(records, r)
	}
	if !s.OldestFirst {
		slices.Reverse(records)
	}
	for _, r := range records {
		if !yield(r, nil) {
			return false
		}
	}
	return true
}

// check compares what the index said with the entry itself.
func (s *selection) check(r Record) error {
	if err := s.Check(r); err != nil {
		s.l.index.broken.Store(true)
		return fmt.Errorf("%w: index: entry %d: %w: start again, it will be rebuilt", ErrDamaged, r.Sequence, err)
	}
	return nil
}

// everyEntry is chosen where there is nothing to choose by.
type everyEntry struct{}

func (everyEntry) ascending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; from < to && yield(from); from++ {
		}
	}
}

func (everyEntry) descending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; from < to && yield(to-1); to-- {
		}
	}
}
