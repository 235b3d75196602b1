package rego

import (
	"fmt"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// benchCalls are calls that match one row of the default policy, and the strictest
// one, which matches three.
func benchCalls() map[string]*Input {
	gentle := Input{Stage: "general", ScopeStated: true, Classified: decisions.Classified{Traits: decisions.Gentlest}}
	return map[string]*Input{"one_row": &gentle, "three_rows": {Stage: "general", ScopeStated: true}}
}

func benchmarkDefault(b *testing.B, o Options) {
	o.Deadline = unhurried
	p, err := Load(b.Context(), Default(), o)
	if err != nil {
		b.Fatal(err)
	}
	for name, in := range benchCalls() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p.Evaluate(b.Context(), in)
			}
		})
	}
}

func BenchmarkEvaluateFresh(b *testing.B)      { benchmarkDefault(b, Options{Remember: -1}) }
func BenchmarkEvaluateRemembered(b *testing.B) { benchmarkDefault(b, Options{}) }

// An argument that a rule names, there and absent.
func BenchmarkArguments(b *testing.B) {
	for _, remember := range []int{-1, 0} {
		p := load(b, policyOf(payRules), Options{Remember: remember})
		for _, in := range []*Input{call("pay", `{"to": "someone", "amount": 5, "note": "for lunch"}`), call("send", `{"to": "someone"}`)} {
			b.Run(fmt.Sprintf("%s/remember=%v", in.Tool, remember == 0), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					p.Evaluate(b.Context(), in)
				}
			})
		}
	}
}
