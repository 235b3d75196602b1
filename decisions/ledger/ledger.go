package ledger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/writ-dev/writ/decisions"
)

// Ledger is an open log. All methods are safe for concurrent use.
type Ledger struct {
	opts Options
	keys *Keys
	// signing changes when the key does.
	signing atomic.Pointer[signing]
	id      [16]byte
	lock    io.Closer
	// epochs are the logs that it goes on from; set before the goroutines start.
	epochs []string

	beginning atomic.Pointer[origin]
	segments  segmentList
	head      head
	index     *index
	tail      *tail
	stats     counters

	queue        queue
	requests     sync.Pool
	writer       writer
	checkpointer checkpointer
	indexer      indexer
	fields       fields
	space        space
	pruner       pruner
	recent       recentBlobs
	scrubbing    context.Context //nolint:containedctx // lives as long as the ledger
	stopScrub    context.CancelFunc
	background   sync.WaitGroup
	writing      sync.WaitGroup

	items *itemKeys
	// erased are the Erased entries that recovery met.
	erased  erasures
	erasing sync.Mutex

	failure sync.Mutex
	err     error
	done    chan struct{}
	closing sync.Once
}

// LogID names the log: 32 hex digits.
func (l *Ledger) LogID() string { return l.keys.logID }

// DigestKey is the key for the keyed digests in entries (R35).
func (l *Ledger) DigestKey() [32]byte { return l.keys.Digest }

// VerifierKey is the public key of the checkpoints from now on, as in C2SP signed-note.
func (l *Ledger) VerifierKey() string { return l.signing.Load().ring.Present() }

// KeyChanges are the statements of all changes of the log's key, in order: given any of
// its keys, the others follow (decisions.NewKeyRing).
func (l *Ledger) KeyChanges() [][]byte { return l.signing.Load().ring.Statements() }

// First is the sequence of the log's first entry: those before it were pruned.
func (l *Ledger) First() uint64 { return l.origin().first }

func (l *Ledger) origin() *origin { return l.beginning.Load() }

// Size is how many entries are durable, with those that were pruned.
func (l *Ledger) Size() uint64 { return l.head.size.Load() }

// Indexed is how many of the durable entries the index covers.
func (l *Ledger) Indexed() uint64 {
	size := l.Size() // first: what comes meanwhile counts as not indexed
	return size - min(size, uint64(l.tail.lag()))
}

// Grown waits until more than so many entries are durable. Nothing waits for those who
// do. Errors: ErrClosed, ErrFailed, the context's.
func (l *Ledger) Grown(ctx context.Context, size uint64) error {
	for {
		grown := l.head.grown(size)
		if grown == nil {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.done:
			return l.Err()
		case <-l.scrubbing.Done():
			return ErrClosed
		}
	}
}

// Checkpoint is the latest released checkpoint, a signed note. It is behind Size by
// at most about a second.
func (l *Ledger) Checkpoint() []byte { return l.checkpointer.latest.Load().note }

// Done is closed when the ledger failed for good; Err says why.
func (l *Ledger) Done() <-chan struct{} { return l.done }

// Err is ErrFailed with its cause, once Done is closed.
func (l *Ledger) Err() error {
	l.failure.Lock()
	defer l.failure.Unlock()
	return l.err
}

// Append makes a proposal durable and settles it. It returns after the entry is
// synced, and waits for that whatever becomes of the caller: once judged, an entry is
// owed (R31). Errors: ErrTooLarge, ErrProposal, ErrNoSpace, ErrClosed, ErrFailed;
// only after the last can it be that the entry is in the log all the same.
func (l *Ledger) Append(p decisions.Proposal) (decisions.Receipt, error) {
	if err := l.keysDurable(p.Keys); err != nil {
		return decisions.Receipt{}, err
	}
	r := l.request()
	defer l.release(r)
	if err := l.admit(r, p); err != nil {
		return decisions.Receipt{}, err
	}
	if err := l.submit(r); err != nil {
		return decisions.Receipt{}, err
	}
	return r.receipts[0], nil
}

// AppendAll appends in order, with one wait. On ErrNoSpace or ErrFailed some may be
// in the log. Nothing is appended where one proposal is malformed.
func (l *Ledger) AppendAll(ps []decisions.Proposal) ([]decisions.Receipt, error) {
	r := newRequest(len(ps))
	for i, p := range ps {
		if err := l.admit(r, p); err != nil {
			return nil, fmt.Errorf("proposal %d: %w", i, err)
		}
	}
	if len(ps) == 0 {
		return nil, nil
	}
	if err := l.keysDurable(keysOf(ps)); err != nil {
		return nil, err
	}
	if err := l.submit(r); err != nil {
		return nil, err
	}
	return r.receipts, nil
}

