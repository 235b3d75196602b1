package ledger

import (
	"context"
	"errors"

	"github.com/writ-dev/writ/decisions"
)

// references knows which blobs the entries name, and the last segment that does. It
// reads the log once, and then what was appended since.
type references struct {
	walk  walker
	named map[string]uint32
}

// catchUp reads on to the end of the log.
func (r *references) catchUp(ctx context.Context, l *Ledger, progress func(entries, of uint64)) error {
	from := l.origin()
	if r.named == nil {
		r.named = map[string]uint32{}
	}
	if r.walk.at.segment < from.segment || r.walk.at.offset == 0 {
		r.walk.at = from.place
	}
	began := r.walk.at.first
	for r.walk.segments = l.segments.view(); ctx.Err() == nil; {
		b, err := r.walk.next()
		if errors.Is(err, errEnd) {
			r.forget(from.segment)
			return nil
		}
		if err != nil {
			return err
		}
		for _, e := range b.envelopes {
			if err := eachBlob(e, l.Blob, func(name string) error { r.named[name] = b.place.segment; return nil }); err != nil {
				return &BadEntryError{e.Sequence, r.walk.segment().name, b.place.offset, err}
			}
		}
		if progress != nil {
			progress(r.walk.at.first-began, max(r.walk.at.first, l.Size())-began)
		}
	}
	return ctx.Err()
}

// forget drops what only segments before a number name.
func (r *references) forget(number uint32) {
	for name, last := range r.named {
		if last < number {
			delete(r.named, name)
		}
	}
}

// keptBlobs says which blobs what remains of the log names, with the entries that its
// beginning keeps.
func (l *Ledger) keptBlobs(ctx context.Context, progress func(entries, of uint64)) (func(name string) bool, error) {
	refs := &l.pruner.refs
	if err := refs.catchUp(ctx, l, progress); err != nil {
		return nil, err
	}
	from, err := readOrigin(l.opts.FS, l.opts.logDir())
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	for _, raw := range from.snapshot.Entries {
		e, err := decisions.ParseEnvelope(raw)
		if err == nil {
			err = eachBlob(e, l.Blob, func(name string) error { kept[name] = true; return nil })
		}
		if err != nil {
			return nil, err
		}
	}
	return func(name string) bool {
		_, named := refs.named[name]
		return named || kept[name]
	}, nil
}
