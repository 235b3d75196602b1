package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protodelim"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// A service that is asked the same thing again and again shows only its memory.
func TestCallsDiffer(t *testing.T) {
	at := site{tools: 100, id: identity{Fingerprint: "fp1:" + strings.Repeat("a", 64)}}
	seen := map[string]bool{}
	changed := 0
	for i := range 5000 {
		call, err := at.call(i)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(call.GetArgumentsJson()); n < 250 || n > 400 {
			t.Fatalf("call %d has %d bytes of arguments, want about 300", i, n)
		}
		if call.GetToolsetFingerprint() != at.id.Fingerprint {
			changed++
		}
		seen[call.GetArgumentsJson()] = true
	}
	if len(seen) != 5000 || changed != 50 {
		t.Errorf("%d different calls and %d changed fingerprints, want 5000 and 50", len(seen), changed)
	}
}

// ghz reads each message behind its length as a varint, which is protodelim's form.
func TestCallsAreDelimited(t *testing.T) {
	at := site{tools: 3, calls: filepath.Join(t.TempDir(), "calls")}
	if err := writeCalls(at, 3); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(at.calls)
	if err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(bytes.NewReader(content))
	for i := range 4 {
		var call writv1.DecideRequest
		err := protodelim.UnmarshalFrom(r, &call)
		if i == 3 {
			if !errors.Is(err, io.EOF) {
				t.Fatalf("after the last call: %v, want the end", err)
			}
			return
		}
		if err != nil || call.GetTool() != toolName(i) {
			t.Fatalf("call %d: %v, tool %q", i, err, call.GetTool())
		}
	}
}

func TestParseReport(t *testing.T) {
	const whole = `{"total":2000000000,"statusCodeDistribution":{"OK":10},
		"latencyDistribution":[{"percentage":50,"latency":100},{"percentage":99,"latency":900}]}`
	r, err := parseReport([]byte(whole))
	if err != nil || r.at(50) != 100 || r.at(99) != 900 || r.Status["OK"] != 10 || r.Total != 2*time.Second {
		t.Errorf("got %+v, %v", r, err)
	}
	for name, content := range map[string]string{
		"failed calls": strings.Replace(whole, `"total"`, `"errorDistribution":{"unavailable":1},"total"`, 1),
		"no answers":   strings.Replace(whole, `"OK":10`, `"OK":0`, 1),
		"no latencies": `{"total":1,"statusCodeDistribution":{"OK":10}}`,
		"no JSON":      `panic`,
	} {
		if _, err := parseReport([]byte(content)); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestParseCPU(t *testing.T) {
	stat := "7 (a (b) c) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 9 0 100"
	if got, err := parseCPU([]byte(stat)); err != nil || got != 2*time.Second {
		t.Errorf("got %v, %v, want 2s", got, err)
	}
	if _, err := parseCPU([]byte("7 (x) S 1")); err == nil {
		t.Error("too few fields: want an error")
	}
}

func TestParseStats(t *testing.T) {
	want := ledgerStats{Entries: 12, Batches: 3, Syncs: 4, Bytes: 99}
	for _, line := range []string{
		`time=2026-01-01 level=INFO msg="ledger closed" entries=12 batches=3 syncs=4 bytes=99`,
		`{"level":"INFO","msg":"ledger closed","entries":12,"batches":3,"syncs":4,"bytes":99}`,
	} {
		if got, err := parseStats([]byte("entries=1 batches=1\n" + line + "\n")); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", line, got, err)
		}
	}
	for _, log := range []string{"", `msg="ledger closed"`} {
		if _, err := parseStats([]byte(log)); err == nil {
			t.Errorf("%q: want an error", log)
		}
	}
}

// runsOf makes one round of each load at 64 callers.
func runsOf(decideAnswers int, cpu time.Duration, logged uint64) []run {
	return []run{
		{Load: health, Callers: 64, Answers: 1000, Took: time.Second, P50: 1, P99: 2, CPU: time.Second},
		{Load: decide, Callers: 64, Answers: decideAnswers, Took: time.Second, P50: 2, P99: 6, CPU: cpu, Logged: logged},
	}
}

func TestGates(t *testing.T) {
	for _, c := range []struct {
		name   string
		runs   []run
		missed string // what the error names; empty: passes
	}{
		{"good enough", runsOf(400, 1600*time.Millisecond, 400), ""},
		{"too slow", runsOf(399, time.Second, 399), "answers per second"},
		{"too dear", runsOf(500, 2001*time.Millisecond, 500), "server CPU"},
		{"not logged", runsOf(500, time.Second, 499), "not in the log"},
	} {
		r := result{Settings: settings{Concurrency: levels{64}}, Runs: c.runs}
		r.judge()
		err := r.missed()
		if c.missed == "" && err != nil || c.missed != "" && (err == nil || !strings.Contains(err.Error(), c.missed)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.missed)
		}
	}
}

// Ratios are taken within a round: a machine that slows down for one round slows
// both loads, and the ratio stays.
func TestRatioIsTakenWithinARound(t *testing.T) {
	at := func(n int) run { return run{Answers: n, Took: time.Second} }
	healthRuns := []run{at(1000), at(100), at(2000)}
	decideRuns := []run{at(500), at(50), at(1000)}
	if got := ratio(decideRuns, healthRuns, run.perSecond); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := median([]int{9, 1, 5, 7}); got != 5 {
		t.Errorf("median of four: got %v, want the lower middle, 5", got)
	}
}

func TestFlags(t *testing.T) {
	s, err := parse([]string{"-concurrency", "2,8", "-rounds", "1"}, io.Discard)
	if err != nil || s.Concurrency.String() != "2,8" || s.Rounds != 1 {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, args := range []string{"-concurrency=0", "-o=xml", "-rounds=0", "-duration=1ms", "-requests=1", "-nonsense"} {
		if _, err := parse([]string{args}, io.Discard); err == nil {
			t.Errorf("%s: want an error", args)
		}
	}
}

func TestDeliverSavesJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	r := result{Settings: settings{Concurrency: levels{64}}, Runs: runsOf(400, time.Second, 400)}
	r.judge()
	var out bytes.Buffer
	if err := r.deliver(settings{output: "json", save: dir}, &out); err != nil {
		t.Fatal(err)
	}
	saved, err := filepath.Glob(filepath.Join(dir, "decide-*.json"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("saved %v, %v", saved, err)
	}
	content, err := os.ReadFile(saved[0])
	if err != nil || !bytes.Equal(content, out.Bytes()) || !bytes.Contains(content, []byte(`"rate_ratio": 0.4`)) {
		t.Errorf("saved and printed differ, or hold no ratio: %v\n%s", err, content)
	}
}
