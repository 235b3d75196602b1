package server_test

import (
	"context"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	"github.com/writ-dev/writ/rego"
	"github.com/writ-dev/writ/server"
)

const sampleFingerprint = "fp1:e03d152b285edd392def7eca39289047fc2993e8c31d7e15c1fcb9138038ad80"

// newDecider decides over the sample catalogue and the default policy, with a real
// log that is verified whole when the test ends.
func newDecider(tb testing.TB) *server.Decider {
	tb.Helper()
	sample, err := catalog.Sample()
	if err != nil {
		tb.Fatal(err)
	}
	d, _ := newDeciderOf(tb, sample, rego.Default())
	return d
}

func newDeciderOf(tb testing.TB, documents, rules fs.FS) (*server.Decider, *ledger.Ledger) {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "data")
	log, err := ledger.Open(tb.Context(), ledger.Options{Dir: dir, SegmentBytes: 8 << 20, ReserveBytes: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := log.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
		if _, err := ledger.Verify(context.Background(), ledger.VerifyOptions{Dir: dir}); err != nil {
			tb.Errorf("the log does not verify: %v", err)
		}
	})
	policy, reviewed := loaded(tb, documents, rules)
	digests := decisions.DigestKey(log.DigestKey())
	d, err := server.New(server.Options{Ledger: log, Digests: &digests})
	if err != nil {
		tb.Fatal(err)
	}
	if err := d.Activate(policy, reviewed, server.Actor{Name: "test", By: "os"}); err != nil {
		tb.Fatal(err)
	}
	return d, log
}

func loaded(tb testing.TB, documents, rules fs.FS) (*rego.Policy, *catalog.Catalog) {
	tb.Helper()
	policy, err := rego.Load(tb.Context(), rules, rego.Options{Deadline: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	reviewed, err := catalog.Load(documents, time.Now())
	if err != nil {
		tb.Fatal(err)
	}
	return policy, reviewed
}

// sampleCall is the demo's first call: RUN.
func sampleCall() decisions.Request {
	return decisions.Request{
		Workspace: "demo", Automation: "mail-triage", Release: "1.4", Stage: "limited",
		Server: "mail", Tool: "search_messages", ToolsetFingerprint: sampleFingerprint,
		Arguments: decisions.Arguments{Kind: decisions.ArgumentsJSON, JSON: []byte(`{"query": "invoice"}`)},
		Process:   "triage-worker", Session: "inbox-1", Credential: "mail-readonly",
	}
}
