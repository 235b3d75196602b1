package main

import (
	"errors"
	"fmt"
	"time"
)

// gate is a figure with what it should come to and what it must not fall behind. The
// aim is what was promised; the bound is what was reached, with room for noise. Only
// the bound fails a run.
type gate struct {
	Name string  `json:"name"`
	Got  float64 `json:"got"`
	// Least says that more is better.
	Least bool    `json:"more_is_better"`
	Aim   float64 `json:"aim"`
	Bound float64 `json:"bound,omitempty"`
	// Unbounded figures are the machine's as much as the code's, and fail nothing.
	Unbounded bool `json:"unbounded,omitempty"`
}

func atLeast(name string, got, aim, bound float64) gate {
	return gate{Name: name, Got: got, Least: true, Aim: aim, Bound: bound}
}

func atMost(name string, got, aim, bound float64) gate {
	return gate{Name: name, Got: got, Aim: aim, Bound: bound}
}

// unbounded takes the bound away: an absolute figure is shown beside its aim.
func (g gate) unbounded() gate {
	g.Bound, g.Unbounded = 0, true
	return g
}

// fails says that a run is not good enough.
func (g gate) fails() bool { return !g.Unbounded && !g.reaches(g.Bound) }

// bound is the bound in words.
func (g gate) bound() string {
	if g.Unbounded {
		return "none"
	}
	return g.sign() + " " + number(g.Bound)
}

func (g gate) reaches(limit float64) bool {
	if g.Least {
		return g.Got >= limit
	}
	return g.Got <= limit // false for NaN, as the other one
}

// verdict is a word for the table.
func (g gate) verdict() string {
	switch {
	case g.fails():
		return "FAILED"
	case g.reaches(g.Aim):
		return "reached"
	}
	return "not yet"
}

// sign is how figure and limit relate.
func (g gate) sign() string {
	if g.Least {
		return "≥"
	}
	return "≤"
}

// String says the gate in one line.
func (g gate) String() string {
	return fmt.Sprintf("%s: %s: %s, aim %s %s, bound %s", g.verdict(), g.Name, number(g.Got), g.sign(), number(g.Aim), g.bound())
}

// failed names the gates that a figure fell behind.
func failed(gates []gate) error {
	var all []error
	for _, g := range gates {
		if g.fails() {
			all = append(all, errors.New(g.String()))
		}
	}
	return errors.Join(all...)
}

// decideGates hold what ghz found against what was promised.
func decideGates(runs []run, syncs []time.Duration) []gate {
	var all []gate
	at := func(callers int) (row, bool) {
		r := compare(runs, decide, health, callers)
		return r, r.PerSecond > 0
	}
	if r, measured := at(64); measured {
		all = append(all,
			atLeast("answers per second at 64 callers, Decide / health check", r.Rate, 0.55, 0.38),
			atMost("server CPU per call at 64 callers, Decide / health check", r.CPU, 2.5, 4),
			atMost("p99 at 64 callers, Decide / health check", r.P99, 2, 4))
	}
	if r, measured := at(16); measured {
		all = append(all, atLeast("answers per second at 16 callers, Decide / health check", r.Rate, 0.50, 0.33))
	}
	if _, measured := at(1); measured {
		all = append(all, atMost("p50 at 1 caller, Decide / (health check + one write and sync)", alone(runs, syncs), 1.5, 2.6))
	}
	return all
}

// alone is the median over rounds of one caller's p50, divided by what it can't be
// below: the health check's and one write and sync of the same disk. Syncs has one for
// each round.
func alone(runs []run, syncs []time.Duration) float64 {
	of, to := runsOf(runs, decide, 1), runsOf(runs, health, 1)
	all := make([]float64, min(len(of), len(to), len(syncs)))
	for i := range all {
		all[i] = float64(of[i].P50) / float64(to[i].P50+syncs[i])
	}
	return median(all)
}

// mixGates hold the other loads of the own generator against the plain one.
func mixGates(runs []run, callers int) []gate {
	against := compare(runs, mix, plain, callers)
	b := compare(runs, batch, empty, batchCallers)
	unlogged := 0
	for _, r := range runs {
		unlogged += max(0, r.Decisions-int(r.Logged)) //nolint:gosec // far below 2^63
	}
	return []gate{
		atLeast("answers per second at 64 callers, mix / plain", against.Rate, 0.80, 0.60),
		atMost("server CPU per call at 64 callers, mix / plain", against.CPU, 1.25, 1.8),
		atMost("p99 at 64 callers, mix / plain", against.P99, 1.25, 3),
		atLeast("decisions per second in batches of 100", b.PerSecond, 80_000, 0).unbounded(),
		atMost("answers that are not in the log", float64(unlogged), 0, 0),
	}
}

// memoryGate holds the most memory that a service took against what was promised.
func memoryGate(peak uint64) gate {
	return atMost("most memory of the service under the mix, MiB", float64(peak)/(1<<20), 400, 480)
}
