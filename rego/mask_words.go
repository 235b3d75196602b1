package rego

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"github.com/writ-dev/writ/decisions"
)

// phrases are texts that stand in the policy itself, so that no call is quoted by them.
type phrases map[string]bool

// phrases collects the strings of rules and data.
func (s *source) phrases() phrases {
	all := phrases{}
	for _, m := range s.modules {
		ast.WalkTerms(m, func(t *ast.Term) bool {
			if text, ok := t.Value.(ast.String); ok {
				all[string(text)] = true
			}
			return false
		})
	}
	all.collect(s.data)
	return all
}

func (p phrases) collect(value any) {
	eachScalar(value, func(scalar any) {
		if text, ok := scalar.(string); ok {
			p[text] = true
		}
	})
}

// withhold keeps masked values out of what a verdict says, since log and answer show
// that (R35). A sentence that quotes one is replaced. Elsewhere only the policy's own
// words make sense, so a verdict that quotes one is refused.
func (p *Policy) withhold(v Verdict) Verdict {
	if p.mask == nil {
		return v
	}
	secrets := p.secrets(v.Inputs)
	quotes := func(text string) bool { return !p.phrases[text] && quotesAny(text, secrets) }
	inputs, words := v.Inputs, []string{string(v.Reason.Code), v.Reason.Rule}
	for _, o := range v.Obligations {
		words = append(words, o.Kind, o.Value)
	}
	for _, word := range words {
		if quotes(word) {
			v = refusal(decisions.CodePolicyUnknown, "The policy is wrong: it writes a value that it masks into a code, a rule's name or an obligation.")
			v.Inputs = inputs
			return v
		}
	}
	if quotes(v.Reason.Sentence) {
		v.Reason.Sentence = "The sentence quotes a value that the policy masks, so it is withheld."
	}
	return v
}

// secrets are the texts that a document's masked values can be quoted by.
func (p *Policy) secrets(inputs []byte) []string {
	if len(inputs) == 0 {
		return nil
	}
	var texts []string
	for _, h := range p.mask.find(inputs) {
		decoder := json.NewDecoder(strings.NewReader(string(inputs[h.from:h.to])))
		decoder.UseNumber()
		var value any
		if decoder.Decode(&value) != nil {
			continue // nothing that could be judged, so nothing that could be quoted
		}
		eachScalar(value, func(scalar any) { texts = append(texts, spellings(scalar)...) })
	}
	return texts
}

// spellings are how a rule may write a value. Truth values and null say nothing.
func spellings(scalar any) []string {
	switch s := scalar.(type) {
	case string:
		quoted := appendText(nil, s)
		return []string{s, string(quoted[1 : len(quoted)-1])}
	case json.Number:
		texts := []string{s.String()}
		if f, err := s.Float64(); err == nil {
			texts = append(texts, strconv.FormatFloat(f, 'f', -1, 64), strconv.FormatFloat(f, 'g', -1, 64))
		}
		return texts
	}
	return nil
}

func quotesAny(text string, secrets []string) bool {
	for _, s := range secrets {
		if s != "" && strings.Contains(text, s) {
			return true
		}
	}
	return false
}

// eachScalar visits what is no list and no object, and the keys of objects.
func eachScalar(value any, visit func(any)) {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			visit(key)
			eachScalar(below, visit)
		}
	case []any:
		for _, below := range v {
			eachScalar(below, visit)
		}
	default:
		visit(v)
	}
}
