package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/writ-dev/writ/bench/load"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// service is the running `writ serve` that is measured.
type service struct {
	at      site
	address string
	cmd     *exec.Cmd
	conn    *grpc.ClientConn
	// callers are the connections of the own generator.
	callers *load.Generator
	// ready is how long the service took from its start to its first healthy answer.
	ready time.Duration
	// ended is closed when the process has ended; err and stderr are read only then.
	ended  chan struct{}
	err    error
	stderr *bytes.Buffer
}

// readyWithin bounds how long the service may take to answer its health check.
const readyWithin = 2 * time.Minute

// start runs the service and waits until it says that it is healthy.
func (s settings) start(ctx context.Context, at site) (*service, error) {
	address, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	svc := &service{at: at, address: address, stderr: &bytes.Buffer{}, ended: make(chan struct{})}
	args := []string{"serve", "--listen", address, "--data", at.data, "--catalog", at.catalogue, "--log-level", "info"}
	if at.policy != "" {
		args = append(args, "--policy", at.policy)
	}
	svc.cmd = exec.CommandContext(ctx, s.writ, args...)
	svc.cmd.Stderr = svc.stderr
	svc.cmd.Cancel = func() error { return svc.cmd.Process.Signal(os.Interrupt) }
	svc.cmd.WaitDelay = readyWithin
	began := time.Now()
	if err := svc.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		svc.err = svc.cmd.Wait()
		close(svc.ended)
	}()
	svc.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		// The usual second between two attempts would be what is measured of a start.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 5 * time.Millisecond, Multiplier: 1, MaxDelay: 5 * time.Millisecond},
			MinConnectTimeout: readyWithin,
		}))
	if err == nil {
		err = svc.healthy(ctx)
		svc.ready = time.Since(began)
	}
	if err == nil {
		svc.callers, err = load.Dial(ctx, address, s.Connections)
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
	// resident is the memory that it holds, and peak the most that it held, in bytes.
	resident, peak uint64
	// behind is how many entries the index is behind the log.
	behind uint64
}

func (svc *service) reading(ctx context.Context) (reading, error) {
	active, err := writv1.NewPolicyServiceClient(svc.conn).GetActive(ctx, &writv1.GetActiveRequest{})
	if err != nil {
		return reading{}, err
	}
	r := reading{log: active.GetLogSize(), behind: active.GetLogSize() - active.GetLogIndexed()}
	if r.cpu, err = cpuOf(svc.cmd.Process.Pid); err != nil {
		return r, err
	}
	r.resident, r.peak, err = memoryOf(svc.cmd.Process.Pid)
	return r, err
}

// stop ends the service in order and returns what its ledger counted.
func (svc *service) stop() (ledgerStats, error) {
	var closeErr error
	if svc.conn != nil {
		closeErr = svc.conn.Close()
	}
	if svc.callers != nil {
		closeErr = errors.Join(closeErr, svc.callers.Close())
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

// end stops the service where it was not stopped yet.
func (svc *service) end() error {
	select {
	case <-svc.ended:
		return nil
	default:
	}
	if _, err := svc.stop(); err != nil {
		return fmt.Errorf("%w\n%s", err, svc.said())
	}
	return nil
}

// said is what the service wrote, for a person who asks why it failed.
func (svc *service) said() string { return svc.stderr.String() }