func (l *Ledger) request() *request {
	if r, ok := l.requests.Get().(*request); ok {
		return r
	}
	return newRequest(1)
}

func (l *Ledger) release(r *request) {
	r.reset()
	l.requests.Put(r)
}

// admit checks a proposal, in the caller's goroutine: what its body says is what the
// writer will go by, and what every replay will.
func (l *Ledger) admit(r *request, p decisions.Proposal) error {
	if len(p.Body) > decisions.MaxBody {
		return fmt.Errorf("%w: the body has %d bytes, expected at most %d: put large content into a blob", ErrTooLarge, len(p.Body), decisions.MaxBody)
	}
	kind, message, err := decisions.BodyKind(p.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrProposal, err)
	}
	switch kind {
	case decisions.KindLogCreated, decisions.KindWriterStarted, decisions.KindKeyChanged, decisions.KindPruned, decisions.KindErased:
		return fmt.Errorf("%w: body %d is the ledger's own to write", ErrProposal, kind)
	}
	event, err := decisions.ReadEvent(kind, message)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrProposal, err)
	}
	if !sameClaim(event.Claim, p.Claim) {
		return fmt.Errorf("%w: the claim is %+v, but the body says %+v", ErrProposal, p.Claim, event.Claim)
	}
	r.proposals, r.events = append(r.proposals, p), append(r.events, event)
	return nil
}

func sameClaim(a, b *decisions.Claim) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// submit hands a request to the writer and waits.
func (l *Ledger) submit(r *request) error {
	if err := l.space.err(); err != nil {
		return err
	}
	return l.writer.answer(r)
}

// fail ends the ledger for good and returns ErrFailed with the first cause.
func (l *Ledger) fail(cause error) error {
	l.failure.Lock()
	defer l.failure.Unlock()
	if l.err == nil {
		l.err = fmt.Errorf("%w: %w: nothing is answered from here on: %s, then start again", ErrFailed, cause, nextStep(cause))
		l.opts.Logger.Error("ledger failed", "error", l.err)
		l.queue.close(l.err)
		close(l.done)
	}
	return l.err
}

// Close answers what was asked before it, signs a last checkpoint and lets go of the
// directory. It returns Err where the ledger had failed. A second Close does nothing.
func (l *Ledger) Close() (err error) {
	l.closing.Do(func() { err = l.shut() })
	if err != nil && !errors.Is(err, ErrFailed) {
		err = fmt.Errorf("close ledger %s, which has every answer: %w", l.opts.Dir, advised(err))
	}
	return err
}

func (l *Ledger) shut() error {
	l.queue.close(ErrClosed)
	l.writing.Wait()
	l.stopScrub()
	close(l.checkpointer.stop)
	close(l.indexer.stop)
	close(l.space.stop)
	l.background.Wait()
	err := l.Err()
	if err == nil {
		err = errors.Join(l.checkpointer.sign(), l.markClean())
	}
	return errors.Join(err, l.closeIndex(err == nil), l.closeItems(), closeSegments(l.segments.view()), l.lock.Close())
}

// closeIndex brings the index up to the log, where that is whole, and closes it. Where
// the disk is full it is left as it is, since closing writes: what it lacks then is
// taken from the log at the next start.
func (l *Ledger) closeIndex(whole bool) error {
	err := l.space.forIndex()
	if err == nil && whole {
		err = l.catchUp()
	}
	if errors.Is(err, ErrNoSpace) {
		l.opts.Logger.Warn("the index is left as it is and catches up at the next start", "reason", err)
		return nil
	}
	return errors.Join(err, l.index.close())
}

// markClean leaves word that the writer stopped in order.
func (l *Ledger) markClean() error {
	return replaceFile(l.opts.FS, l.opts.cleanFile(), fmt.Appendf(nil, "%d\n", l.Size()))
}

// Open opens or creates a ledger. It returns after the log was recovered and a first
// checkpoint is durable. Errors: ErrOptions, ErrInUse, ErrDamaged, ErrNewer,
// ErrRolledBack, ErrKeys, the context's, the disk's.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l := newLedger(o)
	if err := l.open(ctx); err != nil {
		return nil, fmt.Errorf("open ledger %s: %w", o.Dir, advised(err))
	}
	return l, nil
}
