package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// recovered is what a start-up found.
type recovered struct {
	size    uint64
	dropped int64 // bytes of a torn last batch
}

// recover brings the index up to the log, checks the log against every signed head,
// and leaves the writer standing where the log ends. Damage that might be the index's
// is looked at once more with a fresh one.
func (l *Ledger) recover(ctx context.Context) (recovered, error) {
	if err := l.harden(); err != nil {
		return recovered{}, err
	}
	ring, signed, err := readSigned(l.opts, l.keys.own.public, append(l.opts.anchors(l.keys.own.public), l.opts.checkpoint())...)
	if err != nil {
		return recovered{}, err
	}
	l.signing.Store(&signing{ring, l.keys.signers()})
	w, err := l.replay(ctx, signed)
	if err != nil && l.index.size() > l.First() && !errors.Is(err, ErrRolledBack) && ctx.Err() == nil {
		l.opts.Logger.Warn("log and index disagree, rebuilding the index to see which is wrong", "error", err)
		if err := l.index.reset(); err != nil {
			return recovered{}, err
		}
		w, err = l.replay(ctx, signed)
	}
	if err != nil {
		return recovered{}, err
	}
	if err := l.cut(w); err != nil {
		return recovered{}, err
	}
	return recovered{w.at.first, w.torn}, l.sealMissing(signed)
}

// harden makes durable what the last segment holds: a process that died between a write
// and its sync leaves a batch that can be read and is not on the disk. It is written
// again, since a sync that failed may have marked it as written (on Linux). A batch is
// synced before the next is begun, so that only the last can be one of these.
func (l *Ledger) harden() error {
	segments := l.segments.view()
	if len(segments) == 0 {
		return nil
	}
	s, from := segments[len(segments)-1], int64(0)
	if l.index.last.segment == s.number {
		from = min(l.index.last.offset, int64(s.size))
	}
	end, err := zeroFrom(s.file, from, int64(s.size))
	if err != nil {
		return err
	}
	last := make([]byte, min(end, maxFrame))
	if _, err := s.file.ReadAt(last, end-int64(len(last))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err := s.file.WriteAt(last, end-int64(len(last))); err != nil {
		return err
	}
	return s.file.Sync()
}

// replay walks from the index's last batch to the end of the log.
func (l *Ledger) replay(ctx context.Context, signed *heads) (*walker, error) {
	if err := l.index.reach(l.origin()); err != nil {
		return nil, err
	}
	tree := l.index.frontier.Clone()
	l.tail = newTail(l.index, l.origin().behind(&tree))
	l.writer.state = decisions.State{LogID: l.keys.logID, Keys: l.tail}
	l.erased = erasures{}
	w := &walker{segments: l.segments.view(), at: l.index.last}
	if err := l.checkIndexed(signed); err != nil {
		return nil, err
	}
	for ctx.Err() == nil {
		b, err := w.next()
		if errors.Is(err, errEnd) {
			l.head.set(tree)
			return w, l.checkEnd(w, signed)
		}
		if err != nil {
			return nil, err
		}
		if err := l.take(b, &tree, signed, numbered(w.segments, b.place.segment)); err != nil {
			return nil, err
		}
	}
	return nil, ctx.Err()
}

// take replays what of a batch is not in the index.
func (l *Ledger) take(b *batch, tree *decisions.Frontier, signed *heads, s *segment) error {
	for i, leaf := range b.leaves {
		sequence := b.place.first + uint64(i)
		if b.envelopes[i].Kind == decisions.KindKeyChanged {
			if err := l.replayKey(b.envelopes[i]); err != nil {
				return &BadEntryError{sequence, s.name, b.place.offset, err}
			}
		}
		if sequence < tree.Size() {
			continue
		}
		err := l.begun(b.envelopes[i])
		if err == nil {
			err = l.writer.state.Replay(b.envelopes[i])
		}
		if err != nil {
			return &BadEntryError{sequence, s.name, b.place.offset, fmt.Errorf("%w: %w", ErrDamaged, err)}
		}
		l.erased.note(b.envelopes[i])
		tree.Append(leaf)
		if err := signed.checkTree(tree); err != nil {
			return err
		}
	}
	l.tail.add(b.place, b.leaves, b.ends())
	return l.catchUp()
}

// checkIndexed compares heads that the index has passed, from the smallest on. Those of
// what was pruned it need not have the hashes for.
func (l *Ledger) checkIndexed(signed *heads) error {
	signed.agreed = 0
	if err := l.origin().check(signed, l.opts.logDir()); err != nil {
		return err
	}
	for _, size := range slices.Sorted(maps.Keys(signed.bySize)) {
		if size > l.index.size() || size <= l.First() {
			continue
		}
		root, err := l.index.root(size)
		if err == nil {
			err = signed.check(size, root)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkEnd refuses a log that is shorter than something says that it was.
func (l *Ledger) checkEnd(w *walker, signed *heads) error {
	name := l.opts.logDir()
	if s := w.segment(); s != nil {
		name = s.name
	}
	if indexed := l.index.size(); w.at.first < indexed {
		return &BadEntryError{w.at.first, name, w.at.offset, fmt.Errorf("%w: the log ends before entry %d, which the index in %s has: %s", ErrRolledBack, indexed-1, l.opts.indexDir(), restore)}
	}
	return signed.reached(w.at.first, name, w.at.offset)
}

// cut sets the writer behind the last whole batch, and zeroes the place of the next one,
// durably: what a torn batch left there, and what zeros an earlier start wrote and could
// not sync, which are read as zeros and may not be on the disk.
func (l *Ledger) cut(w *walker) error {
	l.writer.next, l.writer.prev, l.writer.time = w.at.first, w.at.prev, w.at.before
	if len(w.segments) == 0 {
		return nil
	}
	s := w.segment()
	l.writer.segment, l.writer.offset = s, w.at.offset
	if w.torn > 0 {
		l.opts.Logger.Warn("dropping a torn last batch, which was never acknowledged", "file", s.name, "offset", w.at.offset, "bytes", w.torn)
	}
	room := max(w.torn, min(maxFrame, int64(s.size)-w.at.offset))
	if _, err := s.file.WriteAt(make([]byte, room), w.at.offset); err != nil {
		return err
	}
	return s.file.Sync()
}

// sealMissing has those segments' checkpoints signed that ended just before a crash.
func (l *Ledger) sealMissing(signed *heads) error {
	segments := l.segments.view()
	for i := 1; i < len(segments); i++ {
		size := segments[i].first
		if len(signed.bySize[size]) > 0 {
			continue
		}
		root, err := l.rootAt(size)
		if err != nil {
			return err
		}
		note, err := l.signing.Load().sign(decisions.Checkpoint{LogID: l.keys.logID, Size: size, Root: root})
		if errors.Is(err, errNoSigner) {
			l.opts.Logger.Warn("a segment's checkpoint is missing and stays so; later ones cover it", "segment", i-1, "reason", err)
			continue
		}
		if err == nil {
			err = replaceFile(l.opts.FS, sealedFile(l.opts.logDir(), segments[i-1].number), note)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rootAt returns the tree's root at any size up to the durable one. Only before the
// goroutines start.
func (l *Ledger) rootAt(size uint64) (decisions.Hash, error) {
	if size <= l.index.size() {
		return l.index.root(size)
	}
	tree := l.index.frontier.Clone()
	for _, leaf := range l.tail.leaves[:size-l.tail.first] {
		tree.Append(leaf)
	}
	return tree.Root(), nil
}
