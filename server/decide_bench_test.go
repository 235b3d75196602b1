package server_test

import (
	"fmt"
	"testing"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/server"
)

// BenchmarkDecide is the whole path in process, durable, 64 callers, with arguments
// that differ from call to call.
func BenchmarkDecide(b *testing.B) {
	d := newDecider(b)
	calls := make([]decisions.Request, 4096)
	for i := range calls {
		calls[i] = sampleCall()
		calls[i].Arguments.JSON = fmt.Appendf(nil, `{"query": "invoice number %d of the customer who asked twice", "limit": %d}`, i, 1+i%100)
	}
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			call := calls[i%len(calls)]
			if _, err := d.Decide(b.Context(), server.Caller{By: "none"}, &call); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
