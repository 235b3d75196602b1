package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/writ-dev/writ/bench/plot"
)

// gateRounds is the least for which benchstat can tell anything at alpha.
const gateRounds = 6

// against compares what is checked out with another commit.
type against struct {
	setting
	Ref string `json:"ref"`
	// Report is benchstat's, for people.
	Report      string       `json:"benchstat"`
	Regressions []regression `json:"regressions"`
	Runs        []run        `json:"runs"`
}

// side is one of the two that are compared.
type side struct {
	name, tree, writ string
	svc              *service
	// found collects lines in the Go benchmark format.
	found bytes.Buffer
}

// runAgainst builds the other commit in a worktree of its own and measures both by
// turns, in one run: over gRPC as ratios to the same round's empty call, and with the
// Go benchmarks of each.
func runAgainst(ctx context.Context, s settings, dir string, progress io.Writer) (_ report, err error) {
	a := &against{setting: settingOf(ctx, s, dir), Ref: s.Against}
	old := &side{name: "old", tree: filepath.Join(dir, "tree"), writ: filepath.Join(dir, "old-writ")}
	if err := checkOut(ctx, s.Against, old.tree); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, git("worktree", "remove", "--force", old.tree)) }()
	if err := goIn(ctx, old.tree, nil, "build", "-trimpath", "-o", old.writ, "./cmd/writ"); err != nil {
		return nil, err
	}
	sides := []*side{old, {name: "new", tree: ".", writ: s.writ}}
	for _, side := range sides {
		s.writ = side.writ
		if side.svc, err = s.serve(ctx, filepath.Join(dir, side.name), plainEstate()); err != nil {
			return nil, fmt.Errorf("%s: %w", side.name, err)
		}
		defer func() { err = errors.Join(err, side.svc.end()) }() //nolint:revive // two of them
	}
	for round := range max(s.Rounds, gateRounds) {
		// Who goes first changes.
		for i := range sides {
			runs, err := sides[(i+round)%2].measure(ctx, s, round, progress)
			if err != nil {
				return nil, err
			}
			a.Runs = append(a.Runs, runs...)
		}
	}
	a.Report, a.Regressions, err = s.compareSides(ctx, dir, sides)
	return a, err
}

// measure is one round of one side.
func (side *side) measure(ctx context.Context, s settings, round int, progress io.Writer) ([]run, error) {
	calls, err := side.svc.at.plainSource(s.Requests)
	if err != nil {
		return nil, err
	}
	batches, err := side.svc.at.batchSource(s.Requests/batchSize, batchSize)
	if err != nil {
		return nil, err
	}
	loads := []loading{side.svc.emptyLoad(mixCallers), side.svc.decideLoad(plain, calls), side.svc.batchLoad(batches, mixCallers)}
	if round == 0 {
		if err := s.warmUp(ctx, loads); err != nil {
			return nil, err
		}
	}
	_, _ = fmt.Fprintf(progress, "%s: ", side.name)
	runs, err := s.measure(ctx, round, loads, progress)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{plain, batch} {
		writeRatios(&side.found, compare(runs, name, empty, mixCallers))
	}
	if s.Quick {
		return runs, nil
	}
	for _, suite := range suites() {
		if suite.flags != nil {
			continue // too long to be run by turns
		}
		if err := goIn(ctx, side.tree, &side.found, "test", "-run", "^$", "-bench", suite.pattern, "-benchmem", "-benchtime", "0.2s", suite.pkg); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// writeRatios says a row in the Go benchmark format; less is better in all of it.
func writeRatios(out io.Writer, r row) {
	_, _ = fmt.Fprintf(out, "pkg: bench\nBenchmark%s/callers=%d 1 %f time-ratio %f cpu-ratio %f p99-ratio\n",
		r.Load, r.Callers, 1/r.Rate, r.CPU, r.P99)
}

// compareSides has benchstat compare what both found.
func (s settings) compareSides(ctx context.Context, dir string, sides []*side) (string, []regression, error) {
	files := make([]string, len(sides))
	for i, side := range sides {
		file := filepath.Join(dir, side.name+".txt")
		if err := write(file, side.found.Bytes()); err != nil {
			return "", nil, err
		}
		files[i] = side.name + "=" + file
	}
	said, err := s.stat(ctx, "text", files)
	if err != nil {
		return "", nil, err
	}
	table, err := s.stat(ctx, "csv", files)
	if err != nil {
		return "", nil, err
	}
	regressions, err := parseComparison(table)
	return string(said), regressions, err
}

func (s settings) stat(ctx context.Context, format string, files []string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, s.benchstat, append([]string{"-alpha", alpha, "-ignore", "goos,goarch,cpu", "-format", format}, files...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.benchstat, err)
	}
	return out, nil
}

func checkOut(ctx context.Context, ref, tree string) error {
	out, err := exec.CommandContext(ctx, "git", "worktree", "add", "--detach", tree, ref).CombinedOutput()
	if err != nil {
		return fmt.Errorf("git worktree add %s: %w: %s", ref, err, out)
	}
	return nil
}

// git runs when everything else is over, also after an interrupt.
func git(args ...string) error {
	return exec.Command("git", args...).Run() //nolint:noctx // cleans up after a context that may be over
}

// goIn runs the go command in a tree.
func goIn(ctx context.Context, tree string, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout = tree, out
	var said bytes.Buffer
	cmd.Stderr = &said
	if out == nil {
		cmd.Stdout = &said
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %v in %s: %w: %s", args, tree, err, said.Bytes())
	}
	return nil
}

func (a *against) failed() error {
	var all []error
	for _, r := range a.Regressions {
		all = append(all, errors.New(r.String()))
	}
	return errors.Join(all...)
}

func (a *against) table(out io.Writer) error {
	p := printer{w: out}
	p.line("%s\nold is %s, new is %s\n", a.Report, a.Ref, a.Machine.Commit)
	if len(a.Regressions) == 0 {
		p.line("no regression beyond noise and %d %%\n", tolerated)
	}
	for _, r := range a.Regressions {
		p.line("REGRESSION: %s\n", r)
	}
	return p.err
}

func (a *against) charts() map[string]plot.Chart { return nil }
