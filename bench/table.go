package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"
)

// table prints the headline for a person.
func (h *headline) table(out io.Writer) error {
	p := printer{w: out}
	p.rows(h.Rows)
	p.line("\n%d rounds of %v, %d connections; ratios are to the base load of the same round\n",
		h.Settings.Rounds, h.Settings.Duration, h.Settings.Connections)
	p.machine(h.Machine)
	p.line("outcomes: %s\n", shares(h.Runs))
	p.falls(h.Runs)
	for _, u := range h.Services {
		p.usage(u)
	}
	p.line("followed into the log: %d answers %v; both logs verify, while the services run and after\n",
		h.Evidence.Sampled, h.Evidence.Outcomes)
	p.benchmarks(h.InCode)
	p.gates(h.Gates)
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

// aligned prints lines whose cells end in tabs.
func (p *printer) aligned(flags uint, lines func(*printer)) {
	w := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', flags)
	inner := &printer{w: w}
	lines(inner)
	p.err = errors.Join(p.err, inner.err, w.Flush())
}

func (p *printer) rows(all []row) {
	p.aligned(tabwriter.AlignRight, func(p *printer) {
		p.line("load\tcallers\tper second\tp50\tp99\tserver CPU\trate\tCPU\tp50\tp99\t\n")
		for _, r := range all {
			p.line("%s\t%d\t%.0f\t%v\t%v\t%.1fµs\t", r.Load, r.Callers, r.PerSecond, round(r.MedianTime), round(r.P99Time),
				float64(r.CPUPerCall)/float64(time.Microsecond))
			if r.Load == r.Base {
				p.line("\t\t\t\t\n")
				continue
			}
			p.line("%.2f\t%.2f\t%.2f\t%.2f\t\n", r.Rate, r.CPU, r.P50, r.P99)
		}
	})
}

func (p *printer) machine(m machine) {
	p.line("%s, %d CPUs (%s), kernel %s, commit %s; one write and sync takes %v\n", m.Go, m.CPUs, m.CPU, m.Kernel, m.Commit, round(m.Sync))
}

// falls says how far the mix and the worst case stay behind the plain calls.
func (p *printer) falls(runs []run) {
	for _, name := range []string{mix, worst} {
		r := compare(runs, name, plain, mixCallers)
		p.line("%s against plain: %+.0f %% answers/s, %+.0f %% server CPU, %+.0f %% p99\n",
			name, 100*(r.Rate-1), 100*(r.CPU-1), 100*(r.P99-1))
	}
}

func (p *printer) usage(u usage) {
	log, index := u.perEntry()
	p.line("%d tools, %d automations: ready in %v, with the log in %v; %.0f MiB resident, %.0f at most; an entry takes %.0f bytes in the log and %.0f in the index; %.1f entries a sync\n",
		u.Estate.Tools, u.Estate.Automations, round(u.Ready), round(u.Restart), mebibytes(u.Resident), mebibytes(u.Peak), log, index,
		float64(u.Ledger.Entries)/float64(max(1, u.Ledger.Batches)))
}

func (p *printer) gates(all []gate) {
	p.line("\n")
	p.aligned(0, func(p *printer) {
		p.line("figure\tmeasured\taim\tbound\t\t\n")
		for _, g := range all {
			p.line("%s\t%s\t%s %s\t%s\t%s\t\n", g.Name, number(g.Got), g.sign(), number(g.Aim), g.bound(), g.verdict())
		}
	})
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

func mebibytes(n uint64) float64 { return float64(n) / (1 << 20) }

// number prints a figure as short as it can be told from its limits.
func number(v float64) string {
	if v >= 100 || v == float64(int(v)) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// shares says which part of the mix's answers came out how.
func shares(runs []run) string {
	counts, total := map[string]uint64{}, uint64(0)
	for _, r := range runs {
		if r.Load == mix {
			for name, n := range r.Outcomes {
				counts[name] += n
				total += n
			}
		}
	}
	words := ""
	for _, name := range []string{"OUTCOME_RUN", "OUTCOME_RECORD_ONLY", "OUTCOME_AWAIT_APPROVAL", "OUTCOME_REFUSE"} {
		words += fmt.Sprintf("%s %.1f %%  ", name[len("OUTCOME_"):], 100*float64(counts[name])/float64(max(1, total)))
	}
	return words
}
