package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// service is the running `writ serve` that is measured.
type service struct {
	address string
	cmd     *exec.Cmd
	conn    *grpc.ClientConn
	// ended is closed when the process has ended; err and stderr are read only then.
	ended  chan struct{}
	err    error
	stderr *bytes.Buffer
}

// readyWithin bounds how long the service may take to answer its health check.
const readyWithin = 30 * time.Second

// start runs the service and waits until it says that it is healthy.
func start(ctx context.Context, writ string, at site) (*service, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	svc := &service{address: address, stderr: &bytes.Buffer{}, ended: make(chan struct{})}
	svc.cmd = exec.CommandContext(ctx, writ, "serve",
		"--listen", address, "--data", at.data, "--catalog", at.catalogue, "--log-level", "info")
	svc.cmd.Stderr = svc.stderr
	svc.cmd.Cancel = func() error { return svc.cmd.Process.Signal(os.Interrupt) }
	svc.cmd.WaitDelay = readyWithin
	if err := svc.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		svc.err = svc.cmd.Wait()
		close(svc.ended)
	}()
	svc.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err == nil {
		err = svc.healthy(ctx)
	}
	if err != nil {
		_, stopErr := svc.stop()
		return nil, fmt.Errorf("%w\n%s", errors.Join(err, stopErr), svc.said())
	}
	return svc, nil
}

// freeAddress finds a port that nobody has now.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func (svc *service) healthy(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	go func() {
		select {
		case <-svc.ended:
			cancel() // it will never be ready
		case <-ctx.Done():
		}
	}()
	answer, err := healthpb.NewHealthClient(svc.conn).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	if err != nil {
		return fmt.Errorf("the service did not become ready: %w", err)
	}
	if answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		return fmt.Errorf("the service is up and says %v", answer.GetStatus())
	}
	return nil
}

// reading is what the service has used and logged up to now.
type reading struct {
	cpu time.Duration
	log uint64
}

func (svc *service) reading(ctx context.Context) (reading, error) {
	active, err := writv1.NewPolicyServiceClient(svc.conn).GetActive(ctx, &writv1.GetActiveRequest{})
	if err != nil {
		return reading{}, err
	}
	cpu, err := cpuOf(svc.cmd.Process.Pid)
	return reading{cpu: cpu, log: active.GetLogSize()}, err
}

// ledgerStats are the ledger's own counts, as the service logs them when it closes.
type ledgerStats struct {
	Entries uint64 `json:"entries"`
	Batches uint64 `json:"batches"`
	Syncs   uint64 `json:"syncs"`
	Bytes   uint64 `json:"bytes"`
}

// stop ends the service in order and returns what its ledger counted.
func (svc *service) stop() (ledgerStats, error) {
	var closeErr error
	if svc.conn != nil {
		closeErr = svc.conn.Close()
	}
	// An error here means that it is gone already; svc.err says why.
	_ = svc.cmd.Process.Signal(os.Interrupt)
	<-svc.ended
	if svc.err != nil {
		return ledgerStats{}, fmt.Errorf("the service ended: %w", svc.err)
	}
	stats, err := parseStats(svc.stderr.Bytes())
	return stats, errors.Join(err, closeErr)
}

// said is what the service wrote, for a person who asks why it failed.
func (svc *service) said() string { return svc.stderr.String() }

var (
	closedLine = regexp.MustCompile(`(?m)^.*ledger closed.*$`)
	countField = regexp.MustCompile(`\b(entries|batches|syncs|bytes)"?[=:](\d+)`)
)

// parseStats finds the line "ledger closed" in the service's log, text or JSON.
func parseStats(log []byte) (ledgerStats, error) {
	var s ledgerStats
	line := closedLine.Find(log)
	if line == nil {
		return s, errors.New(`the service stopped without saying "ledger closed"`)
	}
	into := map[string]*uint64{"entries": &s.Entries, "batches": &s.Batches, "syncs": &s.Syncs, "bytes": &s.Bytes}
	for _, m := range countField.FindAllSubmatch(line, -1) {
		n, err := strconv.ParseUint(string(m[2]), 10, 64)
		if err != nil {
			return s, err
		}
		*into[string(m[1])] = n
	}
	if s.Entries == 0 || s.Batches == 0 {
		return s, fmt.Errorf("no counts in %q", line)
	}
	return s, nil
}
