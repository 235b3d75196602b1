// Package grpcapi serves Writ's contract over gRPC: it checks bounds, translates,
// and leaves every decision to the server package.
package grpcapi

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/server"
)

// MaxMessageBytes is the largest message taken; a larger one is RESOURCE_EXHAUSTED.
const MaxMessageBytes = 8 << 20

// streamWorkers is how many goroutines are kept for calls: a kept one has the stack
// that judging needs, and a new one has to grow it. Calls beyond get one of their own.
const streamWorkers = 128

// window is how much a caller may send ahead, in bytes. A fixed window of this size holds
// every usual call, so that neither updates of it nor the pings that would measure for a
// better one travel between the answers.
const window = 1 << 20

// Options of the service. Decider and Log are required.
type Options struct {
	Decider *server.Decider
	Log     LogReader
	// Eraser serves OperatorService; without one there is none.
	Eraser Eraser
	// Witness tells what a witness of the log signed; nil where there is none.
	Witness WitnessStatus
	Version string
	// Stopping is done when those who follow the log are to go, so that the service can
	// stop in order; nil: when their connections end.
	Stopping context.Context //nolint:containedctx // the service's life
	// Heartbeat is how long they hear nothing at most. Default 10 s.
	Heartbeat time.Duration
	// Logger takes one line per failed call; nil drops them.
	Logger *slog.Logger
}

// WitnessStatus is what is known of a witness, for GetActive.
type WitnessStatus interface {
	// Size is how many entries it has signed for; Failures how often it did not.
	Size() uint64
	Failures() uint64
}

// New returns a gRPC server with every service of the contract, health and
// reflection on it, and the health it reports.
func New(o Options) (*grpc.Server, *health.Server) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Stopping == nil {
		o.Stopping = context.Background()
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = heartbeat
	}
	decoder := newDecoder()
	s := grpc.NewServer(
		grpc.ForceServerCodecV2(decoder),
		grpc.Creds(newLocalCredentials()),
		grpc.MaxRecvMsgSize(MaxMessageBytes),
		grpc.MaxSendMsgSize(MaxMessageBytes),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.InitialWindowSize(window), grpc.InitialConnWindowSize(window),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: 15 * time.Minute}),
		grpc.ChainUnaryInterceptor(
			interceptors.UnaryServerInterceptor(failures{o.Logger}),
			recovery.UnaryServerInterceptor(recovery.WithRecoveryHandlerContext(recovered(o.Logger))),
			decoder.refuseFaults,
		),
		grpc.ChainStreamInterceptor(
			interceptors.StreamServerInterceptor(failures{o.Logger}),
			recovery.StreamServerInterceptor(recovery.WithRecoveryHandlerContext(recovered(o.Logger))),
			decoder.refuseStreamFaults,
		),
	)
	log := &logService{log: o.Log, stopping: o.Stopping, heartbeat: o.Heartbeat}
	writv1.RegisterDecisionServiceServer(s, &decisionService{decider: o.Decider, log: log})
	writv1.RegisterLogServiceServer(s, log)
	writv1.RegisterPolicyServiceServer(s,
		&policyService{decider: o.Decider, log: o.Log, witness: o.Witness, version: o.Version})
	writv1.RegisterToolSetServiceServer(s, &toolsetService{decider: o.Decider})
	if o.Eraser != nil {
		writv1.RegisterOperatorServiceServer(s, &operatorService{log: log, eraser: o.Eraser})
	}
	healthy := health.NewServer()
	grpc_health_v1.RegisterHealthServer(s, healthy)
	reflection.Register(s)
	return s, healthy
}

// recovered keeps one broken call from stopping the others. It is not an answer.
func recovered(l *slog.Logger) recovery.RecoveryHandlerFuncContext {
	return func(ctx context.Context, p any) error {
		l.ErrorContext(ctx, "a call panicked", "panic", p, "stack", string(debug.Stack()))
		return status.Error(codes.Internal, "the call could not be judged, so it must not run: see the service's log")
	}
}
