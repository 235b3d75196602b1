package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/catalog"
	writ "github.com/writ-dev/writ/clients/go"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

const listLog = "5f3c09ab000000000000000000000000"

// logged is an entry as the service sends it.
func logged(sequence uint64, id string, e *ledgerv1.Entry) *writv1.LogEntry {
	return &writv1.LogEntry{
		Position: &writv1.LogPosition{LogId: listLog, Sequence: sequence, LeafHash: []byte{1, 2}},
		Time:     timestamppb.New(time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)), DecisionId: id, Entry: e,
	}
}

func decided(tool string, outcome ledgerv1.Outcome, code string) *ledgerv1.Entry {
	return &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{
		Server: "mail", Tool: tool, Stage: "limited", Session: "s-1", Parties: &ledgerv1.Parties{Process: "p-1"},
		Judgement: &ledgerv1.Judgement{Outcome: outcome, Reason: &ledgerv1.Reason{Code: code, Sentence: "Because, it is so."}},
	}}}
}

func reported(id string, result ledgerv1.Result) *ledgerv1.Entry {
	return &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{DecisionId: id, Result: result, Caller: "gateway-1"}}}
}

func listed() []*writv1.LogEntry {
	repeat := decided("send", ledgerv1.Outcome_OUTCOME_RUN, "read_low")
	repeat.Settlement = &ledgerv1.Settlement{Outcome: ledgerv1.Outcome_OUTCOME_AWAIT_APPROVAL, Reason: &ledgerv1.Reason{Code: "repeat_stricter"}, DecisionId: "5f3c09ab-4"}
	return []*writv1.LogEntry{
		logged(1742, "5f3c09ab-1742", decided("search_messages", ledgerv1.Outcome_OUTCOME_RUN, "read_low")),
		logged(1741, "5f3c09ab-4", repeat),
		logged(1740, "", reported("5f3c09ab-1739", ledgerv1.Result_RESULT_FAILED)),
		logged(1739, "5f3c09ab-1739", decided(strings.Repeat("long", 30), ledgerv1.Outcome_OUTCOME_REFUSE, "tool_unknown")),
		logged(0, "", &ledgerv1.Entry{Body: &ledgerv1.Entry_LogCreated{LogCreated: &ledgerv1.LogCreated{}}}),
	}
}

func localTime() string {
	return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC).Local().Format(time.DateTime)
}

// A table fits what it is printed on: the stage goes, and long words are cut; what log
// show takes never is. A repeat is marked with what was answered, and a report speaks of
// its decision.
func TestListFits(t *testing.T) {
	for width, want := range map[int]string{
		80: `
TIME                 ENTRY          OUTCOME                  REASON    CALL
NOW  5f3c09ab-1742  RUN                      read_low  mail.sea…
NOW  1741           AWAIT_APPROVAL (repeat)  repeat_…  mail.send
NOW  1740           failed                   outcome…  of 5f3c0…
NOW  5f3c09ab-1739  REFUSE                   tool_un…  mail.lon…
NOW  0              -                        log cre…  -
`,
		300: `
TIME                 ENTRY          OUTCOME                  REASON            CALL                                                                                                                           STAGE
NOW  5f3c09ab-1742  RUN                      read_low          mail.search_messages                                                                                                           limited
NOW  1741           AWAIT_APPROVAL (repeat)  repeat_stricter   mail.send                                                                                                                      limited
NOW  1740           failed                   outcome reported  of 5f3c09ab-1739
NOW  5f3c09ab-1739  REFUSE                   tool_unknown      mail.longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglonglong  limited
NOW  0              -                        log created       -
`,
	} {
		var out bytes.Buffer
		if err := newColumns(&out, width).show(listed()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), strings.ReplaceAll(out.String(), localTime(), "NOW")); diff != "" {
			t.Errorf("width %d: %s", width, diff)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(line) - 1; n > width {
				t.Errorf("width %d: %d wide: %s", width, n, line)
			}
		}
	}
}

