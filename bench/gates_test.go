package main

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

// ofGhz makes one round at 64 callers by ghz, beside a health check of a thousand
// answers in a second of CPU.
func ofGhz(answers int, cpu, p99 time.Duration) []run {
	return []run{oneRound(health, 64, 1000, time.Second, ms, 2*ms), oneRound(decide, 64, answers, cpu, 2*ms, p99)}
}

// Only the bound fails a run; what misses the aim is said.
func TestDecideGates(t *testing.T) {
	for _, c := range []struct {
		name     string
		runs     []run
		verdicts string
		failed   string // what the error names; empty: passes
	}{
		{"as promised", ofGhz(550, 1300*ms, 4*ms), "reached reached reached", ""},
		{"good enough", ofGhz(400, 1500*ms, 6*ms), "not yet not yet not yet", ""},
		{"too slow", ofGhz(300, 700*ms, 4*ms), "FAILED reached reached", "answers per second"},
		{"too dear", ofGhz(600, 2500*ms, 4*ms), "reached FAILED reached", "server CPU"},
		{"too late", ofGhz(600, 1000*ms, 20*ms), "reached reached FAILED", "p99"},
	} {
		gates := decideGates(c.runs, nil)
		var words []string
		for _, g := range gates {
			words = append(words, g.verdict())
		}
		if got := strings.Join(words, " "); got != c.verdicts {
			t.Errorf("%s: got %q, want %q", c.name, got, c.verdicts)
		}
		err := failed(gates)
		if c.failed == "" && err != nil || c.failed != "" && (err == nil || !strings.Contains(err.Error(), c.failed)) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.failed)
		}
	}
}

// Where nothing was measured, nothing passes: a ratio to nothing is no number.
func TestNoNumberIsNoPass(t *testing.T) {
	for _, g := range []gate{atLeast("", math.NaN(), 0, 0), atMost("", math.NaN(), 1, 1)} {
		if failed([]gate{g}) == nil {
			t.Errorf("%+v passes", g)
		}
	}
	if len(decideGates(nil, nil)) != 0 {
		t.Error("gates on loads that were not run")
	}
}

// At one caller, the disk's own time is part of what nobody can be faster than.
func TestAloneCountsTheDisk(t *testing.T) {
	runs := []run{oneRound(health, 1, 10, ms, 2*ms, ms), oneRound(decide, 1, 10, ms, 9*ms, ms)}
	if got := alone(runs, []time.Duration{4 * ms}); got != 1.5 {
		t.Errorf("9 ms against 2 ms and a sync of 4 ms: got %v, want 1.5", got)
	}
}

func TestMixGates(t *testing.T) {
	runs := func(mixed, logged int) []run {
		all := []run{
			oneRound(plain, 64, 1000, time.Second, ms, ms), oneRound(mix, 64, mixed, time.Second, ms, ms),
			oneRound(empty, batchCallers, 1000, time.Second, ms, ms), oneRound(batch, batchCallers, 90_000, time.Second, ms, ms),
		}
		all[1].Logged = uint64(logged)
		return all
	}
	for name, c := range map[string]struct {
		runs   []run
		failed string
	}{
		"good":       {runs(1000, 1000), ""},
		"falls":      {runs(100, 100), "mix / plain"},
		"not logged": {runs(1000, 999), "not in the log"},
	} {
		err := failed(mixGates(c.runs, 64))
		if c.failed == "" && err != nil || c.failed != "" && (err == nil || !strings.Contains(err.Error(), c.failed)) {
			t.Errorf("%s: got %v, want %q", name, err, c.failed)
		}
	}
}

func TestMemoryAndCodeGates(t *testing.T) {
	if memoryGate(400<<20).verdict() != "reached" || memoryGate(401<<20).verdict() != "not yet" || failed([]gate{memoryGate(800 << 20)}) == nil {
		t.Error("400 MiB is the aim, and there is a limit")
	}
	gates := codeGates([]benchmark{
		{Name: "BenchmarkEvaluateFresh/one_row", Figures: map[string]float64{"ns/op": 20_000}},
		{Name: "BenchmarkEvaluateFresh/three_rows", Figures: map[string]float64{"ns/op": 900_000, "allocs/op": 900}},
		{Name: "BenchmarkEvaluateFreshly", Figures: map[string]float64{"ns/op": 900_000}},
	})
	verdicts := map[string]string{}
	for _, g := range gates {
		verdicts[g.Name] = g.verdict()
	}
	for name, want := range map[string]string{
		"answer evaluated afresh, µs/one_row":             "reached",
		"answer evaluated afresh, µs/three_rows":          "not yet",
		"answer evaluated afresh, allocations/three_rows": "FAILED",
		"answer evaluated afresh, µsly":                   "",
		"index rebuilt, entries per second: not measured": "FAILED",
		"remembered answer, allocations: not measured":    "FAILED",
	} {
		if verdicts[name] != want {
			t.Errorf("%s: got %q, want %q", name, verdicts[name], want)
		}
	}
	if codeGates(nil) != nil {
		t.Error("gates where nothing was asked for")
	}
}

// Ratios are taken within a round: a machine that slows down for one round slows
// both loads, and the ratio stays.
func TestRatioIsTakenWithinARound(t *testing.T) {
	at := func(n int) run { return run{Answers: n, Took: time.Second} }
	if got := ratio([]run{at(500), at(50), at(1000)}, []run{at(1000), at(100), at(2000)}, run.perSecond); got != 0.5 {
		t.Errorf("got %v, want 0.5", got)
	}
	if got := median([]int{9, 1, 5, 7}); got != 5 {
		t.Errorf("median of four: got %v, want the lower middle, 5", got)
	}
	if median([]int(nil)) != 0 {
		t.Error("the median of nothing is not nothing")
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

// docs/performance.md lists every flag.
func TestFlagsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	flagsOf(&settings{}).VisitAll(func(f *flag.Flag) {
		if !bytes.Contains(page, []byte("`-"+f.Name+"`")) {
			t.Errorf("docs/performance.md does not say what -%s does", f.Name)
		}
	})
}

// A saved result is what was printed as JSON, and its charts lie beside it.
func TestDeliverSaves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	h := &headline{Runs: ofGhz(400, time.Second, ms)}
	var out bytes.Buffer
	if err := (settings{output: "json", save: dir}).deliver(h, &out); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "decide.json"))
	if err != nil || !bytes.Equal(content, out.Bytes()) || !bytes.Contains(content, []byte(`"answers": 400`)) {
		t.Errorf("saved and printed differ, or hold no run: %v\n%s", err, content)
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "decide-rounds.svg")); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("no chart: %v", err)
	}
	if page, err := os.ReadFile(filepath.Join(dir, "decide.md")); err != nil || !bytes.Contains(page, []byte("](decide-rounds.svg)")) {
		t.Errorf("no page that shows the chart: %v\n%s", err, page)
	}
	out.Reset()
	if err := (settings{output: "table"}).deliver(h, &out); err != nil || out.Len() == 0 {
		t.Errorf("no table: %v", err)
	}
}
