package ledger

import (
	"sync"

	"github.com/writ-dev/writ/decisions"
)

// request is a caller's proposals on their way through the writer, and its receipts
// on their way back.
type request struct {
	proposals []decisions.Proposal
	events    []decisions.Event
	receipts  []decisions.Receipt // as many as were taken so far
	err       error
	done      chan struct{} // 1 deep
}

func newRequest(n int) *request {
	return &request{
		proposals: make([]decisions.Proposal, 0, n),
		events:    make([]decisions.Event, 0, n),
		receipts:  make([]decisions.Receipt, 0, n),
		done:      make(chan struct{}, 1),
	}
}

// reset makes a request ready for its next use, keeping no caller's memory.
func (r *request) reset() {
	clear(r.proposals)
	clear(r.events)
	clear(r.receipts)
	r.proposals, r.events, r.receipts, r.err = r.proposals[:0], r.events[:0], r.receipts[:0], nil
}

// answer hands the request back to its caller.
func (r *request) answer(err error) {
	r.err = err
	r.done <- struct{}{}
}

// queue is what waits for the writer.
type queue struct {
	wake chan struct{} // 1 deep: something waits that nobody takes, or the queue was closed

	mu      sync.Mutex
	waiting []*request
	spare   []*request
	closed  error
}

// push adds a request. The error is the one that the queue was closed with.
func (q *queue) push(r *request) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed != nil {
		return q.closed
	}
	q.waiting = append(q.waiting, r)
	return nil
}

// length is how many requests wait.
func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take moves all that waits to dst, in order.
func (q *queue) take(dst []*request) []*request {
	q.mu.Lock()
	taken := q.waiting
	q.waiting, q.spare = q.spare[:0], taken
	q.mu.Unlock()
	dst = append(dst, taken...)
	clear(taken)
	return dst
}

// close refuses everything from here on. What waits already may still be taken.
func (q *queue) close(err error) {
	q.mu.Lock()
	if q.closed == nil {
		q.closed = err
	}
	q.mu.Unlock()
	q.signal()
}

func (q *queue) isClosed() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed != nil
}
