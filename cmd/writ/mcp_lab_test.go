package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/writ-dev/writ/catalog"
	writ "github.com/writ-dev/writ/clients/go"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// lab is one reviewer, one operator and one gateway, with the product's own commands.
type lab struct {
	catalog, data string
	// served is the directory that the filesystem server is started with.
	served  string
	address string
	client  *writ.Client
	// asked are the answers so far.
	asked []*writv1.DecideResponse
}

// connection is a server as the gateway's configuration knows it, and its review.
type connection struct {
	name   string
	at     npmPackage
	review []toolReview
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir := t.TempDir()
	l := &lab{catalog: filepath.Join(dir, "catalog"), data: filepath.Join(dir, "data"), served: filepath.Join(dir, "notes")}
	for _, d := range []string{l.served, "toolsets", "reviews", "releases"} {
		if !filepath.IsAbs(d) {
			d = filepath.Join(l.catalog, d)
		}
		if err := os.MkdirAll(d, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// writ runs one command, expects its exit code, and returns what it printed.
func (l *lab) writ(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, err bytes.Buffer
	if got := run(t.Context(), args, streams{strings.NewReader(""), &out, &err}); got != code {
		t.Fatalf("writ %s: exit %d, want %d\n%s%s", strings.Join(args, " "), got, code, &out, &err)
	}
	return out.String()
}

// write puts a file into the catalogue.
func (l *lab) write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(l.catalog, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fetch starts a server and returns its list, one page a line.
func (l *lab) fetch(t *testing.T, p npmPackage) string {
	t.Helper()
	args := []string{"toolset", "fetch", "-q", "--", "node", p.program()}
	if p.name == "server-filesystem" {
		args = append(args, l.served)
	}
	return l.writ(t, exitOK, args...)
}

// review takes a server into the catalogue: fetch, init, fill.
func (l *lab) review(t *testing.T, c connection) {
	t.Helper()
	list := "toolsets/" + c.name + ".json"
	l.write(t, list, l.fetch(t, c.at))
	skeleton := l.writ(t, exitOK, "review", "init", "--server", c.name, "--workspace", "lab", filepath.Join(l.catalog, list))
	file := "reviews/" + c.name + ".yaml"
	l.write(t, file, skeleton)
	if open := l.writ(t, exitFailed, "catalog", "check", l.catalog); !strings.Contains(open, file) || !strings.Contains(open, "trait_not_stated") {
		t.Fatalf("a skeleton leaves every trait open, and the check says:\n%s", open)
	}
	l.write(t, file, fill(skeleton, c.review, fmt.Sprintf("code of %s %s as installed", c.at.name, c.at.version)))
	l.writ(t, exitOK, "catalog", "check", l.catalog)
}

// release pins every list as it was fetched.
func (l *lab) release(t *testing.T, version, stage string, connections []connection) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "workspace: lab\nautomation: notes-agent\nrelease: %q\nstage: %s\nauthor: automation-team\nservers:\n", version, stage)
	for _, c := range connections {
		list := "toolsets/" + c.name + ".json"
		fingerprint := strings.TrimSpace(l.writ(t, exitOK, "toolset", "fingerprint", filepath.Join(l.catalog, list)))
		fmt.Fprintf(&b, "  - name: %s\n    toolset: %s\n    fingerprint: %s\n    tools:\n", c.name, list, fingerprint)
		for _, r := range c.review {
			fmt.Fprintf(&b, "      - %s\n", r.tool)
		}
	}
	l.write(t, "releases/"+version+".yaml", b.String())
}

// serve is the command `writ serve`, until the returned function stops it.
func (l *lab) serve(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	logged := &servingLog{address: make(chan string, 1)}
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--catalog", l.catalog, "--data", l.data},
			streams{strings.NewReader(""), io.Discard, logged})
	}()
	select {
	case l.address = <-logged.address:
	case code := <-ended:
		cancel()
		t.Fatalf("writ serve: exit %d\n%s", code, &logged.text)
	}
	client, err := writ.Dial(l.address, writ.Options{})
	if err != nil {
		t.Error(err)
	}
	l.client = client
	return func() {
		_ = client.Close()
		cancel()
		if code := <-ended; code != exitOK {
			t.Errorf("writ serve: exit %d\n%s", code, &logged.text)
		}
	}
}

