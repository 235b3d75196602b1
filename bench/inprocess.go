package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
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
	hold := func(limit func(string, float64, float64, float64) gate, prefix, unit, name string, scale, aim, bound float64) {
		before := len(all)
		for _, b := range found {
			if v, measured := b.Figures[unit]; measured && strings.HasPrefix(b.Name+"/", prefix+"/") {
				all = append(all, limit(name+strings.TrimPrefix(b.Name, prefix), v*scale, aim, bound))
			}
		}
		if len(all) == before {
			all = append(all, limit(name+": not measured", math.NaN(), aim, bound))
		}
	}
	hold(atMost, "BenchmarkEvaluateRemembered", "ns/op", "remembered answer, µs", 1e-3, 1, 3)
	hold(atMost, "BenchmarkEvaluateRemembered", "allocs/op", "remembered answer, allocations", 1, 2, 2)
	hold(atMost, "BenchmarkEvaluateFresh", "ns/op", "answer evaluated afresh, µs", 1e-3, 30, 150)
	hold(atLeast, "BenchmarkDecideParallel", "decisions/s", "whole Decide in process at 64 callers, per second", 1, 50_000, 10_000)
	hold(atLeast, "BenchmarkBatchDecide", "decisions/s", "BatchDecide of 100 in process, decisions per second", 1, 80_000, 10_000)
	hold(atLeast, "BenchmarkAgainstTwin/64", "of-twin", "ledger at 64 writers, entries/s as a share of its twin's", 1, 0.6, 0.4)
	hold(atMost, "BenchmarkAgainstTwin/1", "time-of-twin", "ledger with one writer, time as a multiple of its twin's", 1, 1.5, 2.5)
	hold(atLeast, "BenchmarkVerify", "entries/s", "log verify on one core, entries per second", 1, 300_000, 50_000)
	hold(atLeast, "BenchmarkRebuild", "entries/s", "index rebuilt, entries per second", 1, 100_000, 20_000)
	return all
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
