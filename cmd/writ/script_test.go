package main

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// In the scripts "writ" is this test binary run as the command: a real process.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"writ": main})
}

// The scripts in testdata/script are sessions of a user at a terminal. Commands
// of their own: "edit FILE OLD NEW" replaces text, "capture NAME FILE EXPRESSION" sets
// a variable, and "serving NAME ARG…" starts writ serve on a free port, sets
// $WRIT_ADDRESS, and is stopped with "stop NAME"; "longlog DIR" makes a log of several files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:             "testdata/script",
		UpdateScripts:   *update,
		ContinueOnError: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"edit": edit, "flip": flip, "capture": capture, "serving": serving, "stop": stop, "longlog": longlog,
		},
	})
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	before := ts.ReadFile(args[0])
	if !strings.Contains(before, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(before, args[1], args[2])), 0o600))
}

// flip changes one bit of a file, at the first place that holds a text.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip FILE TEXT")
	}
	content := []byte(ts.ReadFile(args[0]))
	at := bytes.Index(content, []byte(args[1]))
	if at < 0 {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	content[at] ^= 1
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), content, 0o600))
}

// capture sets a variable to what an expression's first group finds in a file.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: capture NAME FILE EXPRESSION")
	}
	found := regexp.MustCompile(args[2]).FindStringSubmatch(ts.ReadFile(args[1]))
	if len(found) != 2 {
		ts.Fatalf("%s has nothing that fits %s", args[1], args[2])
	}
	ts.Setenv(args[0], found[1])
}

type running struct {
	cmd *exec.Cmd
	out *bytes.Buffer
}

func serving(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serving NAME ARG…")
	}
	address := freePort(ts)
	path, err := exec.LookPath("writ")
	ts.Check(err)
	r := &running{out: &bytes.Buffer{}}
	r.cmd = exec.Command(path, append([]string{"serve", "--listen", address}, args[1:]...)...) //nolint:gosec // the script's own words
	r.cmd.Dir, r.cmd.Env, r.cmd.Stderr = ts.Getenv("WORK"), os.Environ(), r.out
	ts.Check(r.cmd.Start())
	ts.Defer(func() { _ = r.cmd.Process.Kill(); _ = r.cmd.Wait() })
	services.Store(ts.Name()+" "+args[0], r)
	ts.Setenv("WRIT_ADDRESS", address)
	ts.Check(answering(address))
}

func stop(ts *testscript.TestScript, neg bool, args []string) {
	v, found := services.LoadAndDelete(ts.Name() + " " + strings.Join(args, " "))
	if neg || !found {
		ts.Fatalf("usage: stop NAME, of a service that runs")
	}
	r := v.(*running)
	ts.Check(r.cmd.Process.Signal(syscall.SIGTERM))
	if err := r.cmd.Wait(); err != nil {
		ts.Fatalf("it did not stop in order: %v\n%s", err, r.out)
	}
	ts.Logf("%s", r.out)
}

func freePort(ts *testscript.TestScript) string {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	ts.Check(err)
	defer func() { ts.Check(l.Close()) }()
	return l.Addr().String()
}

// answering waits for the connection and for the first answer on it.
func answering(address string) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	_, err = healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{}, grpc.WaitForReady(true))
	return errors.Join(err, conn.Close())
}

// services are what runs, by script and name.
var services sync.Map
