package main

import (
	"testing"

	"google.golang.org/protobuf/proto"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

func wire(t testing.TB, m proto.Message) []byte {
	t.Helper()
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOutcomeOf(t *testing.T) {
	answer := &writv1.DecideResponse{Outcome: writv1.Outcome_OUTCOME_RUN, DecisionId: "a-1"}
	if got, err := outcomeOf(wire(t, answer)); err != nil || got != int(writv1.Outcome_OUTCOME_RUN) {
		t.Errorf("got %d, %v", got, err)
	}
	for name, answer := range map[string][]byte{
		"empty": nil, "no outcome": wire(t, &writv1.DecideResponse{DecisionId: "a-1"}), "cut": {8}, "unknown": {8, 9},
	} {
		if _, err := outcomeOf(answer); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func TestAllDecided(t *testing.T) {
	response := &writv1.BatchDecideResult{Result: &writv1.BatchDecideResult_Response{
		Response: &writv1.DecideResponse{Outcome: writv1.Outcome_OUTCOME_REFUSE}}}
	failure := &writv1.BatchDecideResult{Result: &writv1.BatchDecideResult_Failure{Failure: &writv1.Failure{Code: 3}}}
	for name, c := range map[string]struct {
		results []*writv1.BatchDecideResult
		good    bool
	}{
		"all":       {[]*writv1.BatchDecideResult{response, response}, true},
		"too few":   {[]*writv1.BatchDecideResult{response}, false},
		"a failure": {[]*writv1.BatchDecideResult{response, failure}, false},
	} {
		_, err := allDecided(2)(wire(t, &writv1.BatchDecideResponse{Results: c.results}))
		if (err == nil) != c.good {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Whatever a service answers, the generator does not fall over it.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte{8, 4})
	f.Add(wire(f, &writv1.BatchDecideResponse{Results: []*writv1.BatchDecideResult{{}}}))
	f.Fuzz(func(_ *testing.T, answer []byte) {
		_, _ = outcomeOf(answer)
		_, _ = allDecided(1)(answer)
	})
}
