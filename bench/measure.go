package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/writ-dev/writ/bench/load"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// run is one load at one concurrency in one round.
type run struct {
	Round   int    `json:"round"`
	Load    string `json:"load"`
	Callers int    `json:"callers"`

	Answers int `json:"answers"`
	// Decisions are in the answers: none in an empty call's, many in a batch's.
	Decisions int           `json:"decisions"`
	Took      time.Duration `json:"took_ns"`
	P50       time.Duration `json:"p50_ns"`
	P99       time.Duration `json:"p99_ns"`
	// CPU is what the service used for all answers together, in user and system.
	CPU time.Duration `json:"server_cpu_ns"`
	// Logged is how far the log grew.
	Logged uint64 `json:"logged"`
	// Resident is the service's memory after the run, in bytes.
	Resident uint64 `json:"resident_bytes"`
	// Outcomes counts decisions, where the generator reads them.
	Outcomes map[string]uint64 `json:"outcomes,omitempty"`
}

// work is what a run's figures are counted in: decisions, or empty answers.
func (r run) work() int { return max(r.Answers, r.Decisions) }

func (r run) perSecond() float64 { return float64(r.work()) / r.Took.Seconds() }

func (r run) cpuPerCall() float64 { return float64(r.CPU) / float64(r.work()) }

// measure runs the loads by turns: within a round they follow each other closely, so
// that a machine that slows down slows all of them. Who goes first changes.
func (s settings) measure(ctx context.Context, round int, loads []loading, progress io.Writer) ([]run, error) {
	var runs []run
	for i := range loads {
		l := loads[(i+round)%len(loads)]
		r, err := l.once(ctx, s.Duration)
		if err != nil {
			return nil, err
		}
		r.Round = round
		runs = append(runs, r)
		_, _ = fmt.Fprintf(progress, "round %d of %d, %d callers, %s: %.0f/s\n", round+1, s.Rounds, l.callers, l.name, r.perSecond())
	}
	return runs, nil
}

// warmUp lets connections open and memories fill.
func (s settings) warmUp(ctx context.Context, loads []loading) error {
	for _, l := range loads {
		for sent := 0; sent <= l.turn; {
			found, err := l.drive(ctx, s.Duration)
			if err != nil {
				return fmt.Errorf("warming up: %w", err)
			}
			sent += max(1, found.answers)
		}
	}
	return nil
}

// warmedBy says that a load repeats itself after so many requests.
func (l loading) warmedBy(requests int) loading {
	l.turn = requests
	return l
}

func (l loading) once(ctx context.Context, d time.Duration) (run, error) {
	before, err := l.of.reading(ctx)
	if err != nil {
		return run{}, err
	}
	found, err := l.drive(ctx, d)
	if err != nil {
		return run{}, err
	}
	after, err := l.of.reading(ctx)
	if err != nil {
		return run{}, err
	}
	r := run{
		Load: l.name, Callers: l.callers,
		Answers: found.answers, Decisions: found.answers * l.decisions, Took: found.took, P50: found.p50, P99: found.p99,
		CPU: after.cpu - before.cpu, Logged: after.log - before.log, Resident: after.resident,
	}
	if l.decisions == 1 {
		r.Outcomes = outcomes(found.kinds)
	}
	return r, nil
}

// outcomes names what the own generator counted; ghz counts none.
func outcomes(kinds [load.Kinds]uint64) map[string]uint64 {
	all := map[string]uint64{}
	for kind, n := range kinds {
		if n > 0 {
			all[writv1.Outcome(kind).String()] = n //nolint:gosec // below load.Kinds
		}
	}
	return all
}