// servingLog waits for the line that says where the service listens.
type servingLog struct {
	text    bytes.Buffer
	address chan string
}

func (w *servingLog) Write(p []byte) (int, error) {
	if m := regexp.MustCompile(`msg=serving address=(\S+)`).FindSubmatch(p); m != nil {
		w.address <- string(m[1])
	}
	return w.text.Write(p)
}

// held is a tool list as a gateway holds it.
type held struct {
	server string
	seen   *writv1.ObserveResponse
	list   *catalog.ToolSet
}

// observe shows the service a list that the gateway fetched.
func (l *lab) observe(t *testing.T, server, pages string) held {
	t.Helper()
	request := &writv1.ObserveRequest{Workspace: "lab", Server: server}
	for page := range strings.Lines(pages) {
		request.Pages = append(request.Pages, []byte(page))
	}
	seen, err := writv1.NewToolSetServiceClient(l.client.Conn()).Observe(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	list, err := catalog.ParseToolSet(request.GetPages()...)
	if err != nil {
		t.Fatal(err)
	}
	return held{server: server, seen: seen, list: list}
}

// call is what the agent wants, with all that the gateway knows: the list that it
// holds, and the hints that the list has.
func (h held) call(release, tool, arguments string) *writv1.DecideRequest {
	hints := h.list.Tool(tool).Hints
	return &writv1.DecideRequest{
		Workspace: "lab", Automation: "notes-agent", Release: release, Stage: "general",
		Server: h.server, Tool: tool,
		ToolsetFingerprint: h.seen.GetToolsetFingerprint(), ProseDigest: h.seen.GetProseDigest(),
		Hints: &writv1.Hints{
			ReadOnly: hints.ReadOnly.Bool(), Destructive: hints.Destructive.Bool(),
			Idempotent: hints.Idempotent.Bool(), OpenWorld: hints.OpenWorld.Bool(),
		},
		Arguments: &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: arguments},
		Process:   "notes-worker", Session: "s-1", Credential: "notes-team",
	}
}

// decide asks, and checks that the answer is what stands in the log (R31, R34).
func (l *lab) decide(t *testing.T, call *writv1.DecideRequest) (writ.Answer, *writv1.LogEntry) {
	t.Helper()
	answer, err := l.client.Decide(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	r := answer.Response()
	l.asked = append(l.asked, r)
	entry := &writv1.LogEntry{}
	shown := l.writ(t, exitOK, "log", "show", r.GetDecisionId(), "--address", l.address, "-o", "json")
	if err := protojson.Unmarshal([]byte(shown), entry); err != nil {
		t.Fatal(err)
	}
	outcome, reason := final(entry.GetEntry())
	if !strings.Contains(shown, fmt.Sprintf("\"%x\"", r.GetLog().GetLeafHash())) ||
		writv1.Outcome(outcome) != r.GetOutcome() || reason.GetSentence() != r.GetReason().GetSentence() {
		t.Errorf("the log holds something else than was answered:\n%s\nanswer: %v", shown, r)
	}
	return answer, entry
}

// verify checks the log offline and counts its decisions.
func (l *lab) verify(t *testing.T) {
	t.Helper()
	var report struct {
		Decisions int `json:"decisions"`
	}
	if err := json.Unmarshal([]byte(l.writ(t, exitOK, "log", "verify", l.data, "-o", "json")), &report); err != nil {
		t.Fatal(err)
	}
	if report.Decisions != len(l.asked) {
		t.Errorf("the log holds %d decisions, %d were answered", report.Decisions, len(l.asked))
	}
}
