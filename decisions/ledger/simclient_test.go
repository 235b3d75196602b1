package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// work has clients ask, each on its own, until they have asked enough.
func (s *simulation) work() {
	if s.plan.brink && s.toBrink() != nil {
		return
	}
	var clients sync.WaitGroup
	for id := range s.plan.clients {
		r := rand.New(rand.NewPCG(s.r.Uint64(), 2))
		clients.Go(func() { s.client(id, s.plan.actions, r) })
	}
	clients.Wait()
}

// toBrink fills the segment until one or two more entries begin the next one. It is the
// only caller, so that the writer rests after each answer.
func (s *simulation) toBrink() error {
	w := &s.open.writer
	for {
		left := int(w.segment.size) - int(w.offset) - w.batch.limit
		if left < 1000 {
			return nil
		}
		c := s.call(s.r)
		c.filler = min(left-500, 50_000)
		if err := s.append(s.open, c); err != nil {
			return err
		}
	}
}

func (s *simulation) client(id, actions int, r *rand.Rand) {
	l, gate := s.open, s.gate
	turn := simOp{kind: "client", name: fmt.Sprint(id), do: func() error { return nil }}
	for range actions {
		if gate.pass(turn) != nil || s.ask(l, r) != nil {
			return
		}
	}
}

// ask is one action of a client. The error is that of a ledger that has ended.
func (s *simulation) ask(l *Ledger, r *rand.Rand) error {
	var err error
	switch n := r.IntN(20); {
	case n == 0:
		_, err = s.blob(l, r)
	case n == 1:
		err = s.activate(l, r)
	case n == 2:
		err = s.report(l, r)
	case n == 3 && s.plan.many:
		err = s.appendMany(l, r)
	default:
		err = s.append(l, s.call(r))
	}
	if errors.Is(err, ErrNoSpace) {
		return nil
	}
	return err
}

// call is a decision that was never asked for before, under a key that may have been.
func (s *simulation) call(r *rand.Rand) call {
	c := call{tool: s.told.name(), outcome: decisions.Outcome(r.IntN(4)), code: "c", filler: r.IntN(300)}
	if r.IntN(3) > 0 {
		c.key, c.request = fmt.Sprint(r.IntN(6)), fmt.Sprint(r.IntN(10)/9)
		c.life = []time.Duration{time.Second, time.Hour, 100 * time.Hour}[r.IntN(3)]
	}
	if r.IntN(6) == 0 {
		c.filler = r.IntN(12_000)
	}
	if s.plan.large {
		c.filler = r.IntN(60_000)
	}
	return c
}

func (s *simulation) append(l *Ledger, c call) error {
	receipt, err := l.Append(c.proposal(s.t))
	s.told.answered(c.tool, receipt, err)
	return err
}

// appendMany fills a tile of the index at once.
func (s *simulation) appendMany(l *Ledger, r *rand.Rand) error {
	var proposals []decisions.Proposal
	var names []string
	for range tileWidth {
		c := s.call(r)
		c.filler = 0
		proposals, names = append(proposals, c.proposal(s.t)), append(names, c.tool)
	}
	receipts, err := l.AppendAll(proposals)
	for i, receipt := range receipts {
		s.told.answered(names[i], receipt, nil)
	}
	return err
}

func (s *simulation) blob(l *Ledger, r *rand.Rand) (string, error) {
	name, err := l.PutBlob(fmt.Append(nil, r.IntN(8)))
	if err == nil {
		s.told.kept(name)
	}
	return name, err
}

// activate appends an entry that names a blob.
func (s *simulation) activate(l *Ledger, r *rand.Rand) error {
	name, err := s.blob(l, r)
	if err != nil {
		return err
	}
	receipt, err := l.Append(decisions.Proposal{Body: marshal(s.t, &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{
		PolicyActivated: &ledgerv1.PolicyActivated{Files: []*ledgerv1.File{{Path: "p", Sha256: name}}}}})})
	s.told.answered("", receipt, err)
	return err
}

// report says what became of a decision.
func (s *simulation) report(l *Ledger, r *rand.Rand) error {
	receipt, err := l.Append(decisions.Proposal{Body: marshal(s.t, &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{
		OutcomeReported: &ledgerv1.OutcomeReported{
			DecisionId: decisions.DecisionID(l.LogID(), uint64(r.IntN(20))), Result: ledgerv1.Result(r.IntN(5)),
		}}})})
	s.told.answered("", receipt, err)
	return err
}
