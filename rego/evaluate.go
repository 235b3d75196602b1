package rego

import (
	"bytes"
	"context"
	"errors"
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
	room := p.room(in)
	defer p.rooms.Put(room)
	inputs, key, err := room.write(p)
	if err != nil {
		return refusal(decisions.CodePolicyError, sentence(err))
	}
	if v, ok := p.memory.get(key); ok {
		if v.Inputs == nil {
			v.Inputs = bytes.Clone(inputs)
		}
		return v
	}
	v, final := p.decide(ctx, bytes.Clone(inputs))
	if final && !p.document.timed {
		p.memory.put(key, v, p.classes != nil)
	}
	return v
}

// room is where one call is looked at. It is used again, so that a remembered answer
// costs no allocation: not of the input either, which nothing else keeps.
type room struct {
	in            Input
	document, key []byte // empty
}

func (p *Policy) room(in *Input) *room {
	r, _ := p.rooms.Get().(*room)
	if r == nil {
		r = &room{document: make([]byte, 0, maxKey)}
		if p.classes != nil {
			r.key = make([]byte, 0, maxKey)
		}
	}
	r.in = *in
	return r
}

// write returns the call's document, and the key for its answer: the same one with
// classes in place of values, where there are any. Both are good while the room is.
func (r *room) write(p *Policy) (inputs, key []byte, err error) {
	inputs, err = p.document.append(r.document, &r.in)
	if key = inputs; err == nil && p.classes != nil {
		key, err = p.classes.append(r.key, &r.in)
		r.key = reusable(r.key, key)
	}
	r.document = reusable(r.document, inputs)
	r.in = Input{}
	return inputs, key, err
}

// reusable is the memory for the next text: that of the last one, unless it is large.
func reusable(before, last []byte) []byte {
	if last != nil && cap(last) <= maxKey {
		return last[:0]
	}
	return before
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
		v = p.withhold(v)
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

// sentence makes an error one sentence for people. Of what a built-in complains about
// only its name and the place are kept: the rest can repeat an argument, and the
// sentence stands in the log (R35).
func sentence(err error) string {
	var failed *topdown.Error
	if !errors.As(err, &failed) {
		return "The policy could not be evaluated: " + clip(strings.TrimSuffix(err.Error(), ".")) + "."
	}
	what, _, _ := strings.Cut(failed.Message, ":")
	place := "an unknown place"
	if failed.Location != nil {
		place = fmt.Sprintf("%s:%d", failed.Location.File, failed.Location.Row)
	}
	return fmt.Sprintf("The policy could not be evaluated: %s (%s) at %s.", clip(what), failed.Code, place)
}

// clip makes a text one bounded line.
func clip(text string) string {
	const most = 512
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}
