// Package load calls a gRPC or HTTP service from many callers at once, with messages
// that are encoded beforehand or by appending a few fields to such ones.
//
// It exists beside ghz because ghz takes a fixed list of messages or fills in
// templates: neither makes a million calls of which no two are the same, and the
// second costs more than the service that is measured.
package load

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Kinds is how many kinds of answer are told apart.
const Kinds = 8

// Spec is one load.
type Spec struct {
	// Method is the full one, "/package.Service/Method". HTTP requests name their own.
	Method string
	// Next appends the n-th request to b, as on the wire. It is called by all callers
	// at once. Nil sends empty messages, which over HTTP are none.
	Next func(b []byte, n uint64) []byte
	// Kind tells answers apart, from 0 to Kinds-1. Nil counts all as 0.
	Kind func(answer []byte) (int, error)
	// From is the number of the first request.
	From     uint64
	Callers  int
	Duration time.Duration
}

// Result is what a load found. Latency is that of each call.
type Result struct {
	Took    time.Duration
	Latency *Histogram
	Kinds   [Kinds]uint64
	// Next is the number that the next request would have had.
	Next uint64
}

// Answers is how many calls were answered.
func (r Result) Answers() uint64 { return r.Latency.Count() }

// exchange sends a request and returns the answer, which holds until the next one.
type exchange func(ctx context.Context, request []byte) (answer []byte, err error)

// drive has callers exchange messages until the time is up, and waits for every
// answer. The first call that fails ends the run: a run with failed calls measures
// nothing.
func drive(ctx context.Context, s Spec, callers []exchange) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Uint64
	next.Store(s.From)
	began := time.Now()
	found := make([]tally, len(callers))
	var all sync.WaitGroup
	for i, exchange := range callers {
		all.Go(func() {
			if err := found[i].run(ctx, s, exchange, began, &next); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("%s: %w", s.Method, err)
	}
	r := Result{Took: time.Since(began), Latency: &Histogram{}, Next: next.Load()}
	for i := range found {
		r.Latency.Merge(&found[i].latency)
		for kind, n := range found[i].kinds {
			r.Kinds[kind] += n
		}
	}
	return r, nil
}

// tally is what one caller found.
type tally struct {
	latency Histogram
	kinds   [Kinds]uint64
}

func (t *tally) run(ctx context.Context, s Spec, exchange exchange, began time.Time, next *atomic.Uint64) error {
	var request []byte
	for time.Since(began) < s.Duration && ctx.Err() == nil {
		if s.Next != nil {
			request = s.Next(request[:0], next.Add(1)-1)
		}
		sent := time.Now()
		answer, err := exchange(ctx, request)
		if err != nil {
			return err
		}
		t.latency.Add(time.Since(sent))
		kind := 0
		if s.Kind != nil {
			if kind, err = s.Kind(answer); err != nil {
				return err
			}
		}
		t.kinds[kind]++
	}
	return nil
}
