package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"

	"github.com/writ-dev/writ/catalog"
	writ "github.com/writ-dev/writ/clients/go"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	"github.com/writ-dev/writ/rego"
	"github.com/writ-dev/writ/server"
	"github.com/writ-dev/writ/server/grpcapi"
)

// service is a running writ: a log, what judges, and the port that answers.
type service struct {
	ledger  *ledger.Ledger
	decider *server.Decider
	grpc    *grpc.Server
	health  *health.Server
	// followersGo ends those who follow the log.
	followersGo context.CancelFunc
	address     net.Addr
	logger      *slog.Logger
	served      chan error
}

// startService wires the parts. Whatever is wrong with policy or catalogue stops it
// before the port opens.
func startService(ctx context.Context, f serveFlags, documents fs.FS, s streams) (_ *service, err error) {
	logger := f.logger(s)
	policy, err := rego.Load(ctx, f.policyFS(), rego.Options{})
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	reviewed, err := catalog.Load(documents, time.Now(), policy.Stages()...)
	if err != nil {
		return nil, err
	}
	for _, w := range reviewed.Warnings() {
		logger.Warn("catalogue", "finding", w.String())
	}
	retention, err := f.retention()
	if err != nil {
		return nil, err
	}
	if shows := policy.Shows(); len(shows) > 0 {
		logger.Info("the log shows these inputs in the clear: mask what it must not", "inputs", shows)
	}
	listener, err := f.listen(ctx)
	if err != nil {
		return nil, err
	}
	log, err := ledger.Open(ctx, ledger.Options{
		Dir: f.Data, KeyDir: f.Keys, Anchor: f.Anchor, ReserveBytes: f.Reserve,
		SegmentBytes: int64(f.Segment), Retention: retention,
		Version: version, Logger: logger,
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	seen, err := f.witness(ctx, log, logger)
	if err != nil {
		return nil, errors.Join(err, log.Close(), listener.Close())
	}
	digests := decisions.DigestKey(log.DigestKey())
	decider, err := server.New(server.Options{Ledger: log, Digests: &digests})
	if err == nil {
		err = decider.Activate(policy, reviewed, server.Actor{Name: account(), By: "os"})
	}
	if err != nil {
		return nil, errors.Join(err, log.Close(), listener.Close())
	}
	operator, err := f.listenOperator(ctx, logger)
	if err != nil {
		return nil, errors.Join(err, log.Close(), listener.Close())
	}
	stopping, followersGo := context.WithCancel(context.WithoutCancel(ctx))
	api, healthy := grpcapi.New(grpcapi.Options{Decider: decider, Log: log, Eraser: log, Witness: seen.status(), Version: version, Stopping: stopping, Logger: logger})
	running := &service{
		followersGo: followersGo,
		ledger:      log, decider: decider, grpc: api, health: healthy,
		address: listener.Addr(), logger: logger, served: make(chan error, 2),
	}
	if !writ.Loopback(f.Listen) {
		logger.Warn("other machines can ask: there is no authentication and no encryption, whoever reaches the port is a gateway", "address", listener.Addr().String())
	}
	seen.run(stopping)
	go func() { running.served <- api.Serve(listener) }()
	if operator != nil {
		go func() { running.served <- api.Serve(operator) }()
	}
	logger.Info("serving", "address", listener.Addr().String(), "log", log.LogID(), "entries", log.Size(),
		"policy", policy.Revision(), "catalog", reviewed.Revision(), "version", version)
	return running, nil
}

// untilDone serves until it is told to stop or the log fails. A failed log is
// final: there is no answer any more (R31).
func (r *service) untilDone(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return r.stop()
	case <-r.ledger.Done():
		failure := fmt.Errorf("the log failed and the service stops, without an answer to what was under way: %w", r.ledger.Err())
		r.health.Shutdown()
		r.followersGo()
		r.grpc.Stop()
		return errors.Join(failure, r.ledger.Close())
	case err := <-r.served:
		return errors.Join(fmt.Errorf("serving ended: %w", err), r.ledger.Close())
	}
}

// stop lets calls under way finish, then closes the log in order.
func (r *service) stop() error {
	r.health.Shutdown()
	r.followersGo()
	finished := make(chan struct{})
	go func() { r.grpc.GracefulStop(); close(finished) }()
	select {
	case <-finished:
	case <-time.After(stopGrace):
		r.grpc.Stop()
		<-finished
	}
	err := r.ledger.Close()
	stats := r.ledger.Stats()
	r.logger.Info("ledger closed", "entries", stats.Entries, "batches", stats.Batches,
		"syncs", stats.Syncs, "bytes", stats.Bytes)
	return err
}

// dialAddress is where a client on this machine reaches the service.
func (r *service) dialAddress() string {
	if r.address.Network() == "unix" {
		return "unix:" + r.address.String()
	}
	host, port, err := net.SplitHostPort(r.address.String())
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsUnspecified() {
		return r.address.String()
	}
	return net.JoinHostPort("127.0.0.1", port)
}

func (f serveFlags) policyFS() fs.FS {
	if f.Policy != "" {
		return os.DirFS(f.Policy)
	}
	return rego.Default()
}

// catalogFS is the directory that the operator names, or what the command serves
// without one.
func (f serveFlags) catalogFS(otherwise fs.FS) fs.FS {
	if f.Catalog != "" {
		return os.DirFS(f.Catalog)
	}
	return otherwise
}
