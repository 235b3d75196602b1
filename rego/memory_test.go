package rego

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
)

// A remembered answer is the fresh one, but for saying that it is remembered.
func TestRemembers(t *testing.T) {
	p := load(t, policyOf(payRules), Options{})
	fresh := p.Evaluate(t.Context(), call("pay", `{"amount": 5}`))
	again := p.Evaluate(t.Context(), call("pay", `{"amount": 5, "note": "not read"}`))
	if fresh.Remembered || !again.Remembered {
		t.Errorf("remembered: %v, then %v; want false, true", fresh.Remembered, again.Remembered)
	}
	fresh.Remembered = true
	if diff := cmp.Diff(fresh, again); diff != "" {
		t.Error(diff)
	}
	if other := p.Evaluate(t.Context(), call("pay", `{"amount": 5.0}`)); other.Remembered {
		t.Error("5.0 was taken for 5")
	}
}

// What differs from call to call, or is large, is judged afresh.
func TestDoesNotRemember(t *testing.T) {
	timed := load(t, policyOf(`verdict contains {"outcome": "RUN", "code": "c", "reason": input.time}`), Options{})
	off := load(t, policyOf(payRules), Options{Remember: -1})
	on := load(t, policyOf(payRules), Options{})
	large := fmt.Sprintf(`{"amount": "%s"}`, bytes.Repeat([]byte("x"), maxKey))
	for name, ask := range map[string]func() Verdict{
		"time":  func() Verdict { return timed.Evaluate(t.Context(), &Input{Time: time.Unix(1, 0)}) },
		"off":   func() Verdict { return off.Evaluate(t.Context(), call("pay", `{"amount": 5}`)) },
		"large": func() Verdict { return on.Evaluate(t.Context(), call("pay", large)) },
	} {
		ask()
		if ask().Remembered {
			t.Errorf("%s: remembered", name)
		}
	}
}

// The memory is bounded, and keeps what is asked for.
func TestMemoryIsBounded(t *testing.T) {
	const answers = 64
	m := newMemory(answers)
	favourite := []byte("favourite")
	m.put(Verdict{Inputs: favourite})
	for i := range 100 * answers {
		m.put(Verdict{Inputs: fmt.Appendf(nil, "%d", i)})
		if _, ok := m.get(favourite); !ok {
			t.Fatalf("forgotten after %d others", i)
		}
	}
	held := 0
	for i := range m.parts {
		held += len(m.parts[i].young) + len(m.parts[i].old)
	}
	if held > answers {
		t.Errorf("holds %d answers; want at most %d", held, answers)
	}
	if _, ok := m.get([]byte("0")); ok {
		t.Error("remembers the first of many that nobody asked for")
	}
}

func TestNilMemory(t *testing.T) {
	var m *memory
	m.put(Verdict{})
	if _, ok := m.get(nil); ok {
		t.Error("remembers")
	}
}

// One policy judges many calls at once.
func TestConcurrentEvaluate(t *testing.T) {
	p := load(t, policyOf(payRules), Options{Remember: 64})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				amount := (g + i) % 150
				want := decisions.Run
				if amount > 100 {
					want = decisions.Refuse
				}
				if v := p.Evaluate(t.Context(), call("pay", fmt.Sprintf(`{"amount": %d}`, amount))); v.Outcome != want {
					t.Errorf("%d: got %v", amount, v)
				}
			}
		})
	}
	wg.Wait()
}

// A remembered answer costs next to nothing: of the two allocations that are allowed,
// none happens where the memory of an earlier call is at hand.
func TestRememberedAllocatesLittle(t *testing.T) {
	p := load(t, policyOf(payRules), Options{})
	in := call("pay", `{"to": "someone", "amount": 5, "note": "for lunch"}`)
	p.Evaluate(t.Context(), in)
	ctx := t.Context()
	if n := testing.AllocsPerRun(200, func() { p.Evaluate(ctx, in) }); n > 2 {
		t.Errorf("%v allocations, want at most 2", n)
	}
}
