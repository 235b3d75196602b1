package grpcapi_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/rego"
	"github.com/writ-dev/writ/server"
	"github.com/writ-dev/writ/server/grpcapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is a running service and a client of it.
type service struct {
	log       *ledger.Ledger
	conn      *grpc.ClientConn
	decisions writv1.DecisionServiceClient
	toolsets  writv1.ToolSetServiceClient
	entries   writv1.LogServiceClient
	policies  writv1.PolicyServiceClient
	stopping  context.CancelFunc // what the service's stop does first
}

type unary[Q, A proto.Message] func(context.Context, Q, ...grpc.CallOption) (A, error)

// start serves a catalogue and a policy on a port of this machine, over a real log.
// The log is verified whole when the test ends.
func start(t testing.TB, documents, rules fs.FS) *service {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	log, err := ledger.Open(t.Context(), ledger.Options{Dir: dir, SegmentBytes: 1 << 20, ReserveBytes: 1})
	must(t, err)
	t.Cleanup(func() {
		must(t, log.Close())
		_, err := ledger.Verify(context.Background(), ledger.VerifyOptions{Dir: dir})
		must(t, err)
	})
	policy, err := rego.Load(t.Context(), rules, rego.Options{Deadline: time.Minute})
	must(t, err)
	reviewed, err := catalog.Load(documents, time.Now())
	must(t, err)
	digests := decisions.DigestKey(log.DigestKey())
	decider, err := server.New(server.Options{Ledger: log, Digests: &digests})
	must(t, err)
	must(t, decider.Activate(policy, reviewed, server.Actor{Name: "test", By: "os"}))

	stopping, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	api, _ := grpcapi.New(grpcapi.Options{Decider: decider, Log: log, Version: "test", Stopping: stopping, Heartbeat: 20 * time.Millisecond})
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	served := make(chan error, 1)
	go func() { served <- api.Serve(listener) }()
	conn, err := grpc.NewClient(listener.Addr().String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallSendMsgSize(64<<20)))
	must(t, err)
	t.Cleanup(func() {
		must(t, conn.Close())
		api.GracefulStop()
		if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			t.Error(err)
		}
	})
	return &service{
		log: log, conn: conn,
		decisions: writv1.NewDecisionServiceClient(conn), toolsets: writv1.NewToolSetServiceClient(conn),
		entries: writv1.NewLogServiceClient(conn), policies: writv1.NewPolicyServiceClient(conn), stopping: stop,
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
