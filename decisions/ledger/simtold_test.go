package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// told is all that a ledger has said to anybody, over all its starts. What it said must
// hold after every later start.
type told struct {
	mu       sync.Mutex
	names    map[string]bool // of every decision that was asked for
	refused  map[string]bool // those that surely are not in the log
	receipts map[uint64]decisions.Receipt
	blobs    map[string]bool
	heads    map[uint64]decisions.Hash // the root of each checkpoint that was shown
	largest  uint64                    // of heads
	inOrder  order                     // how the last session ended
	before   order                     // and the one before the open ledger's
	err      error
}

// order is what the next start may say about the last stop.
type order int

const (
	killed order = iota
	unknown
	closed
)

func newTold() *told {
	return &told{names: map[string]bool{}, refused: map[string]bool{}, receipts: map[uint64]decisions.Receipt{}, blobs: map[string]bool{}, heads: map[uint64]decisions.Hash{}}
}

// name is a new decision's.
func (a *told) name() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := fmt.Sprint("tool", len(a.names))
	a.names[name] = true
	return name
}

func (a *told) answered(name string, r decisions.Receipt, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		if _, twice := a.receipts[r.Sequence]; twice {
			a.err = fmt.Errorf("two answers have sequence %d", r.Sequence)
		}
		a.receipts[r.Sequence] = r
	}
	if errors.Is(err, ErrNoSpace) || errors.Is(err, ErrClosed) {
		a.refused[name] = true
	}
}

func (a *told) kept(blob string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blobs[blob] = true
}

func (a *told) shown(c decisions.Checkpoint) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if root, again := a.heads[c.Size]; again && root != c.Root {
		a.err = fmt.Errorf("two checkpoints of %d entries were shown", c.Size)
	}
	a.heads[c.Size], a.largest = c.Root, max(a.largest, c.Size)
}

// stored looks at what a crash left: a checkpoint is shown only when it is durable, in
// the data and in the anchor.
func (a *told) stored(d *simDisk, o Options) error {
	for _, file := range []string{o.checkpoint(), o.Anchor} {
		var size uint64
		if n := d.now[file]; n != nil {
			b := make([]byte, n.size)
			n.read(b, 0)
			if lines := bytes.Split(b, []byte("\n")); len(lines) > 1 {
				_, _ = fmt.Sscan(string(lines[1]), &size)
			}
		}
		if size < a.largest {
			return fmt.Errorf("%s is of %d entries after a crash, but a checkpoint of %d was shown", file, size, a.largest)
		}
	}
	return a.err
}

// check compares an open ledger with all that was ever said.
func (a *told) check(l *Ledger) error {
	entries := make([]Record, 0, l.Size())
	for e, err := range l.Entries(0, l.Size()) {
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		if e.Sequence != uint64(len(entries)) || e.Entry.GetSequence() != e.Sequence {
			return fmt.Errorf("entry %d stands at %d", e.Entry.GetSequence(), len(entries))
		}
		entries = append(entries, e)
	}
	return errors.Join(a.err, a.checkAnswers(entries), a.checkNames(entries), a.checkTree(entries), a.checkStart(entries),
		checkKeys(entries), checkState(l, entries), checkEnd(l), a.checkBlobs(l))
}

// checkAnswers: R31, what was acknowledged is there, as it was said.
func (a *told) checkAnswers(entries []Record) error {
	for sequence, r := range a.receipts {
		if sequence >= uint64(len(entries)) {
			return fmt.Errorf("acknowledged entry %d is lost: there are %d", sequence, len(entries))
		}
		e := entries[sequence]
		if e.Leaf != r.Leaf || !e.Time.Equal(r.Time) {
			return fmt.Errorf("acknowledged entry %d is another one", sequence)
		}
		if stored := e.Entry.GetSettlement(); !proto.Equal(r.Settlement, stored) {
			return fmt.Errorf("acknowledged entry %d is settled {%v}, the answer said {%v}", sequence, stored, r.Settlement)
		}
	}
	return nil
}

// checkNames: what was asked for once is there at most once, and what was refused is
// not there.
func (a *told) checkNames(entries []Record) error {
	seen := map[string]bool{}
	for _, e := range entries {
		name := e.Entry.GetDecision().GetTool()
		if name != "" && (seen[name] || a.refused[name] || !a.names[name]) {
			return fmt.Errorf("entry %d, %s: there before %v, refused %v, asked for %v", e.Sequence, name, seen[name], a.refused[name], a.names[name])
		}
		seen[name] = true
	}
	return nil
}

