package rego

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind: an evaluation that is cut off stops.
func TestMain(m *testing.M) {
	flag.Bool("update", false, "write the answers of the scenarios")
	goleak.VerifyTestMain(m)
}
