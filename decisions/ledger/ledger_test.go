package ledger

import (
	"context"
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/writ-dev/writ/decisions"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// R31, R34: what was answered is in the log, under the sequence and leaf hash that
// the answer carried, also after the next start.
func TestAppendedIsThereAfterRestart(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	receipts := appendN(t, l, 700) // two tiles and a rest
	closeTest(t, l)
	l = openTest(t, o)
	for _, want := range receipts {
		got, err := l.Entry(want.Sequence)
		if err != nil {
			t.Fatal(err)
		}
		if got.Leaf != want.Leaf || got.Entry.GetSequence() != want.Sequence || !got.Time.Equal(want.Time) {
			t.Fatalf("entry %d: got %x at %v, the answer said %x at %v", want.Sequence, got.Leaf, got.Time, want.Leaf, want.Time)
		}
	}
}

// Concurrent writers get sequences without gaps, over several segments.
func TestConcurrentAppend(t *testing.T) {
	l := openTest(t, testOptions(t))
	first := l.Size()
	const writers, each = 16, 100
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if _, err := l.Append(call{tool: "t", filler: 1000}.proposal(t)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := l.Size() - first; got != writers*each {
		t.Errorf("%d entries, expected %d", got, writers*each)
	}
	if got := len(l.segments.view()); got < 3 {
		t.Errorf("%d segments: the test means to cross several", got)
	}
	next := uint64(0)
	for r, err := range l.Entries(0, l.Size()) {
		if err != nil || r.Sequence != next {
			t.Fatalf("got entry %d, %v, expected %d", r.Sequence, err, next)
		}
		next++
	}
	for r, err := range l.Select(t.Context(), decisions.Query{Start: l.Size()}) {
		if next--; err != nil || r.Sequence != next {
			t.Fatalf("backward: got entry %d, %v, expected %d", r.Sequence, err, next)
		}
	}
	if next != 0 {
		t.Errorf("backward ended at %d", next)
	}
}

// AppendAll keeps order, also where it takes several batches.
func TestAppendAll(t *testing.T) {
	l := openTest(t, testOptions(t))
	var ps []decisions.Proposal
	for range 40 {
		ps = append(ps, call{tool: "big", filler: 50_000}.proposal(t))
	}
	receipts, err := l.AppendAll(ps)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range receipts {
		if r.Sequence != receipts[0].Sequence+uint64(i) {
			t.Errorf("receipt %d has sequence %d", i, r.Sequence)
		}
	}
	if got := l.Stats().Batches; got < 3 {
		t.Errorf("%d batches: the test means to need several", got)
	}
}

func TestMalformedProposals(t *testing.T) {
	l := openTest(t, testOptions(t))
	good := call{tool: "t", key: "k", request: "r"}.proposal(t)
	other := call{tool: "t", key: "k", request: "other"}.proposal(t)
	for name, c := range map[string]struct {
		p    decisions.Proposal
		want error
	}{
		"empty":            {decisions.Proposal{}, ErrProposal},
		"cut short":        {decisions.Proposal{Body: good.Body[:len(good.Body)-1], Claim: good.Claim}, ErrProposal},
		"two bodies":       {decisions.Proposal{Body: append(good.Body[:len(good.Body):len(good.Body)], good.Body...), Claim: good.Claim}, ErrProposal},
		"claim left out":   {decisions.Proposal{Body: good.Body}, ErrProposal},
		"claim of another": {decisions.Proposal{Body: good.Body, Claim: other.Claim}, ErrProposal},
		"claim made up":    {decisions.Proposal{Body: call{tool: "t"}.proposal(t).Body, Claim: good.Claim}, ErrProposal},
		"the ledger's own": {decisions.Proposal{Body: []byte{0x12, 0}}, ErrProposal},
		"too large":        {call{tool: "t", filler: decisions.MaxBody}.proposal(t), ErrTooLarge},
	} {
		before := l.Size()
		if _, err := l.Append(c.p); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, expected %v", name, err, c.want)
		}
		if l.Size() != before {
			t.Errorf("%s: an entry was written", name)
		}
	}
	if _, err := l.Append(good); err != nil {
		t.Errorf("a good proposal after bad ones: %v", err)
	}
}

func TestClosed(t *testing.T) {
	l := openTest(t, testOptions(t))
	closeTest(t, l)
	if _, err := l.Append(call{tool: "t"}.proposal(t)); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v, expected ErrClosed", err)
	}
}

func TestInUse(t *testing.T) {
	o := testOptions(t)
	openTest(t, o)
	if _, err := Open(context.Background(), o); !errors.Is(err, ErrInUse) {
		t.Errorf("got %v, expected ErrInUse", err)
	}
}
