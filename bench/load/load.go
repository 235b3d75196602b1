// Package load calls a gRPC service from many callers at once, with messages that are
// encoded beforehand or by appending a few fields to such ones.
//
// It exists beside ghz because ghz takes a fixed list of messages or fills in
// templates: neither makes a million calls of which no two are the same, and the
// second costs more than the service that is measured.
package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

// Kinds is how many kinds of answer are told apart.
const Kinds = 8

// Spec is one load.
type Spec struct {
	// Method is the full one, "/package.Service/Method".
	Method string
	// Next appends the n-th request to b, as on the wire. It is called by all callers
	// at once. Nil sends empty messages.
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

// Generator holds open connections to one service.
type Generator struct{ conns []*grpc.ClientConn }

// Dial opens connections and waits until they stand. An address is host:port or
// unix:PATH.
func Dial(ctx context.Context, address string, connections int) (*Generator, error) {
	g := &Generator{}
	for range connections {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.conns = append(g.conns, conn)
		conn.Connect()
		for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
			if !conn.WaitForStateChange(ctx, state) {
				return nil, errors.Join(fmt.Errorf("%s: %w", address, ctx.Err()), g.Close())
			}
		}
	}
	return g, nil
}

// Close closes the connections.
func (g *Generator) Close() error {
	var all []error
	for _, c := range g.conns {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}

// Run drives the service until the time is up, and waits for every answer. The first
// call that fails ends the run: a run with failed calls measures nothing.
func (g *Generator) Run(ctx context.Context, s Spec) (Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Uint64
	next.Store(s.From)
	began := time.Now()
	callers := make([]caller, s.Callers)
	var all sync.WaitGroup
	for i := range callers {
		callers[i].conn = g.conns[i%len(g.conns)]
		all.Go(func() {
			if err := callers[i].run(ctx, s, began, &next); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil {
		return Result{}, fmt.Errorf("%s: %w", s.Method, err)
	}
	r := Result{Took: time.Since(began), Latency: &Histogram{}, Next: next.Load()}
	for i := range callers {
		r.Latency.Merge(&callers[i].latency)
		for kind, n := range callers[i].kinds {
			r.Kinds[kind] += n
		}
	}
	return r, nil
}

// caller sends one request after the other.
type caller struct {
	conn    *grpc.ClientConn
	message message
	latency Histogram
	kinds   [Kinds]uint64
}

func (c *caller) run(ctx context.Context, s Spec, began time.Time, next *atomic.Uint64) error {
	for time.Since(began) < s.Duration && ctx.Err() == nil {
		if s.Next != nil {
			c.message.request = s.Next(c.message.request[:0], next.Add(1)-1)
		}
		sent := time.Now()
		if err := c.conn.Invoke(ctx, s.Method, &c.message, &c.message, grpc.ForceCodecV2(bytesCodec{})); err != nil {
			return err
		}
		c.latency.Add(time.Since(sent))
		kind := 0
		if s.Kind != nil {
			var err error
			if kind, err = s.Kind(c.message.answer); err != nil {
				return err
			}
		}
		c.kinds[kind]++
	}
	return nil
}
