package grpcapi

import (
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/server"
)

// Every error has its code at the edge, however deeply it is wrapped.
func TestEdge(t *testing.T) {
	for err, code := range map[error]codes.Code{
		errBounds:               codes.InvalidArgument,
		server.ErrInvalid:       codes.InvalidArgument,
		decisions.ErrTooLarge:   codes.InvalidArgument,
		decisions.ErrNotFound:   codes.NotFound,
		decisions.ErrDamaged:    codes.DataLoss,
		decisions.ErrNoSpace:    codes.Unavailable,
		decisions.ErrItemKey:    codes.FailedPrecondition,
		decisions.ErrLogClosed:  codes.Unavailable,
		decisions.ErrLogFailed:  codes.Internal,
		errors.New("who knows"): codes.Internal,
	} {
		wrapped := edge(fmt.Errorf("outside: %w", fmt.Errorf("inside: %w", err)))
		if got := status.Code(wrapped); got != code {
			t.Errorf("%v: %v, want %v", err, got, code)
		}
	}
	if edge(nil) != nil {
		t.Error("no error became one")
	}
}