// checkTree: R34, the log has grown from every checkpoint that was ever shown.
func (a *told) checkTree(entries []Record) error {
	var tree decisions.Frontier
	found := 0
	for size := range len(entries) + 1 {
		if root, shown := a.heads[uint64(size)]; shown {
			found++
			if root != tree.Root() {
				return fmt.Errorf("the tree of %d entries is not the one that a checkpoint said", size)
			}
		}
		if size < len(entries) {
			tree.Append(entries[size].Leaf)
		}
	}
	if found < len(a.heads) {
		return fmt.Errorf("%d entries are fewer than the %d of a checkpoint that was shown", len(entries), a.largest)
	}
	return nil
}

func (a *told) checkBlobs(l *Ledger) error {
	for name := range a.blobs {
		if _, err := l.Blob(name); err != nil {
			return fmt.Errorf("a blob that was kept: %w", err)
		}
	}
	return nil
}

// closed notes how a session ended.
func (a *told) closed(inOrder bool) {
	a.inOrder = unknown
	if inOrder {
		a.inOrder = closed
	}
}

// opened notes how a start went. Where it failed, nobody knows whether it took the mark
// of an orderly stop away.
func (a *told) opened(up bool) {
	switch {
	case up:
		a.before, a.inOrder = a.inOrder, killed
	case a.inOrder == closed:
		a.inOrder = unknown
	}
}

// checkStart: the last WriterStarted tells whether the stop before it was orderly.
func (a *told) checkStart(entries []Record) error {
	for i := len(entries) - 1; i > 1; i-- {
		started := entries[i].Entry.GetWriterStarted()
		if started == nil {
			continue
		}
		if a.before != unknown && started.GetClean() != (a.before == closed) {
			return fmt.Errorf("entry %d says an orderly stop: %v", i, started.GetClean())
		}
		break
	}
	return nil
}

// keyTwin is what R27 says of a key, in few words.
type keyTwin struct {
	request []byte
	first   uint64
	expires int64
}

// checkKeys: the first entry of a key is the one that repeats name, and another request
// is refused.
func checkKeys(entries []Record) error {
	keys := map[string]keyTwin{}
	for _, e := range entries {
		d, s, now := e.Entry.GetDecision(), e.Entry.GetSettlement(), e.Time.UnixNano()
		if d.GetIdempotencyKey() == nil {
			continue
		}
		name := string(d.GetIdempotencyKey().GetKeyDigest())
		k, known := keys[name]
		var ok bool
		switch {
		case !known || k.expires <= now:
			keys[name] = keyTwin{d.GetRequestDigest(), e.Sequence, now + int64(d.GetIdempotencyKey().GetLifetimeSeconds())*1e9}
			ok = s == nil
		case !bytes.Equal(k.request, d.GetRequestDigest()):
			ok = s.GetReason().GetCode() == string(decisions.CodeKeyReused) && s.GetOutcome() == ledgerv1.Outcome_OUTCOME_REFUSE
		default:
			ok = s.GetDecisionId() != "" && s.GetFirstSequence() == k.first
		}
		if !ok {
			return fmt.Errorf("entry %d: settled {%v}, its key says %+v (known: %v)", e.Sequence, s, k, known)
		}
	}
	return nil
}

// checkState: replaying the log gives the state that the writer has; one that failed
// does not know what is in the log, and settles nothing any more.
func checkState(l *Ledger, entries []Record) error {
	if l.Err() != nil {
		return nil //nolint:nilerr // it has ended, and said why
	}
	var keys decisions.MemoryKeys
	state, used, now := decisions.State{LogID: l.LogID(), Keys: &keys}, map[decisions.Hash]bool{}, int64(0)
	for _, e := range entries {
		envelope, err := decisions.ParseEnvelope(e.Raw)
		if err == nil {
			err = state.Replay(envelope)
		}
		if err != nil {
			return fmt.Errorf("replaying entry %d: %w", e.Sequence, err)
		}
		if key := e.Entry.GetDecision().GetIdempotencyKey(); key != nil {
			used[decisions.Hash(key.GetKeyDigest())] = true
		}
		now = envelope.Time
	}
	for key := range used {
		want, _, _ := keys.Key(key)
		got, _, err := l.tail.Key(key)
		if err != nil || want.Expires > now && got != want {
			return fmt.Errorf("key %x: the writer knows %+v, %w, the log says %+v", key[:4], got, err, want)
		}
	}
	return nil
}

// checkEnd: nothing of a batch that was dropped stands behind the last one. The writer
// rests.
func checkEnd(l *Ledger) error {
	w := &l.writer
	if l.Err() != nil {
		return nil //nolint:nilerr // it has ended, and said why
	}
	end, err := zeroFrom(w.segment.file, w.offset, int64(w.segment.size))
	if err == nil && end != w.offset {
		err = fmt.Errorf("%d bytes stand behind the last batch", end-w.offset)
	}
	return err
}
