package ledger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// wants is the filter, told by an entry's decoded message.
func wants(f decisions.Filter, r Record) bool {
	if !f.Since.IsZero() && r.Time.Before(f.Since) || !f.Until.IsZero() && !r.Time.Before(f.Until) {
		return false
	}
	d := r.Entry.GetDecision()
	outcome, reason := d.GetJudgement().GetOutcome(), d.GetJudgement().GetReason().GetCode()
	if s := r.Entry.GetSettlement(); s != nil {
		outcome, reason = s.GetOutcome(), s.GetReason().GetCode()
	}
	for _, t := range f.Terms {
		var got string
		switch t.Field {
		case decisions.FieldKind:
			body := r.Entry.ProtoReflect().Descriptor().Oneofs().ByName("body")
			got = string(r.Entry.ProtoReflect().WhichOneof(body).Name())
		case decisions.FieldSession:
			got = d.GetSession()
		case decisions.FieldProcess:
			got = d.GetParties().GetProcess()
		case decisions.FieldAutomation:
			got = d.GetParties().GetAutomation()
		case decisions.FieldServer:
			got = d.GetServer()
		case decisions.FieldTool:
			got = d.GetTool()
		case decisions.FieldOutcome:
			if d != nil {
				got = decisions.RecordedOutcome(outcome).String()
			}
		case decisions.FieldReason:
			got = reason
		case decisions.FieldApproval:
			got = d.GetApprovalId()
		}
		if got != t.Value {
			return false
		}
	}
	return true
}

// twinPage reads every entry and keeps what the query wants.
func twinPage(t rapid.TB, l *Ledger, q decisions.Query) []uint64 {
	var all []Record
	for r, err := range l.Entries(0, l.Size()) {
		if err != nil {
			t.Fatal(err)
		}
		if q.OldestFirst && r.Sequence >= q.Start || !q.OldestFirst && r.Sequence <= q.Start {
			all = append(all, r)
		}
	}
	if !q.OldestFirst {
		slices.Reverse(all)
	}
	var page []uint64
	for _, r := range all {
		if wants(q.Filter, r) && len(page) < q.Limit {
			page = append(page, r.Sequence)
		}
	}
	return page
}

func page(t rapid.TB, l *Ledger, q decisions.Query) []uint64 {
	var found []uint64
	for r, err := range l.Select(context.Background(), q) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, r.Sequence)
	}
	return found
}

// drawProposal draws from few values, so that filters meet.
func drawProposal(t *rapid.T, filler int) decisions.Proposal {
	word := func(name string, most int) string {
		if n := rapid.IntRange(0, most).Draw(t, name); n > 0 {
			return fmt.Sprint(name, n)
		}
		return ""
	}
	if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
		return decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{DecisionId: "00000000-1"}}})}
	}
	c := call{request: word("request", 2), outcome: decisions.Outcome(rapid.IntRange(0, 3).Draw(t, "outcome")), code: decisions.Code(word("code", 3)), life: time.Hour}
	if key := word("key", 3); key != "" {
		c.key = key
	}
	c.change = func(d *ledgerv1.Decision) {
		d.Parties = &ledgerv1.Parties{Process: word("process", 4), Automation: word("automation", 2)}
		d.Session, d.Server, d.Tool, d.ApprovalId = word("session", 5), word("server", 2), word("tool", 4), word("approval", 9)
		d.Inputs = make([]byte, rapid.IntRange(0, filler).Draw(t, "filler"))
	}
	return c.proposal(t)
}

// drawFilter asks for what an entry of the log says, or for what none does.
func drawFilter(t *rapid.T, l *Ledger) decisions.Filter {
	r, err := l.Entry(rapid.Uint64Range(0, l.Size()-1).Draw(t, "like"))
	if err != nil {
		t.Fatal(err)
	}
	fields, err := decisions.ReadFields(r.Raw)
	if err != nil {
		t.Fatal(err)
	}
	var f decisions.Filter
	for field, value := range fields {
		if len(value) > 0 && rapid.IntRange(0, 2).Draw(t, "ask") == 0 {
			f.Terms = append(f.Terms, decisions.Term{Field: decisions.Field(field), Value: string(value)})
		}
	}
	switch rapid.IntRange(0, 5).Draw(t, "narrow") {
	case 0:
		f.Terms = append(f.Terms, decisions.Term{Field: decisions.FieldTool, Value: "never"})
	case 1:
		f.Since = r.Time
	case 2:
		f.Until = r.Time.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "ns")))
	case 3:
		f.Since, f.Until = r.Time.Add(-3*time.Second), r.Time.Add(3*time.Second)
	}
	return f
}

// What the index answers is what a scan of everything answers: with any filter, page by
// page in both directions, with entries written and segments sealed in between, what is
// in memory of the open segment and not, indexed and not.
func TestSelectIsAScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "select") //nolint:usetesting // gone with each check
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		clock := newClock()
		l, err := Open(t.Context(), Options{Dir: filepath.Join(dir, "data"), SegmentBytes: minSegmentBytes, ReserveBytes: 1, NoScrub: true, Now: clock.now})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		filler := rapid.SampledFrom([]int{0, 1000, 40_000}).Draw(t, "filler")
		write := func(most int) {
			for range rapid.IntRange(1, most).Draw(t, "count") {
				clock.advance(time.Duration(rapid.IntRange(0, 2).Draw(t, "tick")) * time.Second)
				if _, err := l.Append(drawProposal(t, filler)); err != nil {
					t.Fatal(err)
				}
			}
		}
		write(60)
		for range rapid.IntRange(1, 4).Draw(t, "lists") {
			readWhileWriting(t, l, write)
		}
	})
}

// readWhileWriting pages through one list.
func readWhileWriting(t *rapid.T, l *Ledger, write func(int)) {
	q := decisions.Query{Filter: drawFilter(t, l), OldestFirst: rapid.Bool().Draw(t, "oldest first"), Limit: rapid.IntRange(1, 9).Draw(t, "limit"), Start: l.Size() - 1}
	if q.OldestFirst {
		q.Start = rapid.Uint64Range(0, l.Size()).Draw(t, "start")
	}
	for range 5 {
		got := page(t, l, q)
		if diff := cmp.Diff(twinPage(t, l, q), got); diff != "" {
			t.Fatalf("%+v of %d entries in %d segments: %s", q, l.Size(), len(l.segments.view()), diff)
		}
		if len(got) == 0 || got[len(got)-1] == 0 {
			return
		}
		q.Start = got[len(got)-1] - 1
		if q.OldestFirst {
			q.Start += 2
		}
		if rapid.Bool().Draw(t, "write") {
			write(20)
		}
	}
}
