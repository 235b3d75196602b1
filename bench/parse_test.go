package main

import (
	"strings"
	"testing"
	"time"
)

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

func TestParseMemory(t *testing.T) {
	resident, peak, err := parseMemory([]byte("Name:\twrit\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"))
	if err != nil || resident != 1<<20 || peak != 2<<20 {
		t.Errorf("got %d, %d, %v", resident, peak, err)
	}
	for _, status := range []string{"", "VmRSS:\t1 kB\n", "VmRSS:\tmuch\nVmHWM:\t1 kB\n", "VmRSS:\n"} {
		if _, _, err := parseMemory([]byte(status)); err == nil {
			t.Errorf("%q: want an error", status)
		}
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

func TestParseBenchmarks(t *testing.T) {
	found := parseBenchmarks([]byte("goos: linux\n" +
		"BenchmarkFresh/one_row-2  \t 7551\t 138768 ns/op\t 262 allocs/op\n" +
		"BenchmarkFresh/one_row-2  \t 7551\t 100000 ns/op\t 260 allocs/op\n" +
		"BenchmarkFresh/one_row-2  \t 7551\t 200000 ns/op\t 264 allocs/op\n" +
		"BenchmarkVerify \t 1\t 5 ns/op\t 12.5 entries/s\nBenchmarkCut 1 2\nPASS\n"))
	if len(found) != 2 || found[0].Name != "BenchmarkFresh/one_row" || found[0].Figures["ns/op"] != 138768 ||
		found[0].Figures["allocs/op"] != 262 || found[1].Figures["entries/s"] != 12.5 {
		t.Errorf("got %+v", found)
	}
}

// What other programs print is read without a panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte("BenchmarkX-2 1 5 ns/op\n"))
	f.Add([]byte(`{"total":1,"statusCodeDistribution":{"OK":1}}`))
	f.Add([]byte("7 (x) S 1 7 7 0 -1 4194560 1 2 3 4 150 50"))
	f.Add([]byte("VmRSS:\t1 kB\nVmHWM:\t1 kB\n"))
	f.Add([]byte(`msg="ledger closed" entries=12 batches=3`))
	f.Fuzz(func(_ *testing.T, content []byte) {
		parseBenchmarks(content)
		_, _ = parseReport(content)
		_, _ = parseCPU(content)
		_, _, _ = parseMemory(content)
		_, _ = parseStats(content)
	})
}