// CSV is what RFC 4180 says, and no spreadsheet runs anything that stands in it.
func TestListAsCSV(t *testing.T) {
	entries := listed()
	d := entries[0].GetEntry().GetDecision()
	d.Tool, d.Session, d.Credential, d.Release = "=HYPERLINK(\"x\")", "+1,2", "@a\nb", "-1"
	var out bytes.Buffer
	s := newSheet(&out)
	for _, e := range entries {
		if err := s.show([]*writv1.LogEntry{e}); err != nil {
			t.Fatal(err)
		}
	}
	if lines := strings.Count(out.String(), "\r\n"); lines != 6 {
		t.Errorf("%d lines end as RFC 4180 says, want 6", lines)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	cell := func(row int, column string) string {
		for i, name := range rows[0] {
			if name == column {
				return rows[row][i]
			}
		}
		t.Fatalf("no column %s", column)
		return ""
	}
	for _, c := range []struct {
		row          int
		column, want string
	}{
		{1, "tool", `'=HYPERLINK("x")`}, {1, "session", "'+1,2"}, {1, "credential", "'@a\uFFFDb"}, {1, "release", "'-1"},
		{1, "time", "2026-01-31T12:00:00Z"}, {1, "reason", "Because, it is so."}, {1, "repeat", "false"}, {2, "repeat", "true"},
		{2, "outcome", "AWAIT_APPROVAL"}, {3, "kind", "outcome_reported"}, {3, "result", "failed"}, {3, "decision_id", "5f3c09ab-1739"}, {3, "caller", "gateway-1"},
	} {
		if got := cell(c.row, c.column); got != c.want {
			t.Errorf("row %d, %s: %q, want %q", c.row, c.column, got, c.want)
		}
	}
}

func TestInert(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "plain": "plain", "a=b": "a=b", "=1": "'=1", "\t=1": "\uFFFD=1", "\u0020=1": "'\u0020=1", "@x": "'@x", "-": "'-", "\u202e=1": "\uFFFD=1",
	} {
		if got := inert(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// R32: another final target than the one that was decided is said.
func TestFinalTarget(t *testing.T) {
	d := &ledgerv1.Decision{TargetDigest: []byte{1}}
	for want, r := range map[string]*ledgerv1.OutcomeReported{
		"not stated": {}, "the one that was decided": {FinalTargetDigest: []byte{1}}, "ANOTHER than was decided": {FinalTargetDigest: []byte{2}},
	} {
		if got := finalTarget(r, d, nil); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestParseWhen(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for said, want := range map[string]string{
		"2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T10:00:00+02:00": "2026-01-31T08:00:00Z", "2026-01-31 10:30": "2026-01-31T10:30:00Z",
		"90m": "2026-03-01T10:30:00Z", "7d": "2026-02-22T12:00:00Z", "": "", "-5m": "", "yesterday": "", "99999999d": "",
	} {
		at, err := parseWhen(said, now)
		if got := at.UTC().Format(time.RFC3339); (err == nil) != (want != "") || err == nil && got != want {
			t.Errorf("%q: %s, %v, want %q", said, got, err, want)
		}
	}
}

// writ log list --follow prints what was there and what comes, and nothing else; told to
// end, it ends well, and a service that stops is an error.
func TestFollowCommand(t *testing.T) {
	sample, err := catalog.Sample()
	if err != nil {
		t.Fatal(err)
	}
	var logs bytes.Buffer
	running, err := startService(t.Context(), serveFlags{Listen: "127.0.0.1:0", Data: filepath.Join(t.TempDir(), "data"), Reserve: 1}, sample, streams{err: &logs})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	defer func() {
		if !stopped {
			_ = running.stop()
		}
	}()
	client, err := writ.Dial(running.dialAddress(), writ.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ask := func(session string) string {
		calls, err := sampleCalls()
		if err != nil {
			t.Fatal(err)
		}
		calls[0].Session = session
		answer, err := client.Decide(t.Context(), calls[0])
		if err != nil {
			t.Fatal(err)
		}
		return answer.Response().GetDecisionId()
	}
	want := []string{ask("s-1"), ask("s-1")}
	first, second := follower(t, running), follower(t, running)
	ask("s-2")
	want = append(want, ask("s-1"))
	for _, id := range want {
		if got := first.next(); got != id {
			t.Errorf("got %s, want %s", got, id)
		}
		second.next()
	}
	first.interrupt()
	if code := <-first.code; code != exitOK || first.err.Len() > 0 {
		t.Errorf("interrupted: exit %d, %s", code, &first.err)
	}
	stopped = true
	if err := running.stop(); err != nil {
		t.Error(err)
	}
	if code := <-second.code; code != exitFailed || !strings.Contains(second.err.String(), "the service stops") {
		t.Errorf("a service that stops: exit %d, %s", code, &second.err)
	}
}

type followerOf struct {
	t         *testing.T
	lines     *bufio.Scanner
	err       bytes.Buffer
	code      chan int
	interrupt context.CancelFunc
}

func follower(t *testing.T, s *service) *followerOf {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	f := &followerOf{t: t, lines: bufio.NewScanner(r), code: make(chan int, 1), interrupt: cancel}
	go func() {
		f.code <- run(ctx, []string{"log", "list", "--follow", "--session", "s-1", "-o", "jsonl", "--address", s.dialAddress()}, streams{out: w, err: &f.err})
	}()
	return f
}

// next waits for a line and returns the decision's id in it.
func (f *followerOf) next() string {
	f.t.Helper()
	var e struct {
		ID string `json:"decision_id"`
	}
	if !f.lines.Scan() {
		f.t.Fatal(f.lines.Err())
	}
	if err := json.Unmarshal(f.lines.Bytes(), &e); err != nil {
		f.t.Fatal(err)
	}
	return e.ID
}
