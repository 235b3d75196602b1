package ledger

import (
	"bytes"
	"fmt"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// Pruning is what an entry says of a prune.
type Pruning struct {
	// Sequence of that entry, and its time.
	Sequence uint64
	Time     time.Time
	// By is who pruned.
	By string
	// Archive is where the entries were exported to; empty where nothing was kept.
	Archive string
}

func (p *pruning) report() *Pruning {
	return &Pruning{Sequence: p.sequence, Time: p.at, By: p.said.GetActor().GetName(), Archive: p.said.GetArchive()}
}

// segmentEnd is a segment's number and the tree before it.
type segmentEnd struct {
	segment uint32
	root    decisions.Hash
}

// begin takes in what a pruned log begins with.
func (v *verification) begin() error {
	v.walk.at, v.report.Segments = v.from.place, len(v.walk.segments)
	v.log = &decisions.Snapshot{LogID: v.report.LogID}
	if s := v.from.snapshot; s != nil {
		v.log = s
		v.report.First, v.report.Pruned = v.from.first, v.from.pruned.report()
	}
	for size, of := range v.signed.bySize {
		if size < v.from.first {
			v.report.Uncompared += len(of)
		}
	}
	v.state = decisions.State{LogID: v.report.LogID, Keys: &v.log.Keys}
	if err := v.from.check(v.signed, v.o.logDir()); err != nil {
		return err
	}
	for _, raw := range v.log.Entries {
		if err := v.kept(raw); err != nil {
			return &BadEntryError{v.from.first, beginFile(v.o.logDir()), 0, fmt.Errorf("%w: kept of what was pruned: %w", ErrDamaged, err)}
		}
	}
	return nil
}

// kept verifies an entry that stayed when those around it were pruned.
func (v *verification) kept(raw []byte) error {
	e, err := decisions.ParseEnvelope(raw)
	if err != nil {
		return err
	}
	if (e.Sequence == 0) != (e.Kind == decisions.KindLogCreated) {
		return fmt.Errorf("body %d can't be entry %d", e.Kind, e.Sequence)
	}
	if v.v.visit != nil {
		v.v.visit(e)
	}
	return v.content(e, raw)
}

// prune checks what an entry says was pruned: it must be a segment's end in this log, or
// before its beginning; and the one that accounts for that must be just this entry.
func (v *verification) prune(raw []byte) error {
	p, err := parsePruning(raw)
	if err != nil {
		return err
	}
	if own := v.from.pruned; own != nil && own.sequence == p.sequence {
		v.found = bytes.Equal(own.raw, raw)
	}
	first := p.said.GetFirstSequence()
	if first < v.from.first {
		return nil
	}
	if end, known := v.ends[first]; !known || end.segment != p.said.GetFirstSegment() || !bytes.Equal(end.root[:], p.said.GetRoot()) {
		return fmt.Errorf("it says that entry %d begins segment %d and that the root before it is %.4x, which it is not", first, p.said.GetFirstSegment(), p.said.GetRoot())
	}
	return nil
}

// overtaken says whether an entry was pruned since the verification began, and with it
// perhaps what it names.
func (v *verification) overtaken(sequence uint64) bool {
	now, err := readOrigin(v.o.FS, v.o.logDir())
	return err == nil && now.first > max(sequence, v.from.first)
}
