package main

import (
	"cmp"
	"slices"
	"time"
)

// row condenses the rounds of one load at one concurrency. Figures are medians over
// rounds; ratios are taken within a round first, so that drift of the machine cancels.
type row struct {
	Load    string `json:"load"`
	Callers int    `json:"callers"`
	figures
	// Base is the load that the ratios are taken to.
	Base string `json:"base"`
	// Rate is the share of the base's answers (of a batch: decisions) per second.
	Rate float64 `json:"rate_ratio"`
	// CPU is the server's CPU per call as a multiple of the base's; P50 and P99 are
	// the latencies.
	CPU float64 `json:"cpu_ratio"`
	P50 float64 `json:"p50_ratio"`
	P99 float64 `json:"p99_ratio"`
}

// figures describe one load at one concurrency.
type figures struct {
	PerSecond  float64       `json:"per_second"`
	MedianTime time.Duration `json:"p50_ns"`
	P99Time    time.Duration `json:"p99_ns"`
	CPUPerCall time.Duration `json:"server_cpu_per_call_ns"`
}

// rows condenses the runs of each load, compared with its base.
func rows(runs []run, loads []loading) []row {
	all := make([]row, len(loads))
	for i, l := range loads {
		all[i] = compare(runs, l.name, l.base, l.callers)
	}
	return all
}

// compare makes the row of one load.
func compare(runs []run, name, base string, callers int) row {
	of, to := runsOf(runs, name, callers), runsOf(runs, base, callers)
	return row{
		Load: name, Callers: callers, figures: condense(of), Base: base,
		Rate: ratio(of, to, run.perSecond),
		CPU:  ratio(of, to, run.cpuPerCall),
		P50:  ratio(of, to, func(r run) float64 { return float64(r.P50) }),
		P99:  ratio(of, to, func(r run) float64 { return float64(r.P99) }),
	}
}

// runsOf picks the rounds of one load, in order.
func runsOf(runs []run, name string, callers int) []run {
	return slices.DeleteFunc(slices.Clone(runs), func(r run) bool {
		return r.Load != name || r.Callers != callers
	})
}

func condense(runs []run) figures {
	return figures{
		PerSecond:  median(each(runs, run.perSecond)),
		MedianTime: median(each(runs, func(r run) time.Duration { return r.P50 })),
		P99Time:    median(each(runs, func(r run) time.Duration { return r.P99 })),
		CPUPerCall: time.Duration(median(each(runs, run.cpuPerCall))),
	}
}

// ratio is the median over rounds of a figure of one load divided by the other's in
// the same round. Both list their rounds in order. A round in which the other's is too
// small to be counted says nothing.
func ratio(of, to []run, figure func(run) float64) float64 {
	var all []float64
	for i := range min(len(of), len(to)) {
		if base := figure(to[i]); base > 0 {
			all = append(all, figure(of[i])/base)
		}
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
