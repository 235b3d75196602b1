package ledger

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// R27 end to end: what the writer settled is in the entry and in the receipt, and
// holds over a restart.
func TestRepeatOverRestart(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	c := call{tool: "pay", key: "k", request: "r", outcome: decisions.Run, code: "ok", life: time.Hour}
	first, err := l.Append(c.proposal(t))
	if err != nil || first.Settlement != nil {
		t.Fatalf("first: %v, %v", first.Settlement, err)
	}
	report := &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{
		DecisionId: decisions.DecisionID(l.LogID(), first.Sequence), Result: ledgerv1.Result_RESULT_SUCCEEDED,
	}}}
	if _, err := l.Append(decisions.Proposal{Body: marshal(t, report)}); err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 600) // into the index with it
	closeTest(t, l)
	l = openTest(t, o)
	again, err := l.Append(c.proposal(t))
	if err != nil {
		t.Fatal(err)
	}
	s := again.Settlement
	if s.GetFirstSequence() != first.Sequence || s.GetDecisionId() != decisions.DecisionID(l.LogID(), first.Sequence) || s.GetFirstResult() != ledgerv1.Result_RESULT_SUCCEEDED {
		t.Errorf("settled %v, expected a repeat of %d that succeeded", s, first.Sequence)
	}
	r, err := l.Entry(again.Sequence)
	if err != nil || r.Entry.GetSettlement().GetDecisionId() != s.GetDecisionId() {
		t.Errorf("stored %v, %v, answered %v", r.Entry.GetSettlement(), err, s)
	}
}

// R25: entry time never runs backwards, whatever the clock does, also over a restart.
func TestTimeNeverRunsBackwards(t *testing.T) {
	o := testOptions(t)
	clock := newClock()
	o.Now = clock.now
	l := openTest(t, o)
	high := appendN(t, l, 1)[0].Time
	clock.advance(-time.Hour)
	if got := appendN(t, l, 1)[0].Time; got.Before(high) {
		t.Errorf("%v follows %v", got, high)
	}
	closeTest(t, l)
	l = openTest(t, o)
	if got := appendN(t, l, 1)[0].Time; got.Before(high) {
		t.Errorf("after a restart, %v follows %v", got, high)
	}
}

// keyInput and keyOutput are one append to the register that a key is.
type (
	keyInput  struct{ key, request int }
	keyOutput struct {
		first    uint64 // sequence of the first entry
		repeat   bool
		conflict bool
	}
)

// Concurrent requests with the same keys are answered as if one came after the other
// (checked by Porcupine): one is the first, equal ones repeat it, others are refused.
func TestConcurrentKeysLinearize(t *testing.T) {
	l := openTest(t, testOptions(t))
	var mu sync.Mutex
	var operations []porcupine.Operation
	var wg sync.WaitGroup
	for client := range 12 {
		wg.Go(func() {
			for i := range 30 {
				in := keyInput{key: i % 5, request: (client + i) % 2}
				began := time.Now().UnixNano()
				out := ask(t, l, in)
				mu.Lock()
				operations = append(operations, porcupine.Operation{ClientId: client, Input: in, Call: began, Output: out, Return: time.Now().UnixNano()})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if !porcupine.CheckOperations(keyModel(), operations) {
		t.Error("no order of the requests explains the answers")
	}
}

func ask(t *testing.T, l *Ledger, in keyInput) keyOutput {
	c := call{tool: "t", key: fmt.Sprint(in.key), request: fmt.Sprint(in.request), outcome: decisions.Run, life: time.Hour}
	r, err := l.Append(c.proposal(t))
	if err != nil {
		t.Error(err)
		return keyOutput{}
	}
	switch {
	case r.Settlement == nil:
		return keyOutput{first: r.Sequence}
	case r.Settlement.GetDecisionId() != "":
		return keyOutput{first: r.Settlement.GetFirstSequence(), repeat: true}
	}
	return keyOutput{conflict: true}
}

// keyState is a key's sequential truth.
type keyState struct {
	taken   bool
	request int
	first   uint64
}

func keyModel() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
			parts := make([][]porcupine.Operation, 5)
			for _, o := range history {
				key := o.Input.(keyInput).key
				parts[key] = append(parts[key], o)
			}
			return parts
		},
		Init: func() any { return keyState{} },
		Step: func(state, input, output any) (bool, any) {
			s, in, out := state.(keyState), input.(keyInput), output.(keyOutput)
			switch {
			case !s.taken:
				return !out.repeat && !out.conflict, keyState{true, in.request, out.first}
			case s.request != in.request:
				return out.conflict, s
			}
			return out.repeat && out.first == s.first, s
		},
	}
}
