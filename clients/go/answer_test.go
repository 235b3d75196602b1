package writ

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// R11, R28, R30: only a whole, fresh, understood permit runs.
func TestMayRunOnlyWithAWholePermit(t *testing.T) {
	now := time.Unix(1000, 0)
	permit := &writv1.DecideResponse{
		Outcome:         writv1.Outcome_OUTCOME_RUN,
		PermitExpiresAt: timestamppb.New(now.Add(time.Minute)),
		Log:             &writv1.LogPosition{LogId: "00", LeafHash: make([]byte, 32)},
	}
	with := func(change func(*writv1.DecideResponse)) Answer {
		r := proto.CloneOf(permit)
		change(r)
		return Answer{response: r, honoured: []string{"mask_result"}}
	}
	repeat := func(result writv1.Result, idempotent bool) Answer {
		return with(func(r *writv1.DecideResponse) {
			r.Repeat = &writv1.Repeat{FirstResult: result}
			r.Traits = &writv1.EffectiveTraits{Idempotent: idempotent}
		})
	}
	outcome := func(o writv1.Outcome) Answer {
		return with(func(r *writv1.DecideResponse) { r.Outcome = o })
	}
	for _, c := range []struct {
		name   string
		answer Answer
		runs   bool
	}{
		{"a whole permit", with(func(*writv1.DecideResponse) {}), true},
		{"the zero answer", Answer{}, false},
		{"an empty response", Answer{response: &writv1.DecideResponse{}}, false},
		{"unspecified", outcome(writv1.Outcome_OUTCOME_UNSPECIFIED), false},
		{"refuse", outcome(writv1.Outcome_OUTCOME_REFUSE), false},
		{"record only", outcome(writv1.Outcome_OUTCOME_RECORD_ONLY), false},
		{"await approval", outcome(writv1.Outcome_OUTCOME_AWAIT_APPROVAL), false},
		{"an outcome of a later contract", outcome(99), false},
		{"not logged", with(func(r *writv1.DecideResponse) { r.Log = nil }), false},
		{"no expiry", with(func(r *writv1.DecideResponse) { r.PermitExpiresAt = nil }), false},
		{"expired", with(func(r *writv1.DecideResponse) { r.PermitExpiresAt = timestamppb.New(now) }), false},
		{"an obligation it fulfils", with(func(r *writv1.DecideResponse) {
			r.Obligations = []*writv1.Obligation{{Kind: "mask_result"}}
		}), true},
		{"an unknown obligation", with(func(r *writv1.DecideResponse) {
			r.Obligations = []*writv1.Obligation{{Kind: "mask_result"}, {Kind: "call_a_lawyer"}}
		}), false},
		{"a repeat, nothing known of the first", repeat(writv1.Result_RESULT_UNKNOWN, false), false},
		{"a repeat, nothing reported", repeat(writv1.Result_RESULT_UNSPECIFIED, false), false},
		{"a repeat of one that succeeded", repeat(writv1.Result_RESULT_SUCCEEDED, false), false},
		{"a repeat of one that failed", repeat(writv1.Result_RESULT_FAILED, false), true},
		{"a repeat of one that was never permitted", repeat(writv1.Result_RESULT_NOT_PERMITTED, false), true},
		{"a repeat, a result of a later contract", repeat(99, false), false},
		{"a repeat, idempotent by review", repeat(writv1.Result_RESULT_UNKNOWN, true), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.answer.MayRun(now); got != c.runs {
				t.Errorf("MayRun = %v, want %v (%s)", got, c.runs, c.answer.Refusal(now))
			}
		})
	}
}

func TestPlainTextStaysOnThisMachine(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:4750": true, "[::1]:4750": true, "localhost:4750": true, "unix:/run/writ.sock": true,
		"10.0.0.1:4750": false, "example.com:4750": false, "127.0.0.1": false, "": false,
	} {
		client, err := Dial(address, Options{})
		if (err == nil) != ok {
			t.Errorf("Dial(%q): %v", address, err)
		}
		if err == nil {
			_ = client.Close()
		}
	}
}
