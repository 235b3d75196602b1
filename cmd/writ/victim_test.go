package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// victim is the service as its own process, which comes to harm.
type victim struct {
	t    *testing.T
	dir  string
	writ string
	cmd  *exec.Cmd
	said *bytes.Buffer // what it printed; to be read once it is gone
	gone chan struct{} // closed when the process has ended
	err  error         // how it ended, then
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	writ, err := exec.LookPath("writ")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "writ") //nolint:usetesting // short: a socket's name has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	v := &victim{t: t, dir: dir, writ: writ}
	t.Cleanup(func() { v.kill(); _ = os.RemoveAll(dir) })
	if out, err := exec.Command(writ, "catalog", "init", v.path("catalogue")).CombinedOutput(); err != nil { //nolint:gosec // our own binary
		t.Fatalf("%v\n%s", err, out)
	}
	return v
}

func (v *victim) path(name string) string { return filepath.Join(v.dir, name) }
func (v *victim) address() string         { return "unix:" + v.path("socket") }

// start starts the service, under another program where one is named.
func (v *victim) start(under ...string) {
	v.t.Helper()
	args := append(slices.Clone(under), v.writ, "serve", "--listen", v.address(), "--data", v.path("data"), "--catalog", v.path("catalogue"))
	v.cmd, v.said, v.gone = exec.Command(args[0], args[1:]...), &bytes.Buffer{}, make(chan struct{}) //nolint:gosec // our own binary
	v.cmd.Stderr = v.said
	if err := v.cmd.Start(); err != nil {
		v.t.Fatal(err)
	}
	go func() { v.err = v.cmd.Wait(); close(v.gone) }()
}

// ready waits until the service answers. It is false where the process ended first.
func (v *victim) ready() bool {
	v.t.Helper()
	conn := v.dial()
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		select {
		case <-v.gone:
			cancel()
		case <-ctx.Done():
		}
	}()
	_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	return err == nil
}

func (v *victim) dial() *grpc.ClientConn {
	v.t.Helper()
	conn, err := grpc.NewClient(v.address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		v.t.Fatal(err)
	}
	return conn
}

func (v *victim) kill() {
	if v.cmd == nil {
		return
	}
	_ = v.cmd.Process.Kill()
	<-v.gone
}

// stop asks it to end, and returns how it did.
func (v *victim) stop() error {
	_ = v.cmd.Process.Signal(syscall.SIGTERM)
	<-v.gone
	return v.err
}

// kept is what gateways were answered, over all lives of the service. It is kept in
// another process than the service's.
type kept struct {
	mu     sync.Mutex
	leaves map[uint64]string // hex, by sequence
	ids    map[string]string // the decision that a key stands for
	firsts map[string]bool   // keys whose first answer was seen
	wrong  error
}

func newKept() *kept {
	return &kept{leaves: map[uint64]string{}, ids: map[string]string{}, firsts: map[string]bool{}}
}

func (k *kept) size() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.leaves)
}

// take keeps an answer, which must agree with those before it (R27).
func (k *kept) take(key string, a *writv1.DecideResponse) {
	k.mu.Lock()
	defer k.mu.Unlock()
	sequence, leaf := a.GetLog().GetSequence(), hex.EncodeToString(a.GetLog().GetLeafHash())
	if before, twice := k.leaves[sequence]; twice {
		k.wrong = errors.Join(k.wrong, fmt.Errorf("two answers have sequence %d: %s and %s", sequence, before, leaf))
	}
	k.leaves[sequence] = leaf
	if key == "" {
		return
	}
	if id, known := k.ids[key]; known && id != a.GetDecisionId() {
		k.wrong = errors.Join(k.wrong, fmt.Errorf("key %s is decision %s and %s", key, id, a.GetDecisionId()))
	}
	k.ids[key] = a.GetDecisionId()
	if a.GetRepeat() == nil && k.firsts[key] {
		k.wrong = errors.Join(k.wrong, fmt.Errorf("key %s is new twice, at last in entry %d", key, sequence))
	}
	k.firsts[key] = k.firsts[key] || a.GetRepeat() == nil
}

// load has 16 connections ask without a pause until the service is gone; half of the
// calls have a key, and many of these were used before. At some number of answers
// something happens.
func (k *kept) load(v *victim, round, answers int, then func()) {
	enough, at := make(chan struct{}), k.size()+answers
	var once sync.Once
	var gateways sync.WaitGroup
	for gateway := range 16 {
		r := rand.New(rand.NewPCG(uint64(round), uint64(gateway)))
		conn := v.dial()
		gateways.Go(func() {
			defer conn.Close()
			for client := writv1.NewDecisionServiceClient(conn); ; {
				key := []string{"", "", fmt.Sprint(round, "-", r.IntN(300)), fmt.Sprint(r.IntN(round+1), "-", r.IntN(300))}[r.IntN(4)]
				answer, err := client.Decide(context.Background(), permitted(key))
				if err == nil {
					k.take(key, answer)
				}
				if k.size() >= at || err != nil {
					once.Do(func() { close(enough) })
				}
				if err != nil && !passes(v, err) {
					return
				}
			}
		})
	}
	<-enough
	then()
	gateways.Wait()
}

// passes says whether an error may pass by itself: the service is there, and the log has
// no room at the moment.
func passes(v *victim, err error) bool {
	select {
	case <-v.gone:
		return false
	case <-time.After(time.Millisecond):
		return status.Code(err) == codes.Unavailable
	}
}

// check reads the log of the running service, newest first, down to an entry, and
// compares it with what was answered. It returns the size of the log.
func (k *kept) check(ctx context.Context, v *victim, down uint64) (size uint64, err error) {
	conn := v.dial()
	defer conn.Close()
	found := map[uint64]string{}
	for token := ""; ; {
		page, err := writv1.NewLogServiceClient(conn).ListEntries(ctx, &writv1.ListEntriesRequest{PageSize: 1000, Filter: &writv1.EntryFilter{AllKinds: true}, PageToken: token})
		if err != nil {
			return 0, err
		}
		oldest := uint64(0)
		for _, e := range page.GetEntries() {
			oldest = e.GetPosition().GetSequence()
			size = max(size, oldest+1)
			leaf := sha256.Sum256(append([]byte{0}, e.GetRaw()...))
			found[oldest] = hex.EncodeToString(leaf[:])
		}
		if token = page.GetNextPageToken(); token == "" || oldest <= down {
			break
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for sequence, leaf := range k.leaves {
		if sequence >= down && found[sequence] != leaf {
			return size, fmt.Errorf("acknowledged entry %d with leaf %s is now %q, of %d entries", sequence, leaf, found[sequence], size)
		}
	}
	return size, k.wrong
}
