package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// beginLimit bounds log/begin, in bytes: some million idempotency keys.
const beginLimit = 1 << 30

// origin is where a log begins: with entry 0, or behind what was pruned.
type origin struct {
	place // of its first batch
	// pruned and snapshot are nil where nothing was pruned.
	pruned   *pruning
	snapshot *decisions.Snapshot
}

// pruning is an entry that says what was pruned.
type pruning struct {
	sequence uint64
	at       time.Time
	raw      []byte
	said     *ledgerv1.Pruned
}

func beginFile(logDir string) string { return filepath.Join(logDir, "begin") }

// readOrigin reads log/begin. What it says is proven by the signed head of that size
// and by the entry that it holds, once that was found in the log. Errors: ErrDamaged,
// the disk's.
func readOrigin(disk FS, logDir string) (origin, error) {
	name := beginFile(logDir)
	raw, err := readFile(disk, name, beginLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return origin{place: start()}, nil
	}
	if err != nil {
		return origin{}, err
	}
	o, err := parseOrigin(raw)
	if err != nil {
		return origin{}, fmt.Errorf("%w: %s: %w: %s", ErrDamaged, name, err, restore)
	}
	return o, nil
}

// parseOrigin reads a ledgerv1.Begin.
func parseOrigin(raw []byte) (origin, error) {
	var b ledgerv1.Begin
	if err := proto.Unmarshal(raw, &b); err != nil {
		return origin{}, err
	}
	p, err := parsePruning(b.GetPruned())
	if err != nil {
		return origin{}, err
	}
	if sum := sha256.Sum256(b.GetState()); hex.EncodeToString(sum[:]) != p.said.GetStateSha256() {
		return origin{}, fmt.Errorf("its state hashes to %x, entry %d says %.8s", sum[:4], p.sequence, p.said.GetStateSha256())
	}
	s, err := decisions.ParseSnapshot(b.GetState())
	if err != nil {
		return origin{}, err
	}
	if root := s.Tree.Root(); s.Size() != p.said.GetFirstSequence() || !bytes.Equal(root[:], p.said.GetRoot()) || len(s.Entries) == 0 {
		return origin{}, fmt.Errorf("its state is of %d entries with root %x, entry %d says %d and %x", s.Size(), root[:4], p.sequence, p.said.GetFirstSequence(), p.said.GetRoot())
	}
	return p.origin(s), nil
}

// parsePruning reads a stored Pruned entry.
func parsePruning(raw []byte) (*pruning, error) {
	e, err := decisions.ParseEnvelope(raw)
	if err != nil {
		return nil, err
	}
	if e.Kind != decisions.KindPruned {
		return nil, fmt.Errorf("entry %d has body %d, expected %d", e.Sequence, e.Kind, decisions.KindPruned)
	}
	p := &pruning{sequence: e.Sequence, at: unixTime(e.Time), raw: raw, said: &ledgerv1.Pruned{}}
	if err := proto.Unmarshal(e.Body, p.said); err != nil {
		return nil, err
	}
	if first := p.said.GetFirstSequence(); first == 0 || first > e.Sequence || p.said.GetFirstSegment() == 0 {
		return nil, fmt.Errorf("entry %d prunes up to entry %d and segment %d, expected some before it", e.Sequence, first, p.said.GetFirstSegment())
	}
	return p, nil
}

// origin is where the log begins once it was carried out.
func (p *pruning) origin(s *decisions.Snapshot) origin {
	return origin{
		place:  place{first: s.Size(), segment: p.said.GetFirstSegment(), offset: segmentHeader, prev: s.BatchHash, before: s.Time},
		pruned: p, snapshot: s,
	}
}

// openForReading opens a log where it begins, also while it is pruned: should the files
// go between reading where that is and opening them, it looks again.
func openForReading(disk FS, logDir string) (origin, []*segment, error) {
	for {
		from, err := readOrigin(disk, logDir)
		if err != nil {
			return origin{}, nil, err
		}
		segments, _, err := openSegments(disk, logDir, readOnly, from)
		if err == nil {
			return from, segments, nil
		}
		if again, newErr := readOrigin(disk, logDir); newErr != nil || again.first == from.first {
			return origin{}, nil, err
		}
	}
}

// check compares a pruned log's beginning with the signed head of its size, which says
// that the tree behind it is the log's own.
func (o *origin) check(signed *heads, logDir string) error {
	if o.pruned == nil {
		return nil
	}
	if len(signed.bySize[o.first]) == 0 {
		return damaged(o.first, sealedFile(logDir, o.segment-1), 0, "the file is missing, which is signed for what was pruned: %s", restore)
	}
	for _, s := range signed.bySize[o.first] {
		if root := o.snapshot.Tree.Root(); root != s.Root {
			return damaged(o.first, beginFile(logDir), 0, "the tree of what was pruned has root %x, %s says %x: %s", root[:4], s.file, s.Root[:4], restore)
		}
	}
	signed.agreed = o.first
	return nil
}

// unexplained is the damage of a log whose beginning no entry accounts for.
func (o *origin) unexplained(logDir string) error {
	return damaged(o.first, beginFile(logDir), 0, "the log begins here, but its entry %d does not say that what stood before was pruned: %s", o.pruned.sequence, restore)
}

// gone is the error of an entry before the log's first.
func (o *origin) gone(sequence uint64) error {
	where := "nothing was kept of them"
	if archive := o.pruned.said.GetArchive(); archive != "" {
		where = "look into " + archive
	}
	return fmt.Errorf("%w: entry %d: those before %d were pruned on %s, as entry %d says: %s",
		ErrPruned, sequence, o.first, o.pruned.at.UTC().Format(time.DateOnly), o.pruned.sequence, where)
}

// hashesGone is the error of a tree that is smaller than what was pruned, once the index
// was rebuilt without the entries.
func (o *origin) hashesGone() error {
	return fmt.Errorf("%w: the tree's hashes before entry %d, of what was pruned on %s: ask for a tree of %d entries or more",
		ErrPruned, o.first, o.pruned.at.UTC().Format(time.DateOnly), o.first)
}

// behind completes a tree that ends at the last multiple of 256 before the log's first
// entry, and returns the leaves that it lacked.
func (o *origin) behind(tree *decisions.Frontier) []decisions.Hash {
	if tree.Size() >= o.first {
		return nil
	}
	for _, leaf := range o.snapshot.Leaves {
		tree.Append(leaf)
	}
	return o.snapshot.Leaves
}

// checkOrigin finds the entry in the log that accounts for its beginning.
func (l *Ledger) checkOrigin() error {
	o := l.origin()
	if o.pruned == nil {
		return nil
	}
	r, err := l.Entry(o.pruned.sequence)
	if errors.Is(err, ErrNotFound) || err == nil && !bytes.Equal(r.Raw, o.pruned.raw) {
		return o.unexplained(l.opts.logDir())
	}
	return err
}

// entryZero is what the log was created with, also where that was pruned.
func (l *Ledger) entryZero() (*ledgerv1.LogCreated, error) {
	if s := l.origin().snapshot; s != nil {
		var e ledgerv1.Entry
		err := proto.Unmarshal(s.Entries[0], &e)
		return e.GetLogCreated(), err
	}
	first, err := l.Entry(0)
	return first.Entry.GetLogCreated(), err
}
