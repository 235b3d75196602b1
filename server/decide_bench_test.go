package server_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/server"
)

// differingCalls have arguments that differ from call to call.
func differingCalls(n int) []decisions.Request {
	calls := make([]decisions.Request, n)
	for i := range calls {
		calls[i] = sampleCall()
		calls[i].Arguments.JSON = fmt.Appendf(nil, `{"query": "invoice number %d of the customer who asked twice", "limit": %d}`, i, 1+i%100)
	}
	return calls
}

// BenchmarkDecideParallel is the whole path in process, durable, 64 callers.
func BenchmarkDecideParallel(b *testing.B) {
	d, calls := newDecider(b), differingCalls(4096)
	b.ReportAllocs()
	b.ResetTimer()
	drive(b.N, 64, func(i int) {
		call := calls[i%len(calls)]
		if _, err := d.Decide(b.Context(), server.Caller{By: "none"}, &call); err != nil {
			b.Error(err)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
}

// BenchmarkBatchDecide is a batch of 100, durable, by one caller and by several at once.
func BenchmarkBatchDecide(b *testing.B) {
	const batch = 100
	for _, callers := range []int{1, 8} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			d, calls := newDecider(b), differingCalls(4096)
			b.ReportAllocs()
			b.ResetTimer()
			drive(b.N, callers, func(i int) {
				batched := make([]*decisions.Request, batch)
				for k := range batched {
					call := calls[(i*batch+k)%len(calls)]
					batched[k] = &call
				}
				if _, errs := d.DecideAll(b.Context(), server.Caller{By: "none"}, batched); errs[0] != nil {
					b.Error(errs[0])
				}
			})
			b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}

// drive calls once n times, from so many goroutines.
func drive(n, callers int, once func(i int)) {
	var wait sync.WaitGroup
	var next atomic.Int64
	for range callers {
		wait.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				once(int(i))
			}
		})
	}
	wait.Wait()
}
