package grpcapi

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// strictly returns the service with one change: a message that does not decode
// (invalid UTF-8, a broken wire form) is the caller's fault, INVALID_ARGUMENT
// naming the field, and not INTERNAL as the transport would have it.
func strictly(service grpc.ServiceDesc) *grpc.ServiceDesc {
	methods := make([]grpc.MethodDesc, len(service.Methods))
	for i, m := range service.Methods {
		handle := m.Handler
		methods[i] = grpc.MethodDesc{
			MethodName: m.MethodName,
			Handler: func(srv any, ctx context.Context, decode func(any) error, i grpc.UnaryServerInterceptor) (any, error) {
				return handle(srv, ctx, func(v any) error { return blameCaller(decode(v)) }, i)
			},
		}
	}
	service.Methods = methods
	return &service
}

func blameCaller(err error) error {
	if err == nil {
		return nil
	}
	return status.Error(codes.InvalidArgument, status.Convert(err).Message()+": expected a message of the writ.v1 contract with valid UTF-8 text")
}
