package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

// run is one load at one concurrency in one round.
type run struct {
	Round   int    `json:"round"`
	Load    string `json:"load"`
	Callers int    `json:"callers"`

	Answers int           `json:"answers"`
	Took    time.Duration `json:"took_ns"`
	P50     time.Duration `json:"p50_ns"`
	P99     time.Duration `json:"p99_ns"`
	// CPU is what the service used for all answers together, in user and system.
	CPU time.Duration `json:"server_cpu_ns"`
	// Logged is how far the log grew.
	Logged uint64 `json:"logged"`
}

func (r run) perSecond() float64 { return float64(r.Answers) / r.Took.Seconds() }

func (r run) cpuPerCall() float64 { return float64(r.CPU) / float64(r.Answers) }

// The two loads that every run compares.
const (
	decide = "Decide"
	health = "health"
)

// measure runs the loads by turns: within a round they follow each other closely, so
// that a machine that slows down slows both.
func measure(ctx context.Context, s settings, svc *service, site site, progress io.Writer) ([]run, error) {
	loads := []load{
		{name: health, method: "grpc.health.v1.Health.Check"},
		{name: decide, method: "writ.v1.DecisionService.Decide", data: site.calls},
	}
	for _, l := range loads {
		if _, err := s.drive(ctx, svc.address, l, 16, time.Second); err != nil {
			return nil, fmt.Errorf("warming up: %w", err)
		}
	}
	var runs []run
	for round := range s.Rounds {
		for _, callers := range s.Concurrency {
			for i := range loads {
				l := loads[(i+round)%len(loads)] // who goes first changes
				r, err := svc.measureOnce(ctx, s, l, callers)
				if err != nil {
					return nil, err
				}
				r.Round = round
				runs = append(runs, r)
				_, _ = fmt.Fprintf(progress, "round %d of %d, %d callers, %s: %.0f/s\n",
					round+1, s.Rounds, callers, l.name, r.perSecond())
			}
		}
	}
	return runs, nil
}

func (svc *service) measureOnce(ctx context.Context, s settings, l load, callers int) (run, error) {
	before, err := svc.reading(ctx)
	if err != nil {
		return run{}, err
	}
	rep, err := s.drive(ctx, svc.address, l, callers, s.Duration)
	if err != nil {
		return run{}, err
	}
	after, err := svc.reading(ctx)
	if err != nil {
		return run{}, err
	}
	return run{
		Load: l.name, Callers: callers,
		Answers: rep.Status["OK"], Took: rep.Total, P50: rep.at(50), P99: rep.at(99),
		CPU: after.cpu - before.cpu, Logged: after.log - before.log,
	}, nil
}
