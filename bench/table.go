package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// table prints the result for a person.
func (r *result) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	p := printer{w: w}
	p.line("callers\tload\tanswers/s\tp50\tp99\tserver CPU/call\t\n")
	for _, row := range r.Rows {
		p.figures(row.Callers, health, row.Health)
		p.figures(row.Callers, decide, row.Decide)
		p.line("\tratio\t%.2f\t%.2f\t%.2f\t%.2f\t\n",
			row.Rate, float64(row.Decide.P50)/float64(max(1, row.Health.P50)), row.P99, row.CPU)
	}
	p.err = errors.Join(p.err, w.Flush())
	p.w = out
	m, l := r.Machine, r.Ledger
	p.line("\n%d rounds of %v, %d connections, %d different calls on %d tools\n",
		r.Settings.Rounds, r.Settings.Duration, r.Settings.Connections, r.Settings.Requests, r.Settings.Tools)
	p.line("%s, %d CPUs (%s), kernel %s; one write and sync takes %v\n", m.Go, m.CPUs, m.CPU, m.Kernel, round(m.Sync))
	p.line("ledger: %d entries in %d batches (%.1f each), %d syncs, %.0f bytes an entry\n",
		l.Entries, l.Batches, float64(l.Entries)/float64(l.Batches), l.Syncs, float64(l.Bytes)/float64(l.Entries))
	p.line("followed into the log: %d answers %v; the whole log verifies\n", r.Evidence.Sampled, r.Evidence.Outcomes)
	for _, g := range r.Gates {
		p.line("%s\n", g)
	}
	return p.err
}

// printer keeps the first error, so that lines can follow each other.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) figures(callers int, name string, f figures) {
	p.line("%d\t%s\t%.0f\t%v\t%v\t%.1fµs\t\n",
		callers, name, f.PerSecond, round(f.P50), round(f.P99), float64(f.CPUPerCall)/float64(time.Microsecond))
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
