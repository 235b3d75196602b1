package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// VerifyOptions say what is verified, and by which key.
type VerifyOptions struct {
	Dir string
	// VerifierKey is the checkpoints' public key, as in C2SP signed-note. Empty: the
	// one in KeyDir.
	VerifierKey string
	// KeyDir. Default: Dir + ".keys". Only the public key in it is read.
	KeyDir string
	// Anchor. Default: "anchor" in KeyDir, where there is one. One that is named must
	// be there.
	Anchor string
	// Progress is told how many entries were verified, now and then, and how many there
	// are by the newest signed head. A log that is being written may have more.
	Progress func(entries, of uint64)
	// PresentOnly leaves out the earlier epochs, which the log was restored from.
	PresentOnly bool
	// FS is the disk. Default: the operating system's.
	FS FS

	// visit sees each entry that was verified.
	visit func(decisions.Envelope)
}

// Report is what Verify went over.
type Report struct {
	LogID string
	// Entries is the log's size. Those before First were pruned, as the entry Pruned says.
	Entries     uint64
	First       uint64
	Pruned      *Pruning
	Batches     uint64
	Decisions   uint64
	Repeats     uint64
	Segments    int
	Checkpoints int
	Blobs       int
	Root        decisions.Hash
	// Uncompared checkpoints are of what was pruned: they hold by their signature only.
	Uncompared int
	// VerifierKey is the key in force at the end, after KeyChanges.
	VerifierKey string
	KeyChanges  int
	// Signed is the largest size that a checkpoint covers.
	Signed uint64
	// TornBytes follow the last batch: of one that is being written, or was when the
	// power went.
	TornBytes int64
	// Epochs are the logs that this one goes on from, newest first.
	Epochs []EpochReport
}

// Verify recomputes a log from its bytes: checksums, chain, leaves, tree, signed
// heads, contiguity, times, settlements (by replaying the writer's state), and the
// blobs that entries name. It reads only, takes no lock, opens no index, and may run
// while the service does. Errors: BadEntryError for the first entry that does not
// verify; ErrDamaged, ErrRolledBack, ErrNewer, ErrKeys, the context's.
func Verify(ctx context.Context, o VerifyOptions) (Report, error) {
	v, err := newVerification(o)
	if err != nil {
		return Report{}, fmt.Errorf("verify %s: %w", o.Dir, err)
	}
	defer closeSegments(v.walk.segments) //nolint:errcheck // opened for reading
	err = v.run(ctx)
	if err == nil && !o.PresentOnly {
		err = v.epochs(ctx)
	}
	if err != nil {
		return v.report, fmt.Errorf("verify %s: %w", o.Dir, err)
	}
	return v.report, nil
}

type verification struct {
	o       Options
	v       VerifyOptions
	ring    decisions.KeyRing
	signed  *heads
	changes map[uint64]bool // entries that changed the key
	walk    walker
	from    origin
	log     *decisions.Snapshot // as far as it was verified
	// restored is what entry 0 says that the log goes on from; nil where it began anew.
	restored *ledgerv1.Restored
	state    decisions.State
	ends     map[uint64]segmentEnd
	found    bool // the entry that accounts for the log's beginning
	swept    int
	blobs    map[string]bool
	report   Report
}

// open fills in what is not said, and returns the public key.
func (o VerifyOptions) open() (opts Options, key string, err error) {
	opts, err = Options{Dir: o.Dir, KeyDir: o.KeyDir, Anchor: o.Anchor, FS: o.FS}.withDefaults()
	if err != nil {
		return opts, "", err
	}
	if key = o.VerifierKey; key == "" {
		if key, err = ReadVerifierKey(o); err != nil {
			return opts, "", err
		}
	}
	if _, err = decisions.NewKeyRing(key); err != nil {
		err = fmt.Errorf("%w: the public key: %w", ErrKeys, err)
	}
	return opts, key, err
}

// newVerification reads the signed heads first: the log that is read after them can
// only be longer.
func newVerification(o VerifyOptions) (*verification, error) {
	opts, key, err := o.open()
	if err != nil {
		return nil, err
	}
	if err := checkFinished(opts.FS, opts.Dir); err != nil {
		return nil, err
	}
	v := &verification{o: opts, v: o, blobs: map[string]bool{}, changes: map[uint64]bool{}, ends: map[uint64]segmentEnd{}}
	if _, err := readFile(opts.FS, opts.Anchor, checkpointLimit); o.Anchor != "" && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the anchor: %w", err)
	}
	files, err := v.heads(key)
	if err == nil {
		v.ring, v.signed, err = readSigned(opts, key, files...)
	}
	if err != nil {
		return nil, err
	}
	v.report.LogID = v.ring.LogID()
	v.report.Checkpoints = v.signed.count
	v.report.Signed = v.signed.last.Size
	if v.from, v.walk.segments, err = openForReading(opts.FS, opts.logDir()); err != nil {
		return nil, err
	}
	if err := v.begin(); err != nil {
		return nil, errors.Join(err, closeSegments(v.walk.segments))
	}
	return v, nil
}

