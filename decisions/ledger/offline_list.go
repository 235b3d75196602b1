package ledger

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sort"
)

// ReadEntries yields the entries of a log's files from a sequence on, without the service
// and beside it: of a backup or an earlier epoch too. Each batch's checksum was checked,
// and nothing else: Verify says whether the log holds. It ends after an error. Errors:
// ErrNotFound where there is no log, ErrDamaged, the context's, the disk's.
func ReadEntries(ctx context.Context, o VerifyOptions, from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		w, err := walkFrom(o, from)
		if err != nil {
			yield(Record{}, err)
			return
		}
		defer closeSegments(w.segments) //nolint:errcheck // opened for reading
		for {
			b, err := w.next()
			if errors.Is(err, errEnd) {
				return
			}
			if err = errors.Join(err, ctx.Err()); err != nil {
				yield(Record{}, err)
				return
			}
			for i, raw := range b.entries {
				sequence := b.place.first + uint64(i)
				if sequence < from {
					continue
				}
				if r, err := record(sequence, b.leaves[i], append([]byte(nil), raw...)); !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// walkFrom begins with the segment that holds an entry, or with the first.
func walkFrom(o VerifyOptions, from uint64) (*walker, error) {
	opts, err := Options{Dir: o.Dir, KeyDir: o.KeyDir, FS: o.FS}.withDefaults()
	if err != nil {
		return nil, err
	}
	_, segments, err := openForReading(opts.FS, opts.logDir())
	if err != nil {
		return nil, err
	}
	if len(segments) == 0 {
		return nil, fmt.Errorf("%w: no log in %s", ErrNotFound, o.Dir)
	}
	after := sort.Search(len(segments), func(i int) bool { return segments[i].first > from })
	s := segments[max(after, 1)-1]
	return &walker{segments: segments, at: place{first: s.first, segment: s.number, offset: segmentHeader, prev: s.prev}}, nil
}

// LogOf returns the id of the log in a data directory. Errors: as ReadEntries.
func LogOf(o VerifyOptions) (string, error) {
	w, err := walkFrom(o, 0)
	if err != nil {
		return "", err
	}
	return w.segments[0].log(), closeSegments(w.segments)
}
