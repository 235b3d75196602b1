package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/writ-dev/writ/bench/plot"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// Loads of the comparison with OPA's own server.
const (
	opaEmpty  = "OPA: health check"
	opaPlain  = "OPA"
	opaLogged = "OPA, console log"
)

// peers is Decide beside OPA's own server, with the same rules and the same calls.
type peers struct {
	setting
	OPA  string `json:"opa"`
	Rows []row  `json:"rows"`
	// Agreed are calls that both answered alike, of Compared.
	Agreed   int `json:"agreed"`
	Compared int `json:"compared"`
	// LogBytes is what the console log wrote for one decision.
	LogBytes float64 `json:"opa_log_bytes_per_decision"`
	Gates    []gate  `json:"gates"`
	Runs     []run   `json:"runs"`
}

// runPeers runs three services side by side, each measured by turns while the others
// wait: Writ, OPA, and OPA with its decisions logged to a file on the same disk.
func runPeers(ctx context.Context, s settings, dir string, progress io.Writer) (_ report, err error) {
	p := &peers{setting: settingOf(ctx, s, dir)}
	svc, err := s.serve(ctx, filepath.Join(dir, "writ"), plainEstate())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, svc.end()) }()
	policy := filepath.Join(dir, "policy")
	if err := initPolicy(ctx, s.writ, policy); err != nil {
		return nil, err
	}
	if p.OPA, err = opaVersion(ctx, s.opa); err != nil {
		return nil, err
	}
	silent, err := s.startOPA(ctx, policy, filepath.Join(dir, "opa.log"), false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, silent.end()) }()
	logging, err := s.startOPA(ctx, policy, filepath.Join(dir, "opa-console.log"), true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, logging.end()) }()

	if p.Agreed, p.Compared, err = agree(ctx, svc, silent); err != nil {
		return nil, err
	}
	if err := p.measure(ctx, s, svc, silent, logging, progress); err != nil {
		return nil, err
	}
	if p.LogBytes, err = logging.bytesPerAnswer(p.Runs); err != nil {
		return nil, err
	}
	p.Gates = []gate{
		atLeast("calls that both answered alike, %", 100*float64(p.Agreed)/float64(p.Compared), 100, 100),
		atLeast("answers per second at 64 callers, Decide / OPA with console log", compare(p.Runs, plain, opaLogged, mixCallers).Rate, 1, 1),
	}
	return p, nil
}

func (p *peers) measure(ctx context.Context, s settings, svc *service, silent, logging *opaServer, progress io.Writer) error {
	calls, err := svc.at.plainSource(s.Requests)
	if err != nil {
		return err
	}
	questions, err := svc.at.opaSource(s.Requests)
	if err != nil {
		return err
	}
	loads := []loading{
		svc.emptyLoad(mixCallers),
		svc.decideLoad(plain, calls),
		silent.load(opaEmpty, func(b []byte, _ uint64) []byte { return append(b, "GET /health HTTP/1.1\r\nHost: opa\r\n\r\n"...) }, nil),
		silent.load(opaPlain, questions, verdictKind),
		logging.load(opaLogged, questions, verdictKind),
	}
	if err := s.warmUp(ctx, loads); err != nil {
		return err
	}
	if err := logging.warm(); err != nil {
		return err
	}
	for round := range s.Rounds {
		runs, err := s.measure(ctx, round, loads, progress)
		if err != nil {
			return err
		}
		p.Runs = append(p.Runs, runs...)
	}
	p.Rows = rows(p.Runs, loads)
	return nil
}

// agree asks both about the same calls and counts equal outcomes. Only calls with the
// pinned tool list count: OPA's server knows of no list.
func agree(ctx context.Context, svc *service, opa *opaServer) (agreed, compared int, err error) {
	for i := range samples {
		call, err := svc.at.plain(i * 33)
		if err != nil {
			return 0, 0, err
		}
		if call.GetToolsetFingerprint() == changed {
			continue
		}
		ours, err := writv1.NewDecisionServiceClient(svc.conn).Decide(ctx, call)
		if err != nil {
			return 0, 0, err
		}
		theirs, err := opa.ask(ctx, call)
		if err != nil {
			return 0, 0, err
		}
		compared++
		if theirs == int(ours.GetOutcome()) {
			agreed++
		}
	}
	return agreed, compared, nil
}

// verdictKind reads the strictest outcome of a set of verdicts, as Writ's own code
// does: in the contract's numbers, smaller is stricter.
func verdictKind(body []byte) (int, error) {
	if !bytes.HasPrefix(body, []byte(`{"`)) || !bytes.Contains(body, []byte(`"result":[`)) {
		return 0, fmt.Errorf("OPA answered %.200q, not a set of verdicts", body)
	}
	for _, outcome := range []writv1.Outcome{
		writv1.Outcome_OUTCOME_REFUSE, writv1.Outcome_OUTCOME_RECORD_ONLY, writv1.Outcome_OUTCOME_AWAIT_APPROVAL, writv1.Outcome_OUTCOME_RUN,
	} {
		if bytes.Contains(body, []byte(`"outcome":"`+strings.TrimPrefix(outcome.String(), "OUTCOME_")+`"`)) {
			return int(outcome), nil
		}
	}
	return int(writv1.Outcome_OUTCOME_REFUSE), nil // no rule spoke
}

func (p *peers) failed() error { return failed(p.Gates) }

// comes says what an answer of each comes with. OPA's side is what its source does
// (v1/server/server.go, v1/plugins/logs); each is made for another job.
func comes() [][4]string {
	return [][4]string{
		{"what an answer comes with", "Writ", "OPA", "OPA, console log"},
		{"written to a log before it is given", "yes", "no", "yes"},
		{"durable (fdatasync) before it is given", "yes", "no", "no: up to what keeps the console"},
		{"editing, reordering or cutting the log shows", "yes", "-", "no"},
		{"its place in the log, as evidence for the caller", "yes", "no", "no: an id"},
		{"tool list still the reviewed one", "yes", "no", "no"},
		{"arguments fit the pinned input schema", "yes", "no", "no"},
		{"effective traits from a reviewed catalogue", "yes", "no: the caller says them", "no"},
		{"repeated calls recognised (idempotency keys)", "yes", "no", "no"},
		{"answers remembered between calls", "yes", "no", "no"},
		{"the whole input in the log", "no: what rules read, the rest as digests", "-", "yes"},
		{"any Rego query, bundles, partial evaluation", "no", "yes", "yes"},
		{"logs shipped to a service, masked by rules", "no", "-", "can be"},
		{"transport", "gRPC", "HTTP/1.1", "HTTP/1.1"},
	}
}

func (p *peers) table(out io.Writer) error {
	w := printer{w: out}
	w.rows(p.Rows)
	w.line("\n")
	w.aligned(0, func(w *printer) {
		for _, r := range comes() {
			w.line("%s\t%s\t%s\t%s\t\n", r[0], r[1], r[2], r[3])
		}
	})
	w.line("\nOPA %s; %d of %d calls answered alike; its console log takes %.0f bytes a decision\n", p.OPA, p.Agreed, p.Compared, p.LogBytes)
	w.machine(p.Machine)
	w.gates(p.Gates)
	return w.err
}

func (p *peers) charts() map[string]plot.Chart {
	c := plot.Chart{Title: "Answers per second at 64 callers, by round", X: "round", Y: "answers/s"}
	for _, name := range []string{empty, plain, opaEmpty, opaPlain, opaLogged} {
		c.Lines = append(c.Lines, byRound(p.Runs, name))
	}
	return map[string]plot.Chart{"rounds": c}
}
