package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/writ-dev/writ/bench/plot"
)

// growing is what a service costs at several sizes of one thing.
type growing struct {
	setting
	Points []point `json:"points"`
	Runs   []run   `json:"runs"`
}

// point is one size of one thing.
type point struct {
	Of   string `json:"of"`
	Size int    `json:"size"`
	// Ready is how long the service took to start on it; Resident its memory in the
	// end, in bytes.
	Ready    time.Duration `json:"start_to_ready_ns"`
	Resident uint64        `json:"resident_bytes"`
	// Rows are of plain calls and of calls of which nothing repeats.
	Rows []row `json:"rows"`
}

// axis is one thing that grows, in steps of ten.
type axis struct {
	name   string
	sizes  []int
	estate func(size int) estate
}

func axes() []axis {
	return []axis{
		{"tools", []int{10, 100, 1000, 10_000}, func(n int) estate { return estate{Tools: n, Automations: 1000, Pays: true, Told: true} }},
		{"releases", []int{4, 40, 400, 4000}, func(n int) estate { return estate{Tools: 100, Automations: n, Pays: true, Told: true} }},
		{"rules", []int{2, 20, 200, 2000}, func(n int) estate { return estate{Tools: 100, Automations: 20, Pays: true, Told: true, Rules: n} }},
	}
}

// entries is the axis of the log's length, on one data directory.
const entries = "entries in the log"

// runGrowth measures each size with a service of its own, then one service whose log
// grows.
func runGrowth(ctx context.Context, s settings, dir string, progress io.Writer) (report, error) {
	g := &growing{setting: settingOf(ctx, s, dir)}
	for _, axis := range axes() {
		for _, size := range axis.sizes {
			at, err := prepare(ctx, s, filepath.Join(dir, fmt.Sprint(axis.name, size)), axis.estate(size))
			if err != nil {
				return nil, err
			}
			if err := g.measure(ctx, s, axis.name, size, at, nil, progress); err != nil {
				return nil, fmt.Errorf("%d %s: %w", size, axis.name, err)
			}
		}
	}
	at, err := prepare(ctx, s, filepath.Join(dir, "log"), estate{Tools: 100, Automations: 20, Pays: true, Told: true})
	if err != nil {
		return nil, err
	}
	for size := 10_000; size <= s.Longest; size *= 10 {
		if err := g.measure(ctx, s, entries, size, at, fill(size, progress), progress); err != nil {
			return nil, fmt.Errorf("%d %s: %w", size, entries, err)
		}
	}
	return g, nil
}

// measure starts a service, prepares it, and measures it. With a log that was filled
// it starts the service again before, so that the start is one on a log of that length.
func (g *growing) measure(ctx context.Context, s settings, of string, size int, at site,
	prepare func(context.Context, *service) error, progress io.Writer,
) (err error) {
	svc, err := s.start(ctx, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, svc.end()) }()
	if prepare != nil {
		if err := prepare(ctx, svc); err != nil {
			return err
		}
		if err := svc.end(); err != nil {
			return err
		}
		again, err := s.start(ctx, at)
		if err != nil {
			return err
		}
		svc = again
	}
	plainCalls, err1 := at.plainSource(s.Requests)
	unlike, err2 := at.worstSource()
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	loads := []loading{svc.emptyLoad(mixCallers), svc.decideLoad(plain, plainCalls).warmedBy(s.Requests), svc.decideLoad(worst, unlike)}
	if err := s.warmUp(ctx, loads); err != nil {
		return err
	}
	var runs []run
	for round := range s.Rounds {
		_, _ = fmt.Fprintf(progress, "%d %s: ", size, of)
		more, err := s.measure(ctx, round, loads, progress)
		if err != nil {
			return err
		}
		runs = append(runs, more...)
	}
	last, err := svc.reading(ctx)
	g.Points = append(g.Points, point{Of: of, Size: size, Ready: svc.ready, Resident: last.resident, Rows: rows(runs, loads)[1:]})
	g.Runs = append(g.Runs, runs...)
	return err
}

// fill has batches decided until the log has so many entries.
func fill(size int, progress io.Writer) func(context.Context, *service) error {
	return func(ctx context.Context, svc *service) error {
		batches, err := svc.at.batchSource(10, batchSize)
		if err != nil {
			return err
		}
		load := svc.batchLoad(batches, batchCallers)
		for {
			now, err := svc.reading(ctx)
			if err != nil || now.log >= uint64(max(0, size)) {
				return err
			}
			_, _ = fmt.Fprintf(progress, "filling the log: %d of %d entries\n", now.log, size)
			if _, err := load.drive(ctx, time.Second); err != nil {
				return err
			}
		}
	}
}

// failed: slopes are looked at, and not gated.
func (g *growing) failed() error { return nil }

func (g *growing) table(out io.Writer) error {
	p := printer{w: out}
	p.aligned(tabwriter.AlignRight, func(p *printer) {
		p.line("size\tof\tload\tper second\tshare\tserver CPU\tmultiple\tp99\ttimes\tready\tresident\t\n")
		for _, at := range g.Points {
			for _, r := range at.Rows {
				p.line("%d\t%s\t%s\t%.0f\t%.2f\t%.1fµs\t%.2f\t%v\t%.2f\t%v\t%.0f MiB\t\n", at.Size, at.Of, r.Load, r.PerSecond, r.Rate,
					float64(r.CPUPerCall)/float64(time.Microsecond), r.CPU, round(r.P99Time), r.P99, round(at.Ready), mebibytes(at.Resident))
			}
		}
	})
	p.line("\nshare of the rate, multiples of CPU and of p99 are those of the empty call in the same round; %d rounds of %v\n", g.Settings.Rounds, g.Settings.Duration)
	p.machine(g.Machine)
	return p.err
}

// charts draws each axis: what share of the empty call's rate is left, what a call
// costs the server, and how late the last hundredth is.
func (g *growing) charts() map[string]plot.Chart {
	all := map[string]plot.Chart{}
	for _, c := range []struct {
		name, title string
		figure      func(row) float64
	}{
		{"rate", "answers/s ÷ empty call's", func(r row) float64 { return r.Rate }},
		{"cpu", "server CPU ÷ empty call's", func(r row) float64 { return r.CPU }},
		{"p99", "p99 ÷ empty call's", func(r row) float64 { return r.P99 }},
	} {
		for of, name := range map[string]string{"tools": "tools", "releases": "releases", "rules": "rules", entries: "log"} {
			chart := plot.Chart{Title: "Growth: " + of, X: of, Y: c.title, LogX: true}
			for _, load := range []string{plain, worst} {
				chart.Lines = append(chart.Lines, g.line(of, load, c.figure))
			}
			all[name+"-"+c.name] = chart
		}
	}
	return all
}

// line draws one load's figure along one axis.
func (g *growing) line(of, load string, figure func(row) float64) plot.Line {
	line := plot.Line{Name: load}
	for _, at := range g.Points {
		for _, r := range at.Rows {
			if at.Of == of && r.Load == load {
				line.Points = append(line.Points, plot.Point{X: float64(at.Size), Y: figure(r)})
			}
		}
	}
	return line
}
