// Command bench loads a running service from outside, as gateways would, and says
// what an answer costs beside what an empty call costs.
//
// It starts `writ serve` on a temporary directory with a catalogue of its own, then
// drives Decide and the gRPC health check by turns, over the same connections, on the
// same machine, for several rounds; what it compares are the ratios within a round,
// because absolute figures are the machine's. Then it checks that every answer is in
// the log, and that the log verifies. docs/performance.md explains modes and figures.
//
// Exit codes: 0 passed; 1 a gate failed, an answer was not logged, or it could not
// run; 2 wrong flags.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	s, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = bench(ctx, s, os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench runs one mode on a temporary directory, and prints and saves what it found.
func bench(ctx context.Context, s settings, out, progress io.Writer) error {
	parent, err := filepath.Abs(s.dir)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(parent, "writ-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	r, err := s.run(ctx, dir, progress)
	if err != nil {
		return err
	}
	return errors.Join(s.deliver(r, out), r.failed())
}
