package rego

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/writ-dev/writ/decisions"
)

// R11, R35: whatever a call's arguments hold, a policy that fails on them refuses with
// a bounded answer that repeats none of them.
func TestHostileArgumentsMakeNoLargeAnswer(t *testing.T) {
	secret := strings.Repeat("secret ", 20_000)
	for name, rule := range map[string]string{
		"a built-in fails":      `verdict contains {"outcome": "RUN", "code": "c", "reason": "R."} if to_number(input.arguments.query) > 100`,
		"obligations of text":   `verdict contains {"outcome": "RUN", "code": "c", "reason": "R.", "obligations": input.arguments.query}`,
		"a reason of arguments": `verdict contains {"outcome": "RUN", "code": "c", "reason": input.arguments.query}`,
		"an outcome of them":    `verdict contains {"outcome": input.arguments.query, "code": "c", "reason": "R."}`,
		"a verdict of them":     `verdict contains input.arguments.query`,
		"many obligations":      `verdict contains {"outcome": "RUN", "code": "c", "reason": "R.", "obligations": [{"kind": "mask", "value": sprintf("%d", [i])} | some i in numbers.range(1, 5000)]}`,
		"from many rules": `verdict contains {"outcome": "RUN", "code": "c", "reason": "R.", "obligations": [{"kind": "mask", "value": sprintf("%d", [i])}]} if {
	some i in numbers.range(1, 100)
}`,
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Load(t.Context(), fstest.MapFS{
				"writ/rules.rego": {Data: []byte("package writ\n\n" + rule + "\n")},
				"writ/data.yaml":  {Data: []byte("stages: [rehearsal]\n")},
			}, Options{Deadline: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			arguments, err := json.Marshal(map[string]string{"query": secret})
			if err != nil {
				t.Fatal(err)
			}
			v := p.Evaluate(t.Context(), &Input{Arguments: arguments})
			if v.Outcome != decisions.Refuse || len(v.Reason.Sentence) > 1024 || strings.Count(v.Reason.Sentence, "secret") > 75 {
				t.Errorf("%s: %d bytes: %.200s", v.Outcome, len(v.Reason.Sentence), v.Reason.Sentence)
			}
		})
	}
}
