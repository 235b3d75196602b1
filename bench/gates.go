package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// row condenses the rounds of one concurrency. Figures are medians over rounds;
// ratios are taken within a round first, so that drift of the machine cancels.
type row struct {
	Callers int     `json:"callers"`
	Health  figures `json:"health"`
	Decide  figures `json:"decide"`
	// Rate is Decide's answers per second as a share of the health check's.
	Rate float64 `json:"rate_ratio"`
	// CPU is the server's CPU per Decide as a multiple of the health check's.
	CPU float64 `json:"cpu_ratio"`
	// P99 is Decide's p99 as a multiple of the health check's.
	P99 float64 `json:"p99_ratio"`
}

// figures describe one load at one concurrency.
type figures struct {
	PerSecond  float64       `json:"per_second"`
	P50        time.Duration `json:"p50_ns"`
	P99        time.Duration `json:"p99_ns"`
	CPUPerCall time.Duration `json:"server_cpu_per_call_ns"`
}

// gate is a bound on a figure, and whether it was met.
type gate struct {
	Name  string  `json:"name"`
	Got   float64 `json:"got"`
	Bound string  `json:"bound"`
	Met   bool    `json:"met"`
}

// String says the gate in one line.
func (g gate) String() string {
	word := "met"
	if !g.Met {
		word = "MISSED"
	}
	return fmt.Sprintf("%s: %s: %.2f, bound %s", word, g.Name, g.Got, g.Bound)
}

// gates holds the rows and runs against what was promised.
func gates(rows []row, runs []run) []gate {
	var all []gate
	for _, r := range rows {
		if r.Callers == 64 {
			all = append(all,
				atLeast("answers per second at 64 callers, Decide / health", r.Rate, 0.40),
				atMost("server CPU per call at 64 callers, Decide / health", r.CPU, 4))
		}
	}
	unlogged := 0
	for _, r := range runs {
		if r.Load == decide {
			unlogged += max(0, r.Answers-int(r.Logged))
		}
	}
	return append(all, atMost("answers that are not in the log", float64(unlogged), 0))
}

func atLeast(name string, got, bound float64) gate {
	return gate{name, got, fmt.Sprintf(">= %.2f", bound), got >= bound}
}

func atMost(name string, got, bound float64) gate {
	return gate{name, got, fmt.Sprintf("<= %.2f", bound), got <= bound}
}

// rows condenses the runs, one row for each concurrency.
func rows(runs []run, concurrency []int) []row {
	var all []row
	for _, callers := range concurrency {
		of := func(name string) []run {
			return slices.DeleteFunc(slices.Clone(runs), func(r run) bool {
				return r.Load != name || r.Callers != callers
			})
		}
		h, d := of(health), of(decide)
		all = append(all, row{
			Callers: callers, Health: condense(h), Decide: condense(d),
			Rate: ratio(d, h, run.perSecond),
			CPU:  ratio(d, h, run.cpuPerCall),
			P99:  ratio(d, h, func(r run) float64 { return float64(r.P99) }),
		})
	}
	return all
}

func condense(runs []run) figures {
	return figures{
		PerSecond:  median(each(runs, run.perSecond)),
		P50:        median(each(runs, func(r run) time.Duration { return r.P50 })),
		P99:        median(each(runs, func(r run) time.Duration { return r.P99 })),
		CPUPerCall: time.Duration(median(each(runs, run.cpuPerCall))),
	}
}

// ratio is the median over rounds of a figure of one load divided by the other's in
// the same round. Both list their rounds in order.
func ratio(of, to []run, figure func(run) float64) float64 {
	all := make([]float64, min(len(of), len(to)))
	for i := range all {
		all[i] = figure(of[i]) / figure(to[i])
	}
	return median(all)
}

func each[T any](runs []run, figure func(run) T) []T {
	all := make([]T, len(runs))
	for i, r := range runs {
		all[i] = figure(r)
	}
	return all
}

// median is the middle of the values, the lower one of two; zero of none.
func median[T cmp.Ordered](values []T) T {
	if len(values) == 0 {
		var none T
		return none
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
