package ledger

import (
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// writer is the log's one writer: whoever has the turn. That is a caller, where nobody
// else writes, so that an idle service has nobody to wake; behind it, and under load, it
// is a goroutine of its own. Who has the turn alone touches the fields below; recovery
// sets them before there are any.
type writer struct {
	l     *Ledger
	turn  chan struct{} // 1 deep: full while somebody writes
	state decisions.State

	segment *segment // nil before the first
	offset  int64
	next    uint64 // sequence of the next entry
	prev    decisions.Hash
	time    int64 // of the last entry
	batch   assembly
	pending []*request
	shared  bool // several were in the batch before

	blank     chan prepared // 1 deep: the next segment
	preparing sync.WaitGroup
	stop      atomic.Bool
}

// answer brings a request through and returns when it is durable.
func (w *writer) answer(r *request) error {
	if err := w.l.queue.push(r); err != nil {
		return err
	}
	select {
	case w.turn <- struct{}{}:
		w.round()
		w.pass()
	default: // who has the turn looks at the queue when it passes it on
	}
	<-r.done
	return r.err
}

// pass gives the turn away, to the goroutine where more waits.
func (w *writer) pass() {
	more := len(w.pending) > 0
	<-w.turn
	if more || w.l.queue.length() > 0 {
		w.l.queue.signal()
	}
}

// run answers what callers leave, until the queue is closed and empty, or the ledger
// failed. Then it keeps the turn, so that nobody writes any more.
func (w *writer) run() {
	defer w.retire()
	for range w.l.queue.wake {
		w.turn <- struct{}{}
		last := w.l.queue.isClosed()
		for w.round() {
		}
		if last {
			return
		}
		w.pass()
	}
}

// round writes one batch; false where nothing waits.
func (w *writer) round() bool {
	w.gather()
	w.pending = w.l.queue.take(w.pending)
	if len(w.pending) == 0 {
		return false
	}
	w.shared = len(w.pending) > 1
	w.write()
	return true
}

const (
	// patience is for how many yields nobody may have come before a batch is written.
	patience = 4
	// enough wait for a batch that more would make no cheaper.
	enough = 256
)

// gather lets those who are about to ask come into this batch. Whoever is alone does not
// wait: a yield wakes another thread, which costs more than it brings.
func (w *writer) gather() {
	waiting := w.l.queue.length()
	for quiet := 0; quiet < patience && waiting < enough && (w.shared || waiting > 1); quiet++ {
		runtime.Gosched()
		if now := w.l.queue.length(); now > waiting {
			waiting, quiet = now, -1
		}
	}
}

// write makes one batch of what is pending and answers those that are done. What did
// not fit stays pending.
func (w *writer) write() {
	if err := w.room(); err != nil {
		w.refuse(err)
		return
	}
	w.batch.reset(max(w.time, w.l.opts.Now().UnixNano()))
	if err := w.collect(); err != nil {
		w.fail(err)
		return
	}
	at := place{first: w.next, segment: w.segment.number, offset: w.offset, prev: w.prev, before: w.time}
	if err := w.sync(); err != nil {
		w.fail(err)
		return
	}
	w.publish(at)
	w.settle()
}

// collect adds pending proposals, in order, until the batch is full.
func (w *writer) collect() error {
	for _, r := range w.pending {
		for i := len(r.receipts); i < len(r.proposals); i++ {
			if w.batch.full() {
				return nil
			}
			receipt, err := w.batch.add(&w.state, r.proposals[i], r.events[i], w.next+uint64(len(w.batch.leaves)))
			if err != nil {
				return err
			}
			r.receipts = append(r.receipts, receipt)
		}
	}
	return nil
}

// sync makes the batch durable.
func (w *writer) sync() error {
	b := w.batch.buf
	sealFrame(b, w.segment.mark, w.next, len(w.batch.leaves), w.prev)
	if _, err := w.segment.file.WriteAt(b, w.offset); err != nil {
		return fmt.Errorf("write %s at offset %d: %w", w.segment.name, w.offset, err)
	}
	if err := w.segment.file.Datasync(); err != nil {
		return fmt.Errorf("sync %s: %w", w.segment.name, err)
	}
	return nil
}

// publish makes the durable batch visible to readers, checkpoints and the index.
func (w *writer) publish(at place) {
	leaves := w.batch.leaves
	w.prev = batchHash(w.batch.buf[:frameHeader], leaves)
	w.next += uint64(len(leaves))
	w.offset += int64(len(w.batch.buf))
	w.time = w.batch.time
	whole := w.l.tail.add(at, leaves, w.batch.ends)
	w.l.head.advance(leaves)
	w.l.stats.batch(len(leaves), len(w.batch.buf))
	w.l.space.wrote(len(w.batch.buf))
	if whole {
		w.l.indexer.signal()
	}
	w.l.checkpointer.grown(w.next)
}

// settle answers the requests that are whole.
func (w *writer) settle() {
	done := 0
	for _, r := range w.pending {
		if len(r.receipts) < len(r.proposals) {
			break
		}
		r.answer(nil)
		done++
	}
	rest := copy(w.pending, w.pending[done:])
	clear(w.pending[rest:])
	w.pending = w.pending[:rest]
}

// room makes sure that a batch of any size fits, going on to the next segment where
// it might not.
func (w *writer) room() error {
	if w.segment != nil && w.offset+int64(w.batch.limit) <= int64(w.segment.size) {
		return w.l.tail.wait()
	}
	blank := <-w.blank
	if blank.err != nil {
		w.prepare(w.number())
		if errors.Is(blank.err, syscall.ENOSPC) {
			return fmt.Errorf("%w: the next log file: %w: free some space", ErrNoSpace, blank.err)
		}
		return fmt.Errorf("prepare the next log file: %w", blank.err)
	}
	if err := w.begin(blank.segment); err != nil {
		return err
	}
	w.prepare(w.number())
	return w.l.tail.wait()
}

// begin writes a segment's header. It is durable before the first batch, so that a
// missing header with batches behind it is known as damage.
func (w *writer) begin(s *segment) error {
	s.logID, s.first, s.prev = w.l.id, w.next, w.prev
	rand.Read(s.mark[:]) // never fails
	s.mark[0] |= 1       // not zero, so that no mark begins in zeros
	if _, err := s.file.WriteAt(s.encode(), 0); err != nil {
		return fmt.Errorf("write %s: %w", s.name, err)
	}
	if err := s.file.Datasync(); err != nil {
		return fmt.Errorf("sync %s: %w", s.name, err)
	}
	if w.segment != nil {
		w.l.checkpointer.sealed(w.segment.number, w.l.head.snapshot())
		w.l.pruner.sealed()
		w.l.indexer.signal()
	}
	w.segment, w.offset = s, segmentHeader
	w.l.segments.add(s)
	return nil
}

// number is the next segment's.
func (w *writer) number() uint32 {
	if w.segment == nil {
		return 0
	}
	return w.segment.number + 1
}

// prepare makes a segment file in the background.
func (w *writer) prepare(number uint32) {
	w.preparing.Go(func() {
		w.blank <- prepareSegment(w.l.opts.FS, w.l.opts.logDir(), number, w.l.opts.SegmentBytes, &w.stop)
	})
}

// refuse answers everything pending with an error: all of it for want of room, and
// for good where it is another one.
func (w *writer) refuse(err error) {
	if !errors.Is(err, ErrNoSpace) {
		w.fail(err)
		return
	}
	w.l.space.set(true)
	w.answerAll(err)
}

// fail ends the ledger: what is on the disk is unknown now, so nobody gets an answer.
func (w *writer) fail(err error) {
	w.answerAll(w.l.fail(err))
	w.pending = w.l.queue.take(w.pending)
	w.answerAll(w.l.Err())
}

func (w *writer) answerAll(err error) {
	for i, r := range w.pending {
		r.answer(err)
		w.pending[i] = nil
	}
	w.pending = w.pending[:0]
}

// retire waits for the file that is being prepared and closes it.
func (w *writer) retire() {
	w.stop.Store(true)
	w.preparing.Wait()
	select {
	case blank := <-w.blank:
		if blank.segment != nil {
			blank.segment.file.Close() //nolint:errcheck,gosec // nothing was written
		}
	default:
	}
}

func unixTime(ns int64) time.Time { return time.Unix(0, ns) }
