package ledger

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing/synctest"
	"time"
)

// simGate is the scheduler of a simulation. Within a synctest bubble, whatever touches
// the disk waits here; when everything waits, the seed says who goes on. So one
// goroutine runs at a time between two operations, in an order that the seed gives.
//
// No code under test may hold a mutex while it is at the disk: synctest would take who
// waits for the mutex for running.
type simGate struct {
	r *rand.Rand
	// reads wait too. Where nothing is read beside writing, that only costs time.
	reads bool

	mu      sync.Mutex
	waiting []*simWaiter
	open    bool  // nobody waits
	dead    error // what everybody gets after a crash
}

type simWaiter struct {
	simOp
	verdict chan error
}

// pass waits for its turn. The error is what the operation fails with.
func (g *simGate) pass(op simOp) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	if g.dead != nil || g.open || op.reads && !g.reads {
		defer g.mu.Unlock()
		return g.dead
	}
	w := &simWaiter{op, make(chan error, 1)}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	return <-w.verdict
}

// back has somebody wait again.
func (g *simGate) back(w *simWaiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w != nil {
		g.waiting = append(g.waiting, w)
	}
}

// next is who goes on, once all stand still; nil where all wait for time to pass.
func (g *simGate) next() *simWaiter {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 {
		return nil
	}
	g.sort()
	i := g.r.IntN(len(g.waiting))
	w := g.waiting[i]
	g.waiting = slices.Delete(g.waiting, i, i+1)
	return w
}

// sort makes the order that they came in, which chance gave, not matter.
func (g *simGate) sort() {
	slices.SortStableFunc(g.waiting, func(a, b *simWaiter) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name), cmp.Compare(a.offset, b.offset), cmp.Compare(a.size, b.size))
	})
}

// kill ends what waits, and all that comes, and returns what waited.
func (g *simGate) kill(err error) []*simWaiter {
	synctest.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sort()
	killed := g.waiting
	g.dead, g.waiting = err, nil
	return killed
}

// unguarded does something while nobody waits.
func (g *simGate) unguarded(do func()) {
	g.set(true)
	do()
	g.set(false)
}

func (g *simGate) set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = open
}

// sleep lets time pass in the bubble.
func (g *simGate) sleep() {
	time.Sleep(time.Duration(1+g.r.IntN(1000)) * time.Millisecond) //nolint:forbidigo // the bubble's time: nobody waits
}
