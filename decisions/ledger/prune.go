package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// NoArchive says that what is pruned is kept nowhere.
const NoArchive = "none"

// maxReason bounds what is said with a prune, in bytes.
const maxReason = 4096

// PruneOptions say which entries go, in whole segments, and where they are kept. The
// segment that is written and the one before it stay.
type PruneOptions struct {
	// Before: a segment goes when all its entries are older. Zero: none goes by age.
	Before time.Time
	// KeepBytes: the oldest segments go while the files of the log are larger in sum. 0:
	// none goes by size.
	KeepBytes int64
	// Archive is the directory that they are exported to before, or NoArchive. Required.
	Archive string
	// By is who prunes, and Account how that is known: "os", or the authentication's name.
	By, Account string
	Reason      string
	// Progress is told how many entries were gone over, of how many, now and then: by
	// each of the passes over them.
	Progress func(entries, of uint64)
}

// PruneReport is what was pruned, or would be.
type PruneReport struct {
	// First is the log's first entry from now on.
	First uint64
	// Entries, Segments and Bytes went.
	Entries  uint64
	Segments int
	Bytes    uint64
	// Sequence of the entry that says so; 0 where nothing was pruned.
	Sequence uint64
}

// Prune drops the log's oldest segments, and the blobs that only they name. They are
// verified and exported first; then an entry says that they go, and how the log goes on
// from there (R33); when a checkpoint covers that, the log's beginning moves; and then
// the files are deleted. What remains verifies by itself. A crash before the beginning
// moved leaves everything as it was; after it, the next start deletes the rest. One at a
// time. Errors: ErrOptions, ErrClosed, ErrFailed, BadEntryError, the disk's.
func (l *Ledger) Prune(ctx context.Context, o PruneOptions) (PruneReport, error) {
	if o.Archive == "" || len(o.Archive)+len(o.Reason)+len(o.By)+len(o.Account) > maxReason {
		return PruneReport{}, fmt.Errorf("%w: a prune needs an archive, or %q to keep nothing, and at most %d bytes of words", ErrOptions, NoArchive, maxReason)
	}
	l.pruner.mu.Lock()
	defer l.pruner.mu.Unlock()
	if err := l.finishPrune(ctx, o.Progress); err != nil { // one that was cut short
		return PruneReport{}, err
	}
	cut, report, err := planPrune(l.segments.view(), o)
	if err != nil || report.Segments == 0 {
		return report, err
	}
	from, err := l.prunable(ctx, o, cut)
	if err != nil {
		return PruneReport{}, fmt.Errorf("nothing was pruned: %w", err)
	}
	p, err := l.logPrune(ctx, o, cut.number, from)
	if err != nil {
		return PruneReport{}, fmt.Errorf("nothing was pruned: %w", err)
	}
	report.Sequence = p.sequence
	moved := p.origin(from)
	l.beginning.Store(&origin{place: moved.place, pruned: p})
	l.segments.drop(cut.number)
	l.opts.Logger.Info("pruned", "entries", report.Entries, "first", report.First, "segments", report.Segments, "entry", p.sequence, "archive", o.Archive)
	return report, l.finishPrune(ctx, o.Progress)
}

// prunable verifies and exports what stands before a segment, and returns the state that
// the log goes on from.
func (l *Ledger) prunable(ctx context.Context, o PruneOptions, cut *segment) (*decisions.Snapshot, error) {
	if _, err := l.covering(ctx, cut.first+1); err != nil { // so the segment before is signed
		return nil, err
	}
	v, err := newVerification(VerifyOptions{
		Dir: l.opts.Dir, VerifierKey: l.VerifierKey(), KeyDir: l.opts.KeyDir, Anchor: l.opts.Anchor, FS: l.opts.FS, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = closeSegments(v.walk.segments) }()
	if err := v.before(ctx, cut); err != nil {
		return nil, err
	}
	return v.log, l.archive(ctx, o, cut.first)
}

// before verifies what stands before a segment, up to its signed head.
func (v *verification) before(ctx context.Context, cut *segment) error {
	keep := cut.number - v.from.segment
	rest := v.walk.segments[keep:]
	v.walk.segments = v.walk.segments[:keep:keep]
	if err := errors.Join(closeSegments(rest), v.walkOn(ctx)); err != nil {
		return err
	}
	if v.log.Size() != cut.first || v.log.BatchHash != cut.prev || v.walk.torn != 0 {
		return damaged(cut.first, cut.name, 0, "the segment does not continue entry %d: %s", v.log.Size(), restore)
	}
	if v.signed.agreed != cut.first {
		return damaged(cut.first, sealedFile(v.o.logDir(), cut.number-1), 0, "no checkpoint of %d entries is there", cut.first)
	}
	return nil
}

// logPrune makes it known: an entry that a checkpoint covers, and log/begin.
func (l *Ledger) logPrune(ctx context.Context, o PruneOptions, segment uint32, from *decisions.Snapshot) (*pruning, error) {
	state, err := from.Encode()
	if err != nil {
		return nil, err
	}
	sum, root := sha256.Sum256(state), from.Tree.Root()
	archive := o.Archive
	if archive == NoArchive {
		archive = ""
	}
	receipts, err := l.appendOwn([]*ledgerv1.Entry{{Body: &ledgerv1.Entry_Pruned{Pruned: &ledgerv1.Pruned{
		Actor:         &ledgerv1.Actor{Name: o.By, By: o.Account},
		FirstSequence: from.Size(), FirstSegment: segment, Root: root[:], StateSha256: hex.EncodeToString(sum[:]),
		Archive: archive, Reason: o.Reason,
	}}}})
	if err != nil {
		return nil, err
	}
	if _, err := l.covering(ctx, receipts[0].Sequence+1); err != nil {
		return nil, err
	}
	r, err := l.Entry(receipts[0].Sequence)
	if err != nil {
		return nil, err
	}
	p, err := parsePruning(r.Raw)
	if err != nil {
		return nil, err
	}
	begin, err := proto.Marshal(&ledgerv1.Begin{State: state, Pruned: r.Raw})
	if err != nil {
		return nil, err
	}
	return p, replaceFile(l.opts.FS, beginFile(l.opts.logDir()), begin)
}
