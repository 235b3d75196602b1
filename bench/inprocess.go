package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// benchmark is what one Go benchmark found: the median of its runs, by unit.
type benchmark struct {
	Package string             `json:"package"`
	Name    string             `json:"name"`
	Figures map[string]float64 `json:"figures"`
}

// suite is some of a package's benchmarks.
type suite struct {
	pkg, pattern string
	// flags of go test; a suite that is long has some.
	flags []string
}

// suites are the figures that are measured in process.
func suites() []suite {
	return []suite{
		{"./rego", "^BenchmarkEvaluate(Fresh|Remembered)$", nil},
		{"./server", "^Benchmark(DecideParallel|BatchDecide)$", nil},
		{"./catalog", "^Benchmark(ToolSetRatio|CheckArguments)$", nil},
		// It has rounds of its own.
		{"./decisions/ledger", "^BenchmarkAgainstTwin$", []string{"-benchtime", "1x", "-count", "1"}},
		{"./decisions/ledger", "^BenchmarkVerify$", []string{"-benchtime", "1x", "-count", "3", "-cpu", "1"}},
		{"./decisions/ledger", "^BenchmarkRebuild$", []string{"-benchtime", "1x", "-count", "3"}},
	}
}

// inProcess runs the suites.
func inProcess(ctx context.Context, progress io.Writer) ([]benchmark, error) {
	var all []benchmark
	for _, s := range suites() {
		_, _ = fmt.Fprintf(progress, "in process: %s of %s\n", s.pattern, s.pkg)
		args := append([]string{"test", "-run", "^$", "-bench", s.pattern, "-benchmem", "-count", "5"}, s.flags...)
		out, err := exec.CommandContext(ctx, "go", append(args, s.pkg)...).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("go test -bench %s %s: %w: %s", s.pattern, s.pkg, err, out)
		}
		found := parseBenchmarks(out)
		if len(found) == 0 {
			return nil, fmt.Errorf("go test -bench %s %s ran no benchmark", s.pattern, s.pkg)
		}
		for _, b := range found {
			b.Package = s.pkg
			all = append(all, b)
		}
	}
	return all, nil
}

// parseBenchmarks reads the lines of the Go benchmark format: a name, a number of
// iterations, then pairs of a value and its unit. Other lines are passed over. Of
// several runs of one name it keeps the median of each unit.
func parseBenchmarks(out []byte) []benchmark {
	var names []string
	values := map[string]map[string][]float64{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := withoutProcs(fields[0])
		if values[name] == nil {
			values[name] = map[string][]float64{}
			names = append(names, name)
		}
		for pair := range slices.Chunk(fields[2:], 2) {
			if v, err := strconv.ParseFloat(pair[0], 64); err == nil && len(pair) == 2 {
				values[name][pair[1]] = append(values[name][pair[1]], v)
			}
		}
	}
	all := make([]benchmark, len(names))
	for i, name := range names {
		all[i] = benchmark{Name: name, Figures: map[string]float64{}}
		for unit, of := range values[name] {
			all[i].Figures[unit] = median(of)
		}
	}
	return all
}

// withoutProcs drops the number of processors that go test puts behind a name.
func withoutProcs(name string) string {
	if i := strings.LastIndexByte(name, '-'); i > 0 {
		if _, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i]
		}
	}
	return name
}

// codeGates hold what was measured in process against what was promised. Where
// something was measured, what was not fails: a benchmark that got another name would
// pass for ever.
func codeGates(found []benchmark) []gate {
	if len(found) == 0 {
		return nil
	}
	var all []gate
	for _, p := range promises() {
		before := len(all)
		for _, b := range found {
			if v, measured := b.Figures[p.unit]; measured && strings.HasPrefix(b.Name+"/", p.benchmark+"/") {
				g := p.gate
				g.Name, g.Got = p.Name+strings.TrimPrefix(b.Name, p.benchmark), v/p.per
				all = append(all, g)
			}
		}
		if len(all) == before {
			all = append(all, atLeast(p.Name+": not measured", 0, 1, 1))
		}
	}
	return all
}

// promise is what a benchmark's figure should come to: its value in a unit, divided.
type promise struct {
	benchmark, unit string
	per             float64
	gate
}

func promises() []promise {
	return []promise{
		{"BenchmarkEvaluateRemembered", "ns/op", 1000, atMost("remembered answer, µs", 0, 1, 0).unbounded()},
		{"BenchmarkEvaluateRemembered", "allocs/op", 1, atMost("remembered answer, allocations", 0, 2, 2)},
		{"BenchmarkEvaluateFresh", "ns/op", 1000, atMost("answer evaluated afresh, µs", 0, 30, 0).unbounded()},
		{"BenchmarkEvaluateFresh", "allocs/op", 1, atMost("answer evaluated afresh, allocations", 0, 400, 400)},
		{"BenchmarkDecideParallel", "decisions/s", 1, atLeast("whole Decide in process at 64 callers, per second", 0, 50_000, 0).unbounded()},
		{"BenchmarkBatchDecide", "decisions/s", 1, atLeast("BatchDecide of 100 in process, decisions per second", 0, 80_000, 0).unbounded()},
		{"BenchmarkAgainstTwin/64", "of-twin", 1, atLeast("ledger at 64 writers, entries/s as a share of its twin's", 0, 0.6, 0.5)},
		{"BenchmarkAgainstTwin/1", "time-of-twin", 1, atMost("ledger with one writer, time as a multiple of its twin's", 0, 1.5, 2)},
		{"BenchmarkVerify", "entries/s", 1, atLeast("log verify on one core, entries per second", 0, 300_000, 0).unbounded()},
		{"BenchmarkRebuild", "entries/s", 1, atLeast("index rebuilt, entries per second", 0, 100_000, 0).unbounded()},
	}
}

// benchmarks prints what was found in process.
func (p *printer) benchmarks(all []benchmark) {
	for _, b := range all {
		p.line("%s %s:", b.Package, b.Name)
		for _, unit := range slices.Sorted(maps.Keys(b.Figures)) {
			p.line(" %s %s", number(b.Figures[unit]), unit)
		}
		p.line("\n")
	}
}
