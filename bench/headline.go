package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/writ-dev/writ/bench/plot"
)

// Callers of the own generator's loads; a batch is work for many callers by itself.
const (
	mixCallers   = 64
	batchCallers = 8
)

// plainEstate is what the headline asks about; mixEstate is what the mix does.
func plainEstate() estate { return estate{Tools: 100, Automations: 20} }

func mixEstate() estate { return estate{Tools: 10_000, Automations: 1000, Pays: true} }

// worstEstate is that of the mix, with a rule for which no two amounts are alike.
func worstEstate() estate {
	e := mixEstate()
	e.Told = true
	return e
}

// headline is all that one ordinary bench found, as it is saved.
type headline struct {
	setting
	Rows  []row  `json:"rows"`
	Gates []gate `json:"gates"`
	// Syncs are how long one write and sync took, by round.
	Syncs    []time.Duration `json:"syncs_ns"`
	Evidence evidence        `json:"evidence"`
	Services []usage         `json:"services"`
	InCode   []benchmark     `json:"in_process"`
	Runs     []run           `json:"runs"`

	loads [][]loading
}

// runHeadline is the whole story: start, load, check, stop, judge.
func runHeadline(ctx context.Context, s settings, dir string, progress io.Writer) (_ report, err error) {
	h := &headline{setting: settingOf(ctx, s, dir)}
	plainly, err := s.serve(ctx, filepath.Join(dir, "plain"), plainEstate())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plainly.end()) }()
	varied, err := s.serve(ctx, filepath.Join(dir, "mix"), mixEstate())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, varied.end()) }()

	unlike, err := s.serve(ctx, filepath.Join(dir, "unlike"), worstEstate())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlike.end()) }()

	if h.loads, err = headlineLoads(s, dir, plainly, varied, unlike); err != nil {
		return nil, err
	}
	if err := h.measure(ctx, s, dir, progress); err != nil {
		return nil, err
	}
	if h.Evidence, err = plainly.evidence(ctx, s.writ); err != nil {
		return nil, err
	}
	for _, svc := range []*service{plainly, varied} {
		used, err := svc.usage(ctx, s)
		if err != nil {
			return nil, err
		}
		h.Services = append(h.Services, used)
	}
	if !s.Quick {
		if h.InCode, err = inProcess(ctx, progress); err != nil {
			return nil, err
		}
	}
	h.judge()
	return h, nil
}

// headlineLoads lists the loads in groups, each of which is compared within itself.
func headlineLoads(s settings, dir string, plainly, varied, unlike *service) ([][]loading, error) {
	calls := filepath.Join(dir, "calls")
	if err := plainly.at.writeCalls(calls, s.Requests); err != nil {
		return nil, err
	}
	var groups [][]loading
	for _, callers := range s.Concurrency {
		groups = append(groups, s.ghzLoads(plainly, calls, callers))
	}
	plainCalls, err1 := plainly.at.plainSource(s.Requests)
	batches, err2 := plainly.at.batchSource(s.Requests/batchSize, batchSize)
	mixed, err3 := varied.at.mixSource(5 * s.Requests)
	worstCalls, err4 := unlike.at.worstSource()
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, err
	}
	return append(groups,
		[]loading{
			plainly.emptyLoad(mixCallers),
			plainly.decideLoad(plain, plainCalls).warmedBy(s.Requests),
			varied.decideLoad(mix, mixed),
			unlike.decideLoad(worst, worstCalls),
		},
		[]loading{plainly.emptyLoad(batchCallers), plainly.batchLoad(batches, batchCallers)},
	), nil
}

func (h *headline) measure(ctx context.Context, s settings, dir string, progress io.Writer) error {
	for _, group := range h.loads {
		if err := s.warmUp(ctx, group); err != nil {
			return err
		}
	}
	for round := range s.Rounds {
		took, err := syncTime(dir)
		if err != nil {
			return err
		}
		h.Syncs = append(h.Syncs, took)
		for _, group := range h.loads {
			runs, err := s.measure(ctx, round, group, progress)
			if err != nil {
				return err
			}
			h.Runs = append(h.Runs, runs...)
		}
	}
	return nil
}

// judge condenses the runs and holds them against the gates.
func (h *headline) judge() {
	for _, group := range h.loads {
		h.Rows = append(h.Rows, rows(h.Runs, group)...)
	}
	h.Gates = append(decideGates(h.Runs, h.Syncs), mixGates(h.Runs, mixCallers)...)
	peak := uint64(0)
	for _, u := range h.Services {
		peak = max(peak, u.Peak)
	}
	h.Gates = append(h.Gates, memoryGate(peak))
	h.Gates = append(h.Gates, codeGates(h.InCode)...)
}

func (h *headline) failed() error { return failed(h.Gates) }

// charts shows how far the rounds lie apart.
func (h *headline) charts() map[string]plot.Chart {
	c := plot.Chart{Title: "Answers per second at 64 callers, by round", X: "round", Y: "answers/s"}
	for _, name := range []string{health, decide, plain, mix, worst} {
		c.Lines = append(c.Lines, byRound(h.Runs, name))
	}
	return map[string]plot.Chart{"rounds": c}
}

// byRound draws a load's answers per second at 64 callers.
func byRound(runs []run, name string) plot.Line {
	line := plot.Line{Name: name}
	for _, r := range runsOf(runs, name, mixCallers) {
		line.Points = append(line.Points, plot.Point{X: float64(r.Round + 1), Y: r.perSecond()})
	}
	return line
}

// serve writes an estate below dir and starts the service on it.
func (s settings) serve(ctx context.Context, dir string, e estate) (*service, error) {
	at, err := prepare(ctx, s, dir, e)
	if err != nil {
		return nil, fmt.Errorf("catalogue of %d tools: %w", e.Tools, err)
	}
	return s.start(ctx, at)
}
