package ledger

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/writ-dev/writ/decisions"
)

// errEnd says that a walk reached the end of the log.
var errEnd = errors.New("end of the log")

// place is where the batch stands, or will stand, that holds an entry.
type place struct {
	first   uint64 // the batch's first sequence
	segment uint32
	offset  int64
	prev    decisions.Hash // hash of the batch before it
	before  int64          // time of the entry before it
}

// batch is a stored batch that was checked: its bytes, its place in the chain, and
// every entry's envelope. It is good until the next step of the walk.
type batch struct {
	place     place
	entries   [][]byte
	envelopes []decisions.Envelope
	leaves    []decisions.Hash
	hash      decisions.Hash
	time      int64 // of the last entry
}

// ends returns where in the batch each of its entries ends.
func (b *batch) ends() []uint32 {
	ends, at := make([]uint32, len(b.entries)), frameHeader
	for i, raw := range b.entries {
		at += 2 + len(raw)
		ends[i] = uint32(at) //nolint:gosec // below maxFrame
	}
	return ends
}

// walker goes over the log forwards, batch by batch, and checks all that can be
// checked without the tree: checksums, chain, contiguity, envelopes, times. Recovery
// and verification are this walk.
type walker struct {
	segments []*segment
	at       place // of the next batch
	scan     scanner
	batch    batch
	// loose is a walk that does not follow the chain.
	loose bool
	// torn is how many bytes follow the end that belong to a batch that was being
	// written; set with errEnd.
	torn int64
}

// start is the place of entry 0, which a pruned log does not have.
func start() place { return place{offset: segmentHeader} }

func (w *walker) segment() *segment { return numbered(w.segments, w.at.segment) }

// next returns the next batch; errEnd after the last. Errors: BadEntryError.
func (w *walker) next() (*batch, error) {
	if w.segment() == nil {
		return nil, errEnd
	}
	f, err := w.frame()
	if err != nil {
		return nil, err
	}
	if err := w.check(f); err != nil {
		return nil, w.bad(err)
	}
	w.at = place{
		first: f.first + uint64(f.count), segment: w.at.segment, offset: w.at.offset + frameHeader + int64(len(f.payload)),
		prev: w.batch.hash, before: w.batch.time,
	}
	return &w.batch, nil
}

// frame reads the frame at w.at, going on to the next segment where one ends.
func (w *walker) frame() (frame, error) {
	for {
		s := w.segment()
		if w.scan.file != s.file {
			w.scan = scanner{file: s.file, buf: w.scan.buf[:0]}
		}
		f, err := w.scan.frameAt(w.at.offset, s.mark)
		if err != nil { // perhaps it was written since the buffer was filled
			w.scan.forget()
			f, err = w.scan.frameAt(w.at.offset, s.mark)
		}
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, errNoFrame) && !errors.Is(err, errBadFrame) {
			return frame{}, w.bad(err)
		}
		if f, err = w.again(err); err == nil {
			return f, nil
		}
		if err := w.endOfSegment(err); err != nil {
			return frame{}, err
		}
	}
}

// again reads the frame once more where a batch begins behind it: the first read may
// have met a writer at work.
func (w *walker) again(first error) (frame, error) {
	s := w.segment()
	behind, err := findMark(s.file, s.mark, w.at.offset+1, int64(s.size))
	if err != nil {
		return frame{}, w.bad(err)
	}
	if behind < 0 {
		return frame{}, first
	}
	w.scan.forget()
	f, err := w.scan.frameAt(w.at.offset, s.mark)
	if err != nil {
		return frame{}, w.bad(fmt.Errorf("%w: %w, and another batch follows at offset %d: %s", ErrDamaged, err, behind, restore))
	}
	return f, nil
}

// endOfSegment goes on to the next segment, or ends the walk. It is an error where
// something other than zeros lies between the last batch and the next segment.
func (w *walker) endOfSegment(cause error) error {
	if bad := (*BadEntryError)(nil); errors.As(cause, &bad) {
		return cause
	}
	s := w.segment()
	end, err := zeroFrom(s.file, w.at.offset, int64(s.size))
	if err != nil {
		return w.bad(err)
	}
	next := numbered(w.segments, s.number+1)
	if next == nil {
		w.torn = end - w.at.offset
		return errEnd
	}
	if end != w.at.offset {
		return w.bad(fmt.Errorf("%w: %w, and segment %d follows: %s", ErrDamaged, cause, s.number+1, restore))
	}
	w.at.segment, w.at.offset = w.at.segment+1, segmentHeader
	if next.first != w.at.first || next.prev != w.at.prev && !w.loose {
		return w.bad(fmt.Errorf("%w: the segment continues entry %d, expected %d: %s", ErrDamaged, next.first, w.at.first, restore))
	}
	return nil
}

// check fills w.batch from a frame.
func (w *walker) check(f frame) (err error) {
	if f.first != w.at.first || f.prev != w.at.prev {
		return fmt.Errorf("%w: the batch begins with entry %d and continues %x, expected %d and %x", ErrDamaged, f.first, f.prev[:4], w.at.first, w.at.prev[:4])
	}
	b := &w.batch
	b.place, b.time, b.envelopes, b.leaves = w.at, w.at.before, b.envelopes[:0], b.leaves[:0]
	if b.entries, err = f.entries(b.entries[:0]); err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	for i, raw := range b.entries {
		e, err := decisions.ParseEnvelope(raw)
		sequence := f.first + uint64(i)
		if err == nil && (e.Sequence != sequence || e.Time < b.time) {
			err = fmt.Errorf("it says sequence %d and time %d, expected %d and at least %d", e.Sequence, e.Time, sequence, b.time)
		}
		if err != nil {
			return &BadEntryError{sequence, w.segment().name, w.at.offset, fmt.Errorf("%w: %w", ErrDamaged, err)}
		}
		b.envelopes, b.leaves, b.time = append(b.envelopes, e), append(b.leaves, decisions.LeafHash(raw)), e.Time
	}
	b.hash = batchHash(f.head, b.leaves)
	return nil
}

// badEntry names an entry of a batch that the walk has checked. What the disk can't
// give now is no damage.
func (w *walker) badEntry(b *batch, sequence uint64, err error) error {
	if unread := (*fs.PathError)(nil); !errors.Is(err, ErrKeys) && !errors.As(err, &unread) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return &BadEntryError{sequence, numbered(w.segments, b.place.segment).name, b.place.offset, err}
}

// bad names the entry that stands, or should stand, where the walk is.
func (w *walker) bad(err error) error {
	if already := (*BadEntryError)(nil); errors.As(err, &already) {
		return err
	}
	return &BadEntryError{w.at.first, w.segment().name, w.at.offset, err}
}
