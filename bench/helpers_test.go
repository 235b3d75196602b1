package main

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// siteOf is an estate with identities that nobody computed.
func siteOf(e estate) site {
	at := site{estate: e}
	for range e.servers() {
		at.ids = append(at.ids, identity{Fingerprint: "fp1:" + strings.Repeat("a", 64), ProseDigest: "pd1:" + strings.Repeat("b", 64)})
	}
	return at
}

// decoded is the n-th request of a source.
func decoded(t *testing.T, next source, n int) *writv1.DecideRequest {
	t.Helper()
	var call writv1.DecideRequest
	if err := proto.Unmarshal(next(nil, uint64(n)), &call); err != nil {
		t.Fatal(err)
	}
	return &call
}

// oneRound is one second of a load.
func oneRound(name string, callers, answers int, cpu, p50, p99 time.Duration) run {
	return run{
		Load: name, Callers: callers, Answers: answers, Decisions: answers, Took: time.Second,
		CPU: cpu, P50: p50, P99: p99, Logged: uint64(answers),
	}
}
