package main

import (
	"context"
	"fmt"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/writ-dev/writ/bench/load"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// The loads' names, as printed. Each is compared with the empty call of the same
// generator.
const (
	health = "health check" // by ghz
	decide = "Decide"       // by ghz, plain calls

	empty = "empty call" // the health check by the own generator
	plain = "plain"
	mix   = "mix"
	worst = "nothing repeats"
	batch = "BatchDecide"
)

// batchSize is how many calls a BatchDecide holds.
const batchSize = 100

// loading is one load on one service, at one concurrency.
type loading struct {
	name    string
	base    string // the load that it is compared with
	of      measured
	callers int
	// decisions in one answer; 0 for an empty call.
	decisions int
	// turn is how many requests to send before any is measured, so that what repeats
	// has been seen once.
	turn  int
	drive func(context.Context, time.Duration) (sample, error)
}

// measured is a process under load.
type measured interface {
	// reading is what it has used up to now.
	reading(context.Context) (reading, error)
}

// sample is what a generator found.
type sample struct {
	answers  int
	took     time.Duration
	p50, p99 time.Duration
	kinds    [load.Kinds]uint64
}

// ghzLoads are the empty call and Decide as ghz drives them.
func (s settings) ghzLoads(svc *service, calls string, callers int) []loading {
	by := func(method, file string) func(context.Context, time.Duration) (sample, error) {
		return func(ctx context.Context, d time.Duration) (sample, error) {
			return s.ghzRun(ctx, svc.address, ghzLoad{method: method, data: file, callers: callers}, d)
		}
	}
	return []loading{
		{name: health, base: health, of: svc, callers: callers, drive: by("grpc.health.v1.Health.Check", "")},
		{name: decide, base: health, of: svc, callers: callers, decisions: 1, drive: by("writ.v1.DecisionService.Decide", calls)},
	}
}

// own is a load by the own generator. Its requests go on where the run before ended.
func (svc *service) own(l loading, spec load.Spec) loading {
	l.of, l.callers = svc, spec.Callers
	l.drive = func(ctx context.Context, d time.Duration) (sample, error) {
		spec.Duration = d
		r, err := svc.callers.Run(ctx, spec)
		if err != nil {
			return sample{}, fmt.Errorf("%s: %w", l.name, err)
		}
		spec.From = r.Next
		return sampleOf(r), nil
	}
	return l
}

func sampleOf(r load.Result) sample {
	return sample{
		answers: int(r.Answers()), took: r.Took, //nolint:gosec // far below 2^63
		p50: r.Latency.Quantile(0.5), p99: r.Latency.Quantile(0.99), kinds: r.Kinds,
	}
}

func (svc *service) emptyLoad(callers int) loading {
	return svc.own(loading{name: empty, base: empty}, load.Spec{Method: healthpb.Health_Check_FullMethodName, Callers: callers})
}

// decideLoad sends what a source makes to Decide.
func (svc *service) decideLoad(name string, next source) loading {
	return svc.own(loading{name: name, base: empty, decisions: 1}, load.Spec{
		Method: writv1.DecisionService_Decide_FullMethodName, Callers: mixCallers, Next: next, Kind: outcomeOf,
	})
}

func (svc *service) batchLoad(next source, callers int) loading {
	return svc.own(loading{name: batch, base: empty, decisions: batchSize}, load.Spec{
		Method: writv1.DecisionService_BatchDecide_FullMethodName, Callers: callers, Next: next, Kind: allDecided(batchSize),
	})
}