// heads are the files with signed heads beside the segments'. A backup is older than the
// log's anchor by its nature; it is held to one that is named.
func (v *verification) heads(key string) ([]string, error) {
	marked, err := exists(v.o.FS, filepath.Join(v.o.Dir, backupMark))
	if marked && v.v.Anchor == "" {
		return []string{v.o.checkpoint()}, err
	}
	return append(v.o.anchors(key), v.o.checkpoint()), err
}

func (v *verification) run(ctx context.Context) error {
	if err := v.walkOn(ctx); err != nil {
		return err
	}
	return v.end()
}

// walkOn verifies batches up to the last of the opened segments.
func (v *verification) walkOn(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := v.walk.next()
		if errors.Is(err, errEnd) {
			return nil
		}
		if err == nil {
			err = v.batch(b)
		}
		if err != nil {
			return err
		}
		if v.v.Progress != nil {
			v.v.Progress(v.log.Size()-v.from.first, max(v.log.Size(), v.report.Signed)-v.from.first)
		}
	}
}

// batch verifies a batch that the walk has checked.
func (v *verification) batch(b *batch) error {
	if b.place.offset == segmentHeader {
		v.ends[b.place.first] = segmentEnd{b.place.segment, v.log.Tree.Root()}
	}
	for i, e := range b.envelopes {
		err := v.entry(e, b.leaves[i], b.entries[i])
		if bad := (*BadEntryError)(nil); err != nil && !errors.As(err, &bad) {
			err = v.walk.badEntry(b, e.Sequence, err)
		}
		if err != nil {
			return err
		}
	}
	v.log.BatchHash = b.hash
	v.report.Batches++
	v.sweep(b.time)
	return nil
}

func (v *verification) entry(e decisions.Envelope, leaf decisions.Hash, raw []byte) error {
	if (e.Sequence == 0) != (e.Kind == decisions.KindLogCreated) {
		return fmt.Errorf("body %d can't be entry %d", e.Kind, e.Sequence)
	}
	if err := v.state.Replay(e); err != nil {
		return err
	}
	if err := v.content(e, raw); err != nil {
		return err
	}
	v.log.Append(e, leaf, raw)
	if v.v.visit != nil {
		v.v.visit(e)
	}
	return v.signed.checkTree(&v.log.Tree)
}

// content checks what single kinds of entries say, and looks for the blobs they name.
func (v *verification) content(e decisions.Envelope, raw []byte) error {
	var err error
	switch e.Kind {
	case decisions.KindLogCreated:
		err = checkCreated(e.Body, v.ring)
		if err == nil {
			err = v.carry(e)
		}
	case decisions.KindKeyChanged:
		v.ring, err = replayKey(v.ring, e)
		v.changes[e.Sequence] = true
	case decisions.KindDecision:
		err = v.decision(e)
	case decisions.KindErased:
		err = erasedBefore(e)
	case decisions.KindPruned:
		err = v.prune(raw)
	}
	if err == nil {
		err = eachBlob(e, v.read, v.blob)
	}
	if errors.Is(err, ErrNotFound) && v.overtaken(e.Sequence) {
		return nil
	}
	return err
}

// decision counts repeats.
func (v *verification) decision(e decisions.Envelope) error {
	v.report.Decisions++
	if e.Settlement == nil {
		return nil
	}
	var s ledgerv1.Settlement
	if err := proto.Unmarshal(e.Settlement, &s); err != nil {
		return err
	}
	if s.GetDecisionId() != "" {
		v.report.Repeats++
	}
	return nil
}

func (v *verification) read(name string) ([]byte, error) {
	return readBlob(v.o.FS, v.o.blobDir(), name)
}

func (v *verification) blob(name string) error {
	if v.blobs[name] {
		return nil
	}
	_, err := readBlob(v.o.FS, v.o.blobDir(), name)
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("%w is gone from %s: restore the file from a backup", err, v.o.blobDir())
	}
	if err == nil {
		v.blobs[name] = true
		v.report.Blobs++
	}
	return err
}

// sweep drops expired keys whenever the records have doubled.
func (v *verification) sweep(now int64) {
	if v.log.Keys.Len() > 2*v.swept+1024 {
		v.log.Keys.Sweep(now)
		v.swept = v.log.Keys.Len()
	}
}

func (v *verification) end() error {
	v.report.Entries, v.report.Root = v.log.Size(), v.log.Tree.Root()
	v.report.VerifierKey, v.report.KeyChanges = v.ring.Present(), len(v.changes)
	v.report.TornBytes = v.walk.torn
	name := v.o.logDir()
	if n := len(v.walk.segments); n > 0 {
		name = v.walk.segments[n-1].name
	}
	if v.from.pruned != nil && !v.found {
		return v.from.unexplained(v.o.logDir())
	}
	if err := v.signed.reached(v.log.Size(), name, v.walk.at.offset); err != nil {
		return err
	}
	return checkChanges(v.ring, v.changes, v.log.Size())
}
