package rego

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/writ-dev/writ/decisions"
)

var (
	// errValue marks a verdict that says what Writ does not know.
	errValue = errors.New("unknown value in a verdict")
	// errKey marks one that has a key which Writ does not know.
	errKey = fmt.Errorf("%w: key", errValue)
)

// maxPermitSeconds is one day.
const maxPermitSeconds = 24 * 60 * 60

// What goes with one answer is bounded, so that it fits an entry.
const (
	maxObligations     = 32
	maxObligationBytes = 8 << 10
)

// decode reads the set of verdicts and takes the strictest (R11).
func (j *judge) decode(set ast.Set) Verdict {
	if set.Len() == 0 {
		return refusal(decisions.CodePolicyUndefined, "No rule of the policy speaks about this call.")
	}
	verdicts := make([]Verdict, 0, set.Len())
	for _, term := range set.Slice() {
		v, err := decodeVerdict(term.Value)
		if err != nil {
			return refusal(decisions.CodePolicyUnknown, "The policy is wrong: "+clip(err.Error())+j.place(term.Value)+".")
		}
		if v.Reason.Rule == "" {
			v.Reason.Rule = cmp.Or(j.rules[string(v.Reason.Code)], "data.writ.verdict")
		}
		verdicts = append(verdicts, v)
	}
	v := strictest(verdicts)
	if n, size := len(v.Obligations), sizeOf(v.Obligations); n > maxObligations || size > maxObligationBytes {
		return refusal(decisions.CodePolicyUnknown, fmt.Sprintf(
			"The policy is wrong: %d obligations of %d bytes go with one answer; expected at most %d and %d bytes.",
			n, size, maxObligations, maxObligationBytes))
	}
	return v
}

// place says where a wrong verdict comes from, as far as its code tells.
func (j *judge) place(verdict ast.Value) string {
	object, _ := verdict.(ast.Object)
	if object == nil {
		return ""
	}
	code := object.Get(ast.InternedTerm("code"))
	if code == nil {
		return ""
	}
	word, _ := code.Value.(ast.String)
	if place := j.rules[string(word)]; place != "" {
		return " (" + place + ")"
	}
	return fmt.Sprintf(" (code %q)", clip(string(word)))
}

func sizeOf(obligations []Obligation) (size int) {
	for _, o := range obligations {
		size += len(o.Kind) + len(o.Value)
	}
	return size
}

// decodeVerdict reads one verdict. Nothing in it is optional by accident: an unknown
// key, word or type is an error.
func decodeVerdict(value ast.Value) (Verdict, error) {
	object, ok := value.(ast.Object)
	if !ok {
		return Verdict{}, fmt.Errorf("%w: a verdict is %s; expected an object with outcome, code and reason", errValue, ast.ValueName(value))
	}
	var v Verdict
	err := object.Iter(func(key, value *ast.Term) error { return v.set(key.Value, value.Value) })
	if err != nil {
		return Verdict{}, err
	}
	return v, v.complete(object)
}

// set reads one member of a verdict.
func (v *Verdict) set(key, value ast.Value) error {
	name, _ := key.(ast.String)
	switch name {
	case "outcome":
		return setWord(&v.Outcome, name, value, decisions.ParseOutcome)
	case "approval":
		return setWord(&v.Approval, name, value, decisions.ParseApprovalKind)
	case "code":
		return setWord(&v.Reason.Code, name, value, parseCode)
	case "reason":
		return setWord(&v.Reason.Sentence, name, value, parseText)
	case "rule":
		return setWord(&v.Reason.Rule, name, value, parseText)
	case "permit_seconds":
		return v.setPermit(value)
	case "obligations":
		return v.setObligations(value)
	}
	return fmt.Errorf("%w %v; expected outcome, code, reason, approval, obligations, permit_seconds or rule", errKey, key)
}

