package load

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

// Generator holds open connections to one gRPC service.
type Generator struct{ conns []*grpc.ClientConn }

// Dial opens connections and waits until they stand. An address is host:port or
// unix:PATH.
func Dial(ctx context.Context, address string, connections int) (*Generator, error) {
	g := &Generator{}
	for range connections {
		conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.conns = append(g.conns, conn)
		conn.Connect()
		for state := conn.GetState(); state != connectivity.Ready; state = conn.GetState() {
			if !conn.WaitForStateChange(ctx, state) {
				return nil, errors.Join(fmt.Errorf("%s: %w", address, ctx.Err()), g.Close())
			}
		}
	}
	return g, nil
}

// Close closes the connections.
func (g *Generator) Close() error {
	var all []error
	for _, c := range g.conns {
		all = append(all, c.Close())
	}
	return errors.Join(all...)
}

// Run drives the service. Its callers share the connections.
func (g *Generator) Run(ctx context.Context, s Spec) (Result, error) {
	callers := make([]exchange, s.Callers)
	for i := range callers {
		conn := g.conns[i%len(g.conns)]
		var m message
		callers[i] = func(ctx context.Context, request []byte) ([]byte, error) {
			m.request = request
			err := conn.Invoke(ctx, s.Method, &m, &m, grpc.ForceCodecV2(bytesCodec{}))
			return m.answer, err
		}
	}
	return drive(ctx, s, callers)
}
