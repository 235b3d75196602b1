package grpcapi

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/server"
)

// edge turns an error of the story into a gRPC status. This is the only place
// that does, and what it does not know is INTERNAL.
func edge(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codeOf(err), err.Error())
}

func codeOf(err error) codes.Code {
	for _, c := range [...]struct {
		is   error
		code codes.Code
	}{
		{errBounds, codes.InvalidArgument},
		{server.ErrInvalid, codes.InvalidArgument},
		{decisions.ErrNotFound, codes.NotFound},
		{decisions.ErrDamaged, codes.DataLoss},
		{decisions.ErrNothingToErase, codes.FailedPrecondition},
		{decisions.ErrItemKey, codes.FailedPrecondition},
		{decisions.ErrUncovered, codes.Unavailable},
		{decisions.ErrNoSpace, codes.Unavailable},
		{decisions.ErrLogClosed, codes.Unavailable},
		{decisions.ErrTooLarge, codes.InvalidArgument},
		{decisions.ErrLogFailed, codes.Internal},
	} {
		if errors.Is(err, c.is) {
			return c.code
		}
	}
	return codes.Internal
}