func setWord[T any](to *T, name ast.String, value ast.Value, parse func(string) (T, error)) error {
	word, ok := value.(ast.String)
	if !ok {
		return fmt.Errorf("%w: %s is %s; expected a string", errValue, string(name), ast.ValueName(value))
	}
	parsed, err := parse(string(word))
	if err != nil {
		return fmt.Errorf("%w: %s: %w", errValue, string(name), err)
	}
	*to = parsed
	return nil
}

func (v *Verdict) setPermit(value ast.Value) error {
	n, _ := value.(ast.Number)
	seconds, ok := n.Int64()
	if !ok || seconds < 1 || seconds > maxPermitSeconds {
		return fmt.Errorf("%w: permit_seconds is %v; expected a whole number from 1 to %d", errValue, value, maxPermitSeconds)
	}
	v.PermitSeconds = uint32(seconds)
	return nil
}

// setObligations takes an array or a set of {kind, value}.
func (v *Verdict) setObligations(value ast.Value) error {
	list, ok := value.(interface{ Foreach(func(*ast.Term)) })
	if _, isObject := value.(ast.Object); !ok || isObject {
		return fmt.Errorf("%w: obligations are %s; expected an array or a set", errValue, ast.ValueName(value))
	}
	if many, counts := value.(interface{ Len() int }); !counts || many.Len() > maxObligations {
		return fmt.Errorf("%w: there are too many obligations; expected at most %d", errValue, maxObligations)
	}
	var err error
	list.Foreach(func(t *ast.Term) {
		o, e := decodeObligation(t.Value)
		v.Obligations = append(v.Obligations, o)
		err = cmp.Or(err, e)
	})
	return err
}

func decodeObligation(value ast.Value) (Obligation, error) {
	object, ok := value.(ast.Object)
	if !ok || object.Len() != 2 {
		return Obligation{}, fmt.Errorf("%w: an obligation is %s; expected an object with kind and value", errValue, ast.ValueName(value))
	}
	var o Obligation
	err := object.Iter(func(key, value *ast.Term) error {
		switch name, _ := key.Value.(ast.String); name {
		case "kind":
			return setWord(&o.Kind, "an obligation's kind", value.Value, parseText)
		case "value":
			return setWord(&o.Value, "an obligation's value", value.Value, anyText)
		}
		return fmt.Errorf("%w: obligation's key %v; expected kind or value", errValue, key)
	})
	return o, err
}

// complete checks what a verdict must say, and what goes together.
func (v *Verdict) complete(object ast.Object) error {
	for _, key := range []string{"outcome", "code", "reason"} {
		if object.Get(ast.InternedTerm(key)) == nil {
			return fmt.Errorf("%w: a verdict does not say its %s", errValue, key)
		}
	}
	if waits := v.Outcome == decisions.AwaitApproval; waits != (v.Approval != decisions.NoApproval) {
		return fmt.Errorf("%w: %s with approval %s; approval goes with AWAIT_APPROVAL, and only with it: write per_call or session",
			errValue, v.Outcome, v.Approval)
	}
	return nil
}

// parseCode reads a reason code: snake_case, at most 64 bytes.
func parseCode(word string) (decisions.Code, error) {
	ok := len(word) > 0 && len(word) <= 64 && word[0] >= 'a' && word[0] <= 'z'
	for _, c := range []byte(word) {
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')
	}
	if !ok {
		return "", fmt.Errorf("%q: expected snake_case of at most 64 letters, digits and underscores", word)
	}
	return decisions.Code(word), nil
}

// maxText bounds what a policy writes into an answer, in bytes.
const maxText = 2048

func parseText(s string) (string, error) {
	if s == "" {
		return "", errors.New("empty; expected text")
	}
	return anyText(s)
}

func anyText(s string) (string, error) {
	if len(s) > maxText {
		return "", fmt.Errorf("%d bytes; expected at most %d", len(s), maxText)
	}
	return s, nil
}
