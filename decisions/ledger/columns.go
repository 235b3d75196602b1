package ledger

import (
	"iter"
	"maps"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// columns hold the fields of one segment's entries in memory: for each field its
// values, numbered from 1, and for each entry the number of its value; 0 is none. Four
// bytes an entry and field make it cheap to fill and quick to scan.
type columns struct {
	segment *segment
	walk    walker
	numbers [decisions.FieldCount]map[string]uint32
	rows    [decisions.FieldCount][]uint32
	entries [][]byte
}

// newColumns begins with the segment at a place of the list.
func newColumns(segments []*segment, i int) *columns {
	s := segments[i]
	c := &columns{segment: s, walk: walker{
		segments: segments, loose: true,
		at: place{first: s.first, segment: s.number, offset: segmentHeader},
	}}
	for f := range c.numbers {
		c.numbers[f] = map[string]uint32{}
	}
	return c
}

// grow takes in what the segment holds before a sequence, which is durable and where a
// batch ends.
func (c *columns) grow(until uint64) error {
	for c.walk.at.first < until {
		f, err := c.walk.frame()
		if err == nil {
			c.entries, err = f.entries(c.entries[:0])
		}
		if err != nil {
			return damaged(c.walk.at.first, c.segment.name, c.walk.at.offset, "the batch can't be read: %w: %s", err, restore)
		}
		for i, raw := range c.entries {
			if err := c.add(raw); err != nil {
				return damaged(f.first+uint64(i), c.segment.name, c.walk.at.offset, "%w: %s", err, restore)
			}
		}
		c.walk.at.offset += frameHeader + int64(len(f.payload))
		c.walk.at.first = f.first + uint64(f.count)
	}
	return nil
}

func (c *columns) add(raw []byte) error {
	values, err := decisions.ReadFields(raw)
	if err != nil {
		return err
	}
	for f, value := range values {
		c.rows[f] = append(c.rows[f], c.number(f, value))
	}
	return nil
}

func (c *columns) number(field int, value []byte) uint32 {
	if len(value) == 0 {
		return 0
	}
	n, known := c.numbers[field][string(value)]
	if !known {
		n = uint32(len(c.numbers[field])) + 1 //nolint:gosec // at most one a byte of the segment
		c.numbers[field][string(value)] = n
	}
	return n
}

// choose returns the entries that hold all of the terms. It shares what never changes,
// so the columns may grow meanwhile.
func (c *columns) choose(terms []decisions.Term) chosen {
	var r rowsChosen
	for _, t := range terms {
		n, known := c.numbers[t.Field][t.Value]
		if !known {
			return rowsChosen{}
		}
		rows := c.rows[t.Field]
		r.rows, r.wanted = append(r.rows, rows[:len(rows):len(rows)]), append(r.wanted, n)
	}
	return r
}

// chosen are entries of a segment, counted from its first.
type chosen interface {
	// ascending and descending yield those in [from, to).
	ascending(from, to uint32) iter.Seq[uint32]
	descending(from, to uint32) iter.Seq[uint32]
}

// rowsChosen are the entries whose numbers are the wanted ones, column by column; none
// where there is no column.
type rowsChosen struct {
	rows   [][]uint32
	wanted []uint32
}

func (r rowsChosen) ascending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := from; i < min(to, r.len()); i++ {
			if r.holds(i) && !yield(i) {
				return
			}
		}
	}
}

func (r rowsChosen) descending(from, to uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := min(to, r.len()); i > from; i-- {
			if r.holds(i-1) && !yield(i-1) {
				return
			}
		}
	}
}

func (r rowsChosen) len() uint32 {
	if len(r.rows) == 0 {
		return 0
	}
	return uint32(len(r.rows[0])) //nolint:gosec // a segment has fewer entries than bytes
}

func (r rowsChosen) holds(i uint32) bool {
	for n, rows := range r.rows {
		if rows[i] != r.wanted[n] {
			return false
		}
	}
	return true
}

// postings yields the values of a field in order, each with the entries that hold it.
func (c *columns) postings(field int) iter.Seq2[string, []uint32] {
	return func(yield func(string, []uint32) bool) {
		ends := make([]uint32, len(c.numbers[field])+1)
		for _, n := range c.rows[field] {
			ends[n]++
		}
		total := uint32(0)
		for n, count := range ends {
			total += count
			ends[n] = total - count
		}
		all := make([]uint32, total)
		for i, n := range c.rows[field] {
			all[ends[n]] = uint32(i) //nolint:gosec // as above
			ends[n]++
		}
		for _, value := range slices.Sorted(maps.Keys(c.numbers[field])) {
			n := c.numbers[field][value]
			if !yield(value, all[ends[n-1]:ends[n]]) {
				return
			}
		}
	}
}
