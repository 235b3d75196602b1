package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// A service asks its witness before the port opens: one that has seen a longer log stops
// the start, one that is away does not.
func TestServeWithAWitness(t *testing.T) {
	const key = "witness.example/w1+e42b2f2c+BDtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
	for name, c := range map[string]struct {
		status int
		body   string
		key    string
		says   string // empty: it starts
	}{
		"has seen more": {409, "99999\n", key, "the witness has seen a longer log"},
		"is away":       {503, "", key, ""},
		"no key":        {200, "", "nonsense", "--witness-key"},
	} {
		t.Run(name, func(t *testing.T) {
			remote := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
				out.Header().Set("Content-Type", "text/x.tlog.size")
				out.WriteHeader(c.status)
				_, _ = fmt.Fprint(out, c.body)
			}))
			defer remote.Close()
			var logs bytes.Buffer
			f := serveFlags{Listen: "127.0.0.1:0", Data: filepath.Join(t.TempDir(), "data"), Segment: 1 << 20, Witness: remote.URL, WitnessKey: c.key}
			running, err := startService(t.Context(), f, fstest.MapFS{}, streams{out: &logs, err: &logs})
			if err == nil {
				if err := running.stop(); err != nil {
					t.Error(err)
				}
			}
			if c.says == "" && (err != nil || !strings.Contains(logs.String(), "was not witnessed")) || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, expected %q: %s", err, c.says, logs.String())
			}
		})
	}
}
