package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/writ-dev/writ/bench/plot"
)

// soak is the mix at full rate for a long time.
type soak struct {
	setting
	Slices []slice `json:"slices"`
	Usage  usage   `json:"service"`
	Gates  []gate  `json:"gates"`
}

// slice is a part of the time.
type slice struct {
	// End is since the beginning of the load.
	End time.Duration `json:"end_ns"`
	run
	// Behind is how many entries the index is behind the log, at the slice's end.
	Behind uint64 `json:"index_behind"`
}

// slicesOfSoak is how many parts a soak has: enough to see a trend.
const slicesOfSoak = 60

// runSoak loads one service with the mix.
func runSoak(ctx context.Context, s settings, dir string, progress io.Writer) (_ report, err error) {
	k := &soak{setting: settingOf(ctx, s, dir)}
	svc, err := s.serve(ctx, filepath.Join(dir, "mix"), mixEstate())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, svc.end()) }()
	calls, err := svc.at.mixSource(5 * s.Requests)
	if err != nil {
		return nil, err
	}
	load := svc.decideLoad(mix, calls)
	part := max(time.Second, s.Soak/slicesOfSoak)
	began := time.Now()
	for time.Since(began) < s.Soak {
		r, err := load.once(ctx, part)
		if err != nil {
			return nil, err
		}
		now, err := svc.reading(ctx)
		if err != nil {
			return nil, err
		}
		k.Slices = append(k.Slices, slice{End: time.Since(began), run: r, Behind: now.behind})
		_, _ = fmt.Fprintf(progress, "%v of %v: %.0f/s, %.0f MiB, index %d behind\n",
			time.Since(began).Round(time.Second), s.Soak, r.perSecond(), mebibytes(r.Resident), now.behind)
	}
	if k.Usage, err = svc.usage(ctx, s); err != nil {
		return nil, err
	}
	k.judge()
	return k, nil
}

func (k *soak) judge() {
	unlogged, behind := 0, uint64(0)
	for _, s := range k.Slices {
		unlogged += max(0, s.Decisions-int(s.Logged)) //nolint:gosec // far below 2^63
		behind = max(behind, s.Behind)
	}
	k.Gates = []gate{
		memoryGate(k.Usage.Peak),
		atMost("memory at the end / half-way", growth(k.Slices), 1.05, 1.10),
		atMost("entries that the index was behind, at most", float64(behind), 10_000, 100_000),
		atMost("answers that are not in the log", float64(unlogged), 0, 0),
	}
}

// growth is the median memory of the last quarter as a multiple of the second one's:
// the first is for warming up.
func growth(all []slice) float64 {
	quarter := func(i int) float64 {
		part := all[i*len(all)/4 : (i+1)*len(all)/4]
		memory := make([]float64, len(part))
		for i, s := range part {
			memory[i] = float64(s.Resident)
		}
		return median(memory)
	}
	return quarter(3) / quarter(1)
}

func (k *soak) failed() error { return failed(k.Gates) }

func (k *soak) table(out io.Writer) error {
	p := printer{w: out}
	p.aligned(tabwriter.AlignRight, func(p *printer) {
		p.line("after\tanswers/s\tp50\tp99\tserver CPU\tresident\tindex behind\t\n")
		for part := range slices.Chunk(k.Slices, max(1, (len(k.Slices)+11)/12)) {
			s := part[len(part)-1]
			p.line("%v\t%.0f\t%v\t%v\t%.1fµs\t%.0f MiB\t%d\t\n", s.End.Round(time.Second), s.perSecond(), round(s.P50), round(s.P99),
				s.cpuPerCall()/float64(time.Microsecond), mebibytes(s.Resident), s.Behind)
		}
	})
	p.line("\n")
	p.machine(k.Machine)
	p.usage(k.Usage)
	p.gates(k.Gates)
	return p.err
}

func (k *soak) charts() map[string]plot.Chart {
	over := func(title, y string, figure func(slice) float64) plot.Chart {
		line := plot.Line{Name: mix}
		for _, s := range k.Slices {
			line.Points = append(line.Points, plot.Point{X: s.End.Minutes(), Y: figure(s)})
		}
		return plot.Chart{Title: title, X: "minutes", Y: y, Lines: []plot.Line{line}}
	}
	memory := over("Memory of the service under the mix", "MiB resident", func(s slice) float64 { return mebibytes(s.Resident) })
	memory.Limits = []plot.Limit{{Name: "400 MiB", Y: 400}}
	return map[string]plot.Chart{
		"memory": memory,
		"rate":   over("Answers per second under the mix", "answers/s", func(s slice) float64 { return s.perSecond() }),
		"behind": over("How far the index is behind the log", "entries", func(s slice) float64 { return float64(s.Behind) }),
	}
}
