// Package writ is the Go client of a Writ service. It links neither the policy
// engine nor the ledger's index.
//
//	client, err := writ.Dial("127.0.0.1:4750", writ.Options{})
//	if err != nil { … }
//	defer client.Close()
//	answer, err := client.Decide(ctx, &writv1.DecideRequest{Workspace: "acme", …})
//	if err == nil && answer.MayRun(time.Now()) {
//		// execute the call, and nothing else
//	}
//
// Whatever goes wrong, the call does not run: an error comes with the zero Answer,
// and the zero Answer refuses.
package writ

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// MaxMessageBytes is the largest message that the service takes or sends.
const MaxMessageBytes = 8 << 20

// Options of a client. The zero value talks plain text to a loopback address and
// honours no obligation.
type Options struct {
	// TLS is required for any address that is not loopback.
	TLS *tls.Config
	// Insecure allows plain text to an address that is not loopback, where something
	// else protects the network. TLS goes before it.
	Insecure bool
	// Obligations are the kinds that the caller can fulfil. A permit with any other
	// does not run (R30).
	Obligations []string
}

// Client is safe for concurrent use.
type Client struct {
	conn        *grpc.ClientConn
	decisions   writv1.DecisionServiceClient
	toolsets    writv1.ToolSetServiceClient
	obligations []string
}

// Dial prepares a client; the connection is made at the first call. An address is
// "host:port" or "unix:path".
func Dial(address string, o Options) (*Client, error) {
	secure, err := transport(address, o)
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(address,
		grpc.WithTransportCredentials(secure),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallRecvMsgSize(MaxMessageBytes), grpc.MaxCallSendMsgSize(MaxMessageBytes)))
	if err != nil {
		return nil, fmt.Errorf("address %q: %w: expected host:port or unix:path", address, err)
	}
	return &Client{
		conn:        conn,
		decisions:   writv1.NewDecisionServiceClient(conn),
		toolsets:    writv1.NewToolSetServiceClient(conn),
		obligations: o.Obligations,
	}, nil
}

// ErrPlainText says that an address is not loopback, and that neither Options.TLS nor
// Options.Insecure is set.
var ErrPlainText = errors.New("decisions would travel in plain text to another machine")

// transport refuses plain text to another machine.
func transport(address string, o Options) (credentials.TransportCredentials, error) {
	switch {
	case o.TLS != nil:
		return credentials.NewTLS(o.TLS), nil
	case o.Insecure || Loopback(address):
		return insecure.NewCredentials(), nil
	case strings.HasPrefix(address, "/"):
		return nil, fmt.Errorf("address %q names a file: write unix:%s", address, address)
	}
	return nil, fmt.Errorf("address %q: %w: set Options.TLS, or Options.Insecure where something else protects the network", address, ErrPlainText)
}

// Loopback says whether an address stays on this machine.
func Loopback(address string) bool {
	if len(address) > 5 && address[:5] == "unix:" {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }

// Decide asks about one call. An error is never a permit.
func (c *Client) Decide(ctx context.Context, call *writv1.DecideRequest) (Answer, error) {
	response, err := c.decisions.Decide(ctx, call)
	if err != nil {
		return Answer{}, fmt.Errorf("no decision, so the call must not run: %w", err)
	}
	return Answer{response: response, honoured: c.obligations}, nil
}

// Report says what became of a permitted call (R32). It is logged when Report returns.
func (c *Client) Report(ctx context.Context, report *writv1.ReportRequest) (*writv1.ReportResponse, error) {
	return c.decisions.Report(ctx, report)
}

// Observe shows the service a server's tool list, every page of it, and returns its
// fingerprint and digest, and what of each tool's hints goes with a call (R13). Without
// it a later refusal can't say in words what changed.
func (c *Client) Observe(ctx context.Context, list *writv1.ObserveRequest) (*writv1.ObserveResponse, error) {
	return c.toolsets.Observe(ctx, list)
}

// Conn is the connection, for the other services of the contract.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }
