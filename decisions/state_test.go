package decisions_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

const (
	run    = decisions.Run
	await  = decisions.AwaitApproval
	record = decisions.RecordOnly
	refuse = decisions.Refuse
)

// judged is a request under one key: what policy said, and what comes out.
type judged struct {
	at      int64 // seconds
	request byte
	outcome decisions.Outcome
	code    decisions.Code
	// What the writer answers; settled false means that the judgement stands.
	settled bool
	want    decisions.Outcome
	reason  decisions.Code
	own     bool // a refusal under its own decision id
}

// R27, row by row. The key is remembered for 100 s.
func TestRepeats(t *testing.T) {
	timeout := decisions.CodePolicyTimeout
	for name, steps := range map[string][]judged{
		"the same again": {
			{request: 1, outcome: run, code: "a"},
			{request: 1, outcome: run, code: "b", settled: true, want: run, reason: "b"},
		},
		"another request": {
			{request: 1, outcome: run, code: "a"},
			{request: 2, outcome: run, code: "a", settled: true, want: refuse, reason: decisions.CodeKeyReused, own: true},
			{request: 1, outcome: run, code: "a", settled: true, want: run, reason: "a"},
		},
		"judged stricter now": {
			{request: 1, outcome: run, code: "a"},
			{request: 1, outcome: refuse, code: "b", settled: true, want: refuse, reason: "b"},
			{request: 1, outcome: run, code: "c", settled: true, want: refuse, reason: decisions.CodeRepeat},
		},
		"judged gentler now": {
			{request: 1, outcome: record, code: "a"},
			{request: 1, outcome: run, code: "b", settled: true, want: record, reason: decisions.CodeRepeat},
		},
		"approved meanwhile": {
			{request: 1, outcome: await, code: "a"},
			{request: 1, outcome: run, code: "b", settled: true, want: run, reason: "b"},
			{request: 1, outcome: await, code: "c", settled: true, want: await, reason: "c"},
			{request: 1, outcome: run, code: "d", settled: true, want: run, reason: "d"},
		},
		"denied meanwhile": {
			{request: 1, outcome: await, code: "a"},
			{request: 1, outcome: refuse, code: "b", settled: true, want: refuse, reason: "b"},
			{request: 1, outcome: run, code: "c", settled: true, want: refuse, reason: decisions.CodeRepeat},
		},
		"a refusal that passes": {
			{request: 1, outcome: refuse, code: timeout},
			{request: 1, outcome: run, code: "a", settled: true, want: run, reason: "a"},
		},
		"a refusal that passes hides nothing": {
			{request: 1, outcome: record, code: "a"},
			{request: 1, outcome: refuse, code: timeout, settled: true, want: refuse, reason: timeout},
			{request: 1, outcome: run, code: "b", settled: true, want: record, reason: decisions.CodeRepeat},
		},
		"expired": {
			{request: 1, outcome: refuse, code: "a"},
			{at: 99, request: 1, outcome: run, code: "b", settled: true, want: refuse, reason: decisions.CodeRepeat},
			{at: 100, request: 2, outcome: run, code: "c"},
			{at: 101, request: 1, outcome: run, code: "d", settled: true, want: refuse, reason: decisions.CodeKeyReused, own: true},
		},
	} {
		t.Run(name, func(t *testing.T) { testRepeats(t, steps) })
	}
}

func testRepeats(t *testing.T, steps []judged) {
	t.Helper()
	s := decisions.State{LogID: testLog, Keys: &decisions.MemoryKeys{}}
	for i, step := range steps {
		c := claim(step.request, step.outcome, step.code)
		got, err := s.Next(decisions.Event{Claim: c}, uint64(10+i), step.at*1e9)
		if err != nil {
			t.Fatal(err)
		}
		if (got != nil) != step.settled {
			t.Fatalf("step %d: settled %v, expected %v", i, got, step.settled)
		}
		if got == nil {
			continue
		}
		if decisions.RecordedOutcome(got.GetOutcome()) != step.want || decisions.Code(got.GetReason().GetCode()) != step.reason {
			t.Errorf("step %d: settled %v, expected %v (%s)", i, got, step.want, step.reason)
		}
		if repeat := got.GetDecisionId() == "5f3c09ab-10" && got.GetFirstSequence() == 10; repeat == step.own {
			t.Errorf("step %d: decision id %q, first %d", i, got.GetDecisionId(), got.GetFirstSequence())
		}
	}
}

func claim(request byte, outcome decisions.Outcome, code decisions.Code) *decisions.Claim {
	return &decisions.Claim{
		Request: decisions.Hash{request}, Outcome: outcome,
		Reason: decisions.Reason{Code: code, Sentence: "s", Rule: "r"}, Lifetime: 100 * time.Second,
	}
}

// R28: a repeat says what was reported of the first.
func TestReported(t *testing.T) {
	for name, c := range map[string]struct {
		report decisions.Report
		at     int64
		want   ledgerv1.Result
	}{
		"succeeded":      {decisions.Report{LogPrefix: "5f3c09ab", Sequence: 10, Result: ledgerv1.Result_RESULT_SUCCEEDED}, 1, ledgerv1.Result_RESULT_SUCCEEDED},
		"of another":     {decisions.Report{LogPrefix: "5f3c09ab", Sequence: 9, Result: ledgerv1.Result_RESULT_FAILED}, 1, ledgerv1.Result_RESULT_UNKNOWN},
		"of another log": {decisions.Report{LogPrefix: "00000000", Sequence: 10, Result: ledgerv1.Result_RESULT_FAILED}, 1, ledgerv1.Result_RESULT_UNKNOWN},
	} {
		s := decisions.State{LogID: testLog, Keys: &decisions.MemoryKeys{}}
		first := decisions.Event{Claim: claim(1, run, "a")}
		mustNext(t, s, first, 10, 0)
		mustNext(t, s, decisions.Event{Report: &c.report}, 11, c.at)
		if got := mustNext(t, s, first, 12, 2); got.GetFirstResult() != c.want {
			t.Errorf("%s: got %v, expected %v", name, got.GetFirstResult(), c.want)
		}
	}
}

// R28: what is known of the permits under a key, step by step. A failure opens one more
// try, not all of them; what succeeded stays so; what never was permitted never ran.
func TestPermitsUnderOneKey(t *testing.T) {
	const (
		never, unknown = ledgerv1.Result_RESULT_NOT_PERMITTED, ledgerv1.Result_RESULT_UNKNOWN
		failed, done   = ledgerv1.Result_RESULT_FAILED, ledgerv1.Result_RESULT_SUCCEEDED
	)
	wait := decisions.AwaitApproval
	ask := func(o decisions.Outcome) decisions.Event { return decisions.Event{Claim: claim(1, o, "a")} }
	report := func(r ledgerv1.Result) decisions.Event {
		return decisions.Event{Report: &decisions.Report{LogPrefix: "5f3c09ab", Sequence: 10, Result: r}}
	}
	for name, c := range map[string]struct {
		steps []decisions.Event
		want  ledgerv1.Result // what the last step, a repeat, says of those before
	}{
		"waits, then runs":                    {[]decisions.Event{ask(wait), ask(run)}, never},
		"waits, runs, and again":              {[]decisions.Event{ask(wait), ask(run), ask(run)}, unknown},
		"a passing refusal, then runs":        {[]decisions.Event{{Claim: claim(1, decisions.Refuse, decisions.CodePolicyTimeout)}, ask(run)}, never},
		"runs, nothing reported":              {[]decisions.Event{ask(run), ask(run)}, unknown},
		"failed opens one more try":           {[]decisions.Event{ask(run), report(failed), ask(run)}, failed},
		"and not a third":                     {[]decisions.Event{ask(run), report(failed), ask(run), ask(run)}, unknown},
		"until that one failed too":           {[]decisions.Event{ask(run), report(failed), ask(run), report(failed), ask(run)}, failed},
		"a late failure undoes no success":    {[]decisions.Event{ask(run), report(done), report(failed), ask(run)}, done},
		"nor does a late unknown":             {[]decisions.Event{ask(run), report(done), report(unknown), ask(run)}, done},
		"a success is told to every repeat":   {[]decisions.Event{ask(run), report(done), ask(run), ask(run)}, done},
		"a report that takes a permit back":   {[]decisions.Event{ask(run), report(never), ask(run)}, unknown},
		"a report of nothing":                 {[]decisions.Event{ask(run), report(0), ask(run)}, unknown},
		"a report of a later contract":        {[]decisions.Event{ask(run), report(256 + failed), ask(run)}, unknown},
		"a failure that turns out unknown":    {[]decisions.Event{ask(run), report(failed), report(unknown), ask(run)}, unknown},
		"a success of what was not permitted": {[]decisions.Event{ask(wait), report(done), ask(run)}, never},
		"a report of what was not permitted":  {[]decisions.Event{ask(wait), report(failed), ask(wait)}, never},
	} {
		s := decisions.State{LogID: testLog, Keys: &decisions.MemoryKeys{}}
		var got *ledgerv1.Settlement
		for i, e := range c.steps {
			got = mustNext(t, s, e, uint64(10+i), int64(i))
		}
		if got.GetFirstResult() != c.want {
			t.Errorf("%s: %v, want %v", name, got.GetFirstResult(), c.want)
		}
	}
}

func mustNext(t *testing.T, s decisions.State, e decisions.Event, sequence uint64, at int64) *ledgerv1.Settlement {
	t.Helper()
	got, err := s.Next(e, sequence, at)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A settlement fits behind every body that is let in.
func TestSettlementFits(t *testing.T) {
	s := decisions.State{LogID: testLog, Keys: &decisions.MemoryKeys{}}
	c := claim(1, record, decisions.Code(long(4096)))
	c.Reason.Sentence, c.Reason.Rule = long(60_000), long(9000)
	mustNext(t, s, decisions.Event{Claim: c}, 1<<63, 0)
	gentler := *c
	gentler.Outcome = run
	got := mustNext(t, s, decisions.Event{Claim: &gentler}, 1<<63+1, 1)
	if size := len(decisions.Seal(nil, nil, 1<<63, 1<<62, must(proto.Marshal(got)))); size > decisions.MaxEntry-decisions.MaxBody {
		t.Errorf("%d bytes, expected at most %d", size, decisions.MaxEntry-decisions.MaxBody)
	}
}

func long(n int) string {
	b := make([]byte, 0, n+2)
	for len(b) < n {
		b = append(b, "ж"...)
	}
	return string(b)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Replaying what was stored gives the state that was live, and a store that forgets
// what has expired gives the same settlements as one that forgets nothing.
func TestReplayIsLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var live, replayed decisions.MemoryKeys
		l := decisions.State{LogID: testLog, Keys: &live}
		r := decisions.State{LogID: testLog, Keys: &replayed}
		now := int64(0)
		for sequence := range uint64(rapid.IntRange(1, 60).Draw(t, "entries")) {
			now += rapid.Int64Range(0, 60e9).Draw(t, "step")
			entry := drawEntry(t, sequence)
			kind, message, err := decisions.BodyKind(entry)
			if err != nil {
				t.Fatal(err)
			}
			event, err := decisions.ReadEvent(kind, message)
			if err != nil {
				t.Fatal(err)
			}
			settlement, err := l.Next(event, sequence, now)
			if err != nil {
				t.Fatal(err)
			}
			var stored []byte
			if settlement != nil {
				stored = must(proto.Marshal(settlement))
			}
			raw := decisions.Seal(nil, entry, sequence, now, stored)
			if err := r.Replay(must(decisions.ParseEnvelope(raw))); err != nil {
				t.Fatalf("entry %d: %v", sequence, err)
			}
			if rapid.Bool().Draw(t, "sweep") {
				replayed.Sweep(now)
			}
		}
		live.Sweep(now)
		replayed.Sweep(now)
		for k := range byte(3) {
			a, known, _ := live.Key(decisions.Hash{k})
			b, knownToo, _ := replayed.Key(decisions.Hash{k})
			if a != b || known != knownToo {
				t.Fatalf("key %d: live %+v, replayed %+v", k, a, b)
			}
		}
	})
}

func drawEntry(t *rapid.T, sequence uint64) []byte {
	if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
		of := rapid.Uint64Range(0, sequence).Draw(t, "of")
		return must(proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{
			DecisionId: decisions.DecisionID(testLog, of), Result: ledgerv1.Result(rapid.IntRange(0, 5).Draw(t, "result")),
		}}}))
	}
	key := decisions.Hash{rapid.ByteRange(0, 2).Draw(t, "key")}
	request := decisions.Hash{rapid.ByteRange(0, 1).Draw(t, "request")}
	return must(proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
		RequestDigest:  request[:],
		IdempotencyKey: &ledgerv1.IdempotencyKey{KeyDigest: key[:], LifetimeSeconds: rapid.Uint32Range(0, 300).Draw(t, "life")},
		Judgement: &ledgerv1.Judgement{
			Outcome: decisions.Outcome(rapid.ByteRange(0, 3).Draw(t, "outcome")).Record(),
			Reason:  &ledgerv1.Reason{Code: rapid.SampledFrom([]string{"a", string(decisions.CodePolicyTimeout)}).Draw(t, "code")},
		},
	}}}))
}

// Any other settlement than the one that follows is noticed.
func TestReplayRefusesAnotherSettlement(t *testing.T) {
	forged := must(proto.Marshal(&ledgerv1.Settlement{Outcome: ledgerv1.Outcome_OUTCOME_RUN}))
	s := decisions.State{LogID: testLog, Keys: &decisions.MemoryKeys{}}
	raw := decisions.Seal(nil, body(t), 3, 4, forged)
	if err := s.Replay(must(decisions.ParseEnvelope(raw))); err == nil {
		t.Error("a settlement that nothing gives was taken")
	}
}
