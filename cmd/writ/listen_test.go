package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a killed service left is taken over.
func TestListenOnAnAbandonedSocket(t *testing.T) {
	path, dead := socket(t)
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := serveFlags{Listen: "unix:" + path}.listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// Of many that find the same abandoned socket, one has it.
func TestOneTakesAnAbandonedSocket(t *testing.T) {
	path, dead := socket(t)
	dead.SetUnlinkOnClose(false)
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	var took []net.Listener
	all := make(chan net.Listener)
	for range 8 {
		go func() {
			l, err := serveFlags{Listen: "unix:" + path}.listen(t.Context())
			if err != nil {
				l = nil
			}
			all <- l
		}()
	}
	for range 8 {
		if l := <-all; l != nil {
			took = append(took, l)
		}
	}
	for _, l := range took {
		l.Close()
	}
	if len(took) != 1 {
		t.Errorf("%d took the socket, want 1", len(took))
	}
}

// A service that answers keeps its socket, and a file that is none stays.
func TestListenTakesNothingFromOthers(t *testing.T) {
	path, alive := socket(t)
	defer alive.Close()
	if l, err := (serveFlags{Listen: "unix:" + path}).listen(t.Context()); err == nil {
		t.Error("took the socket of a service that runs", l.Close())
	}
	if conn, err := net.Dial("unix", path); err != nil {
		t.Error(err)
	} else {
		conn.Close()
	}
	file := filepath.Join(t.TempDir(), "notes")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := (serveFlags{Listen: "unix:" + file}).listen(t.Context()); err == nil {
		t.Error("took a file's place", l.Close())
	}
	if content, err := os.ReadFile(file); string(content) != "mine" {
		t.Errorf("the file now has %q, %v", content, err)
	}
}

func socket(t *testing.T) (string, *net.UnixListener) {
	t.Helper()
	dir, err := os.MkdirTemp("", "w") //nolint:usetesting // A socket's path has at most about 100 bytes.
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Net: "unix", Name: path})
	if err != nil {
		t.Fatal(err)
	}
	return path, l
}

func TestListenSaysWhatIsWrong(t *testing.T) {
	for address, says := range map[string]string{
		"garbage":         "expected host:port or unix:PATH",
		"127.0.0.1":       "missing port in address: expected host:port or unix:PATH",
		"127.0.0.1:":      "missing port: expected host:port or unix:PATH",
		"127.0.0.1:70000": "expected host:port or unix:PATH",
		"":                "expected host:port or unix:PATH",
		"unix:":           "names no file: expected host:port or unix:PATH",
		"0.0.0.0:0":       "reachable from other machines",
	} {
		_, err := serveFlags{Listen: address}.listen(t.Context())
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v; want %q", address, err, says)
		}
	}
}
