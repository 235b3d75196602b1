package server_test

import (
	"testing"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/rego"
	"github.com/writ-dev/writ/server"
)

// A remembered call costs a handful of allocations up to the append and from there to
// the answer: canonical arguments, entry, answer, its id. What a call needs only while
// it is judged is not allocated.
func TestDecideAllocatesLittle(t *testing.T) {
	d, err := server.New(server.Options{Ledger: broken{}, Digests: &decisions.DigestKey{}})
	must(t, err)
	sample, err := catalog.Sample()
	must(t, err)
	policy, reviewed := loaded(t, sample, rego.Default())
	must(t, d.Activate(policy, reviewed, server.Actor{}))
	call := sampleCall()
	raw, ctx := call.Arguments, t.Context()
	n := testing.AllocsPerRun(200, func() {
		call.Arguments = raw // without the canonical form that the last run kept
		if _, err := d.Decide(ctx, server.Caller{By: "none"}, &call); err != nil {
			t.Fatal(err)
		}
	})
	if n > 8 {
		t.Errorf("%v allocations, want at most 8", n)
	}
}
