// Command bench loads a running service from outside, as gateways would, and says
// what an answer costs beside what an empty call costs.
//
// It starts `writ serve` on a temporary directory with a catalogue of its own, then
// drives Decide and the gRPC health check by turns with ghz, over the same
// connections, on the same machine, for several rounds; what it compares are the
// ratios within a round, because absolute figures are the machine's. Then it checks
// that every answer is in the log, and that the log verifies.
//
// Exit codes: 0 passed; 1 a gate was missed, an answer was not logged, or it could
// not run; 2 wrong flags.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
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

// bench is the whole story: start, load, check, stop, judge, print, save.
func bench(ctx context.Context, s settings, out, progress io.Writer) error {
	dir, err := os.MkdirTemp(s.dir, "writ-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	site, err := prepare(ctx, s, dir)
	if err != nil {
		return err
	}
	r := result{Settings: s, Machine: factsOf(dir)}
	svc, err := start(ctx, s.writ, site)
	if err != nil {
		return err
	}
	r.Runs, err = measure(ctx, s, svc, site, progress)
	if err == nil {
		r.Evidence, err = svc.evidence(ctx, s.writ, site)
	}
	stats, stopErr := svc.stop()
	if err = errors.Join(err, stopErr); err != nil {
		return fmt.Errorf("%w\n%s", err, svc.said())
	}
	r.Ledger = stats
	if err := verifyLog(ctx, s.writ, site.data); err != nil {
		return fmt.Errorf("after the service stopped: %w", err)
	}
	r.judge()
	if err := r.deliver(s, out); err != nil {
		return err
	}
	return r.missed()
}
