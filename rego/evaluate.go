package rego

import (
	"context"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/topdown"

	"github.com/writ-dev/writ/decisions"
)

// Evaluate judges one call. It always answers: whatever fails is REFUSE, with a code
// of its own (R11).
func (p *Policy) Evaluate(ctx context.Context, in *Input) Verdict {
	if p == nil {
		return refusal(decisions.CodePolicyUndefined, "No policy is loaded.")
	}
	inputs, err := p.document.append(make([]byte, 0, 512), in)
	if err != nil {
		return refusal(decisions.CodePolicyError, sentence(err))
	}
	if v, ok := p.memory.get(inputs); ok {
		return v
	}
	v, final := p.decide(ctx, inputs)
	if final && !p.document.timed {
		p.memory.put(v)
	}
	return v
}

// Replay judges a document that an earlier Verdict.Inputs kept: under the same
// revision the answer is the same.
func (p *Policy) Replay(ctx context.Context, inputs []byte) Verdict {
	if p == nil {
		return refusal(decisions.CodePolicyUndefined, "No policy is loaded.")
	}
	v, _ := p.decide(ctx, inputs)
	return v
}

// decide evaluates a document. The answer is final if it can only be the same again.
func (p *Policy) decide(ctx context.Context, inputs []byte) (v Verdict, final bool) {
	defer func() {
		if r := recover(); r != nil {
			v, final = refusal(decisions.CodePolicyError, fmt.Sprintf("The policy engine failed: %v.", r)), false
		}
		v.Inputs = inputs
	}()
	ctx, cancel := context.WithTimeout(ctx, p.deadline)
	defer cancel()
	v, err := p.judge.verdict(ctx, inputs)
	switch {
	case err == nil:
		return v, true
	case ctx.Err() != nil || topdown.IsCancel(err):
		return refusal(decisions.CodePolicyTimeout,
			fmt.Sprintf("The policy did not answer within %v; make its rules cheaper.", p.deadline)), false
	}
	return refusal(decisions.CodePolicyError, sentence(err)), false
}

// sentence makes an error one sentence for people.
func sentence(err error) string {
	words := strings.Join(strings.Fields(err.Error()), " ")
	return "The policy could not be evaluated: " + strings.TrimSuffix(words, ".") + "."
}
