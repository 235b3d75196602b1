package rego

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
)

// A remembered answer is the fresh one, but for saying that it is remembered; its inputs
// are the call's own.
func TestRemembers(t *testing.T) {
	exact := load(t, policyOf(strings.Replace(payRules, "input.arguments.amount > 100", `json.marshal(input.arguments.amount) == "101"`, 1)), Options{})
	classed := load(t, policyOf(payRules), Options{})
	for name, test := range map[string]struct {
		policy        *Policy
		first, second string
		remembered    bool
		inputs        string
	}{
		"the same":    {exact, `{"amount": 5}`, `{"amount": 5, "note": "not read"}`, true, `{"tool":"pay","arguments":{"amount":5}}`},
		"another":     {exact, `{"amount": 6}`, `{"amount": 6.0}`, false, `{"tool":"pay","arguments":{"amount":6.0}}`},
		"one class":   {classed, `{"amount": 5}`, `{"amount": 6.0}`, true, `{"tool":"pay","arguments":{"amount":6.0}}`},
		"two classes": {classed, `{"amount": 7}`, `{"amount": 101}`, false, `{"tool":"pay","arguments":{"amount":101}}`},
	} {
		first := test.policy.Evaluate(t.Context(), call("pay", test.first))
		second := test.policy.Evaluate(t.Context(), call("pay", test.second))
		if second.Remembered != test.remembered || string(second.Inputs) != test.inputs {
			t.Errorf("%s: remembered %v, inputs %s; want %v, %s", name, second.Remembered, second.Inputs, test.remembered, test.inputs)
		}
		if diff := cmp.Diff(outline(first), outline(second)); test.remembered && diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What differs from call to call, or is large, is judged afresh.
func TestDoesNotRemember(t *testing.T) {
	timed := load(t, policyOf(`verdict contains {"outcome": "RUN", "code": "c", "reason": input.time}`), Options{})
	off := load(t, policyOf(payRules), Options{Remember: -1})
	read := load(t, policyOf(strings.Replace(payRules, "input.arguments.amount > 100", `json.marshal(input.arguments.amount) == "101"`, 1)), Options{})
	large := fmt.Sprintf(`{"amount": "%s"}`, bytes.Repeat([]byte("x"), maxKey))
	for name, ask := range map[string]func() Verdict{
		"time":  func() Verdict { return timed.Evaluate(t.Context(), &Input{Time: time.Unix(1, 0)}) },
		"off":   func() Verdict { return off.Evaluate(t.Context(), call("pay", `{"amount": 5}`)) },
		"large": func() Verdict { return read.Evaluate(t.Context(), call("pay", large)) },
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
	m.put(favourite, Verdict{}, false)
	for i := range 100 * answers {
		m.put(fmt.Appendf(nil, "%d", i), Verdict{}, false)
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
	m.put(nil, Verdict{}, false)
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
