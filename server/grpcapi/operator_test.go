package grpcapi

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// eraser remembers who erased what.
type eraser struct {
	LogReader
	sequence uint64
	by       *ledgerv1.Actor
}

func (*eraser) LogID() string { return strings.Repeat("0", 32) }

func (e *eraser) Erase(sequence uint64, by *ledgerv1.Actor, _ string) (decisions.Record, error) {
	e.sequence, e.by = sequence, by
	return decisions.Record{Entry: &ledgerv1.Entry{}}, nil
}

// R33, R35: only the operator erases: root or the service's account, over a unix socket,
// where the operating system says who it is.
func TestOnlyTheOperatorErases(t *testing.T) {
	own := uint32(os.Geteuid()) //nolint:gosec // an account's number
	for name, c := range map[string]struct {
		info credentials.AuthInfo
		code codes.Code
	}{
		"the service's account": {account{uid: own}, codes.OK},
		"root":                  {account{uid: 0}, codes.OK},
		"another account":       {account{uid: own + 4711}, codes.PermissionDenied},
		"nobody known":          {nil, codes.PermissionDenied},
		"another way":           {credentials.TLSInfo{}, codes.PermissionDenied},
	} {
		log := &eraser{}
		s := &operatorService{log: &logService{log: log}, eraser: log}
		ctx := peer.NewContext(t.Context(), &peer.Peer{AuthInfo: c.info})
		_, err := s.Erase(ctx, &writv1.EraseRequest{By: &writv1.EraseRequest_Sequence{Sequence: 7}})
		if status.Code(err) != c.code {
			t.Errorf("%s: %v, want %v", name, err, c.code)
		}
		if asked := log.by != nil; asked != (c.code == codes.OK) || asked && (log.sequence != 7 || log.by.GetBy() != "os" || log.by.GetName() == "") {
			t.Errorf("%s: erased entry %d for %v", name, log.sequence, log.by)
		}
	}
	s := &operatorService{log: &logService{log: &eraser{}}, eraser: &eraser{}}
	if _, err := s.Erase(t.Context(), &writv1.EraseRequest{}); status.Code(err) != codes.PermissionDenied {
		t.Errorf("without a peer: %v", err)
	}
	ctx := peer.NewContext(t.Context(), &peer.Peer{AuthInfo: account{uid: 0}})
	for _, m := range []*writv1.EraseRequest{
		{},
		{By: &writv1.EraseRequest_DecisionId{DecisionId: "no id"}},
		{By: &writv1.EraseRequest_Sequence{}, Reason: strings.Repeat("x", maxReason+1)},
	} {
		if _, err := s.Erase(ctx, m); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// The account is the kernel's word: a real connection over a socket has it, and one over
// the network has none.
func TestPeerOfAConnection(t *testing.T) {
	log := &eraser{}
	api, _ := New(Options{Log: log, Eraser: log})
	for _, c := range []struct {
		network, address string
		code             codes.Code
	}{
		{"unix", filepath.Join(t.TempDir(), "s"), codes.OK},
		{"tcp", "127.0.0.1:0", codes.PermissionDenied},
	} {
		l, err := new(net.ListenConfig).Listen(t.Context(), c.network, c.address)
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- api.Serve(l) }()
		target := l.Addr().String()
		if c.network == "unix" {
			target = "unix:" + target
		}
		conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = writv1.NewOperatorServiceClient(conn).Erase(context.Background(), &writv1.EraseRequest{By: &writv1.EraseRequest_Sequence{Sequence: 3}})
		if status.Code(err) != c.code {
			t.Errorf("%s: %v, want %v", c.network, err, c.code)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		t.Cleanup(func() { <-served })
	}
	api.Stop()
}
