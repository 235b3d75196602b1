package ledger

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// epochsDir holds the earlier epochs of a log: for each the data directory that it was
// restored from, below its log id. An earlier epoch's own lie beside it.
const epochsDir = "epochs"

// EpochReport is an earlier epoch, as Verify found it.
type EpochReport struct {
	LogID string
	// Entries were kept. A checkpoint was signed for Lost more: at least so many were
	// acknowledged and are gone.
	Entries, Lost uint64
}

// predecessor reads the state that a log goes on from, which its entry 0 names; nil
// where it began anew. Errors: ErrDamaged, ErrNotFound, the disk's.
func predecessor(o Options, created *ledgerv1.LogCreated) (*decisions.Snapshot, error) {
	r := created.GetRestored()
	if r == nil {
		return nil, nil
	}
	raw, err := readBlob(o.FS, o.blobDir(), r.GetStateSha256())
	if err != nil {
		return nil, fmt.Errorf("the state that it was restored with: %w", err)
	}
	s, err := decisions.ParseSnapshot(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: the state that it was restored with: %w", ErrDamaged, err)
	}
	if root := s.Tree.Root(); s.LogID != r.GetLogId() || s.Size() != r.GetSize() || !bytes.Equal(root[:], r.GetRoot()) {
		return nil, fmt.Errorf("%w: the state that it was restored with is of log %s, %d entries, root %x, expected %s, %d, %x", ErrDamaged, s.LogID, s.Size(), root[:4], r.GetLogId(), r.GetSize(), r.GetRoot())
	}
	return s, nil
}

// begun takes in what entry 0 says that the log goes on from.
func (l *Ledger) begun(e decisions.Envelope) error {
	if e.Kind != decisions.KindLogCreated {
		return nil
	}
	created, err := parseCreated(e.Body)
	if err != nil {
		return err
	}
	return l.carry(created)
}

// carry loads the keys that the log goes on with into the index, in which they stand as
// from before entry 0.
func (l *Ledger) carry(created *ledgerv1.LogCreated) error {
	s, err := predecessor(l.opts, created)
	if err != nil || s == nil {
		return err
	}
	l.writer.time = max(l.writer.time, s.Time)
	return l.index.seedKeys(s.Carried())
}

// Epochs are the ids of the logs that this one goes on from, newest first.
func (l *Ledger) Epochs() []string { return l.epochs }

// earlier are the ids of the logs that a log goes on from, newest first.
func earlier(r *ledgerv1.Restored) []string {
	if r == nil {
		return nil
	}
	return append([]string{r.GetLogId()}, r.GetEarlierLogIds()...)
}

// carry is what the writer did with entry 0.
func (v *verification) carry(e decisions.Envelope) error {
	created, err := parseCreated(e.Body)
	if err != nil {
		return err
	}
	v.restored = created.GetRestored()
	s, err := predecessor(v.o, created)
	if err != nil || s == nil {
		return err
	}
	if e.Time < s.Time {
		return fmt.Errorf("it is from before the last entry of log %s, which it goes on from", s.LogID)
	}
	if v.log.Size() == 0 { // else the keys of a pruned log were taken in, with these
		v.log.Keys = *s.Carried()
	}
	return nil
}

// epochs verifies the logs that this one goes on from, each by what the next says of it.
func (v *verification) epochs(ctx context.Context) error {
	dir, next := filepath.Join(v.o.Dir, epochsDir), v
	if filepath.Base(filepath.Dir(v.o.Dir)) == epochsDir {
		dir = filepath.Dir(v.o.Dir) // it is an earlier epoch itself
	}
	for next.restored != nil {
		r := next.restored
		before, err := verifyEpoch(ctx, next.o, filepath.Join(dir, r.GetLogId()), r)
		if err != nil {
			return fmt.Errorf("epoch %s, which log %s goes on from: %w", r.GetLogId(), next.report.LogID, err)
		}
		found := EpochReport{LogID: r.GetLogId(), Entries: r.GetSize()}
		if found.Lost, err = lost(r); err != nil {
			return err
		}
		v.report.Epochs = append(v.report.Epochs, found)
		next = before
	}
	return nil
}

// verifyEpoch verifies an earlier epoch, and compares it with what is said of it.
func verifyEpoch(ctx context.Context, next Options, dir string, r *ledgerv1.Restored) (*verification, error) {
	e, err := newVerification(VerifyOptions{Dir: dir, VerifierKey: r.GetVerifierKey(), FS: next.FS})
	if err != nil {
		return nil, err
	}
	defer closeSegments(e.walk.segments) //nolint:errcheck // opened for reading
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	if root := e.report.Root; e.report.Entries != r.GetSize() || !bytes.Equal(root[:], r.GetRoot()) {
		return nil, fmt.Errorf("%w: it has %d entries with root %x, expected %d and %x", ErrDamaged, e.report.Entries, root[:4], r.GetSize(), r.GetRoot())
	}
	checkpoint, err := readFile(e.o.FS, e.o.checkpoint(), checkpointLimit)
	if err != nil {
		return nil, err
	}
	if string(checkpoint) != r.GetCheckpoint() {
		return nil, fmt.Errorf("%w: %s is another one than was restored", ErrDamaged, e.o.checkpoint())
	}
	return e, e.sameState(next, r)
}

// sameState compares the state at the end of the epoch with the one that was carried
// over, where that is still there.
func (v *verification) sameState(next Options, r *ledgerv1.Restored) error {
	said, err := predecessor(next, &ledgerv1.LogCreated{Restored: r})
	if err != nil {
		return err
	}
	was, err := v.log.Encode()
	if err != nil {
		return err
	}
	is, err := said.Encode()
	if err == nil && !bytes.Equal(was, is) {
		err = fmt.Errorf("%w: it ends in another state than the one that was carried over", ErrDamaged)
	}
	return err
}

// lost is how many entries were signed for and not kept.
func lost(r *ledgerv1.Restored) (uint64, error) {
	if r.GetNewestCheckpoint() == "" {
		return 0, nil
	}
	verifier, err := note.NewVerifier(r.GetVerifierKey())
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	newest, err := decisions.ParseCheckpoint([]byte(r.GetNewestCheckpoint()), verifier)
	if err != nil || newest.Size <= r.GetSize() {
		return 0, fmt.Errorf("%w: log %s: its newest checkpoint proves nothing: %w", ErrDamaged, r.GetLogId(), err)
	}
	return newest.Size - r.GetSize(), nil
}

func parseCreated(message []byte) (*ledgerv1.LogCreated, error) {
	var c ledgerv1.LogCreated
	if err := proto.Unmarshal(message, &c); err != nil {
		return nil, fmt.Errorf("%w: entry 0 does not decode: %w", ErrDamaged, err)
	}
	return &c, nil
}
