package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// A drill with the real binary: a backup under load, kill -9, the data directory gone,
// restore, and on. What was permitted before is a repeat after (R27, R28, R31, R33), but
// for what the backup lacks, which its log id and sequence tell.
func TestDrill(t *testing.T) {
	d := newDrill(t)
	d.must("catalog", "init", d.path("catalogue"))
	d.serve()
	answers := d.load(t, func() {
		d.signed(t)
		d.must("log", "backup", d.path("data"), "--to", d.path("backup"))
		d.signed(t)
		d.must("log", "backup", d.path("data"), "--to", d.path("backup"), "--keys-to", d.path("safe"))
		d.signed(t)
		d.kill()
	})
	d.must("log", "verify", d.path("backup"), "--keys", d.path("safe"))
	if err := os.RemoveAll(d.path("data")); err != nil {
		t.Fatal(err)
	}
	var restored struct {
		Old     string `json:"old_log_id"`
		Entries uint64 `json:"old_entries"`
		Lost    uint64 `json:"known_lost"`
	}
	if err := json.Unmarshal(d.must("log", "restore", d.path("backup"), "--data", d.path("data"), "-o", "json"), &restored); err != nil {
		t.Fatal(err)
	}
	client := d.serve()
	kept, lost := 0, uint64(0)
	for key, was := range answers {
		if kept == 200 { // what ran before the restore is reported after it
			d.reported(t, key, was.GetDecisionId(), was.GetLog().GetSequence() < restored.Entries)
		}
		if was.GetLog().GetSequence() >= restored.Entries {
			lost++
			continue
		}
		if kept++; kept > 200 {
			continue
		}
		got, err := client.Decide(t.Context(), permitted(key))
		if err != nil {
			t.Fatal(err)
		}
		if got.GetDecisionId() != was.GetDecisionId() || got.GetRepeat().GetFirstResult() != writv1.Result_RESULT_UNKNOWN || got.GetLog().GetLogId() == restored.Old {
			t.Errorf("%s was answered as %s, after the restore as %v", key, was.GetDecisionId(), got)
		}
	}
	t.Logf("%d answers, %d of them in the backup, %d known to be lost", len(answers), kept, restored.Lost)
	// What was logged and not answered any more when the service was killed: at most a
	// call of each gateway.
	if kept == 0 || lost+callers < restored.Lost || restored.Lost == 0 {
		t.Errorf("%d answers kept and %d lost: this proves nothing", kept, lost)
	}
	d.kill()
	d.must("log", "verify", d.path("data"))
}

// callers are the gateways that ask at once.
const callers = 16

// drill is an operator at a terminal, with a service and its gateways.
type drill struct {
	t       *testing.T
	dir     string
	writ    string
	running *exec.Cmd
	client  writv1.DecisionServiceClient
	log     writv1.LogServiceClient
}

func newDrill(t *testing.T) *drill {
	t.Helper()
	path, err := exec.LookPath("writ")
	if err != nil {
		t.Fatal(err)
	}
	return &drill{t: t, dir: t.TempDir(), writ: path}
}

func (d *drill) path(name string) string { return filepath.Join(d.dir, name) }

// must runs a command that succeeds, and returns what it printed.
func (d *drill) must(args ...string) []byte {
	d.t.Helper()
	cmd := exec.CommandContext(d.t.Context(), d.writ, args...) //nolint:gosec // our own binary
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		d.t.Errorf("writ %s: %v\n%s", strings.Join(args, " "), err, &complaint)
	}
	return out
}

// serve starts the service, and returns a gateway's connection to it.
func (d *drill) serve() writv1.DecisionServiceClient {
	d.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(d.writ, "serve", "--listen", address, "--data", d.path("data"), "--catalog", d.path("catalogue")) //nolint:gosec // killed below
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.running = cmd
	d.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if err := answering(address); err != nil {
		d.t.Fatal(err)
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = conn.Close() })
	d.client, d.log = writv1.NewDecisionServiceClient(conn), writv1.NewLogServiceClient(conn)
	return d.client
}

// reported reports a decision of the old log, kept or lost; of one that was kept, the
// next repeat says what happened.
func (d *drill) reported(t *testing.T, key, decision string, kept bool) {
	t.Helper()
	if _, err := d.client.Report(t.Context(), &writv1.ReportRequest{DecisionId: decision, Result: writv1.Result_RESULT_SUCCEEDED}); err != nil {
		t.Error(err)
	}
	got, err := d.client.Decide(t.Context(), permitted(key))
	if err != nil {
		t.Fatal(err)
	}
	if known := got.GetRepeat().GetFirstResult() == writv1.Result_RESULT_SUCCEEDED; known != kept {
		t.Errorf("%s was reported, kept %v, and a repeat says %v", decision, kept, got.GetRepeat())
	}
}

// signed waits for a checkpoint of all that was answered so far.
func (d *drill) signed(t *testing.T) {
	t.Helper()
	answer, err := d.client.Decide(t.Context(), permitted(""))
	if err == nil {
		_, err = d.log.ProveInclusion(t.Context(), &writv1.ProveInclusionRequest{By: &writv1.ProveInclusionRequest_Sequence{Sequence: answer.GetLog().GetSequence()}})
	}
	if err != nil {
		t.Error(err)
	}
}

func (d *drill) kill() {
	d.t.Helper()
	if err := d.running.Process.Kill(); err != nil {
		d.t.Error(err)
	}
	_ = d.running.Wait()
}

// load asks without a pause, with a key for each call, until the service is gone, and
// returns what was answered. Meanwhile, once there are answers, something happens.
func (d *drill) load(t *testing.T, meanwhile func()) map[string]*writv1.DecideResponse {
	t.Helper()
	var mu sync.Mutex
	answers := map[string]*writv1.DecideResponse{}
	var gateways sync.WaitGroup
	begun := make(chan struct{})
	for gateway := range callers {
		gateways.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprint(gateway, "-", i)
				answer, err := d.client.Decide(context.Background(), permitted(key))
				if err != nil {
					return
				}
				mu.Lock()
				if answers[key] = answer; len(answers) == 200 {
					close(begun)
				}
				mu.Unlock()
			}
		})
	}
	<-begun
	meanwhile()
	gateways.Wait()
	return answers
}

// permitted is a call that the sample catalogue permits.
func permitted(key string) *writv1.DecideRequest {
	return &writv1.DecideRequest{
		Workspace: "demo", Automation: "mail-triage", Release: "1.4", Stage: "limited", Server: "mail", Tool: "search_messages",
		ToolsetFingerprint: "fp1:e03d152b285edd392def7eca39289047fc2993e8c31d7e15c1fcb9138038ad80",
		Arguments:          &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: `{"query": "invoice"}`},
		IdempotencyKey:     key,
	}
}
