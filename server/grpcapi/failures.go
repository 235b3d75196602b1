package grpcapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// failures logs a line for each call that ended without an answer. A call that has
// one is in the ledger, and costs nothing here.
type failures struct{ logger *slog.Logger }

// ServerReporter is called at the start of each call.
func (f failures) ServerReporter(ctx context.Context, c interceptors.CallMeta) (interceptors.Reporter, context.Context) {
	return failure{ctx: ctx, logger: f.logger, call: c}, ctx
}

// failure reports the end of one call.
type failure struct {
	interceptors.NoopReporter
	ctx    context.Context //nolint:containedctx // the reporter lives as long as the call
	logger *slog.Logger
	call   interceptors.CallMeta
}

// PostCall tells the caller's mistakes and the service's apart by level.
func (f failure) PostCall(err error, took time.Duration) {
	if err == nil {
		return
	}
	level := slog.LevelInfo
	switch status.Code(err) {
	case codes.Internal, codes.Unavailable, codes.DataLoss, codes.Unknown:
		level = slog.LevelError
	default:
	}
	f.logger.Log(f.ctx, level, "no answer", "method", f.call.FullMethod(),
		"code", status.Code(err).String(), "error", status.Convert(err).Message(), "took", took)
}
