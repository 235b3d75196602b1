package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// The strictest verdict counts, as it does with Writ; no verdict refuses.
func TestVerdictKind(t *testing.T) {
	for body, want := range map[string]writv1.Outcome{
		`{"result":[{"code":"read_low","outcome":"RUN"}]}`:                              writv1.Outcome_OUTCOME_RUN,
		`{"decision_id":"x","result":[{"outcome":"RUN"},{"outcome":"AWAIT_APPROVAL"}]}`: writv1.Outcome_OUTCOME_AWAIT_APPROVAL,
		`{"result":[{"outcome":"RECORD_ONLY"},{"outcome":"AWAIT_APPROVAL"}]}`:           writv1.Outcome_OUTCOME_RECORD_ONLY,
		`{"result":[]}`: writv1.Outcome_OUTCOME_REFUSE,
	} {
		if got, err := verdictKind([]byte(body)); err != nil || got != int(want) {
			t.Errorf("%s: got %d, %v, want %v", body, got, err, want)
		}
	}
	for _, body := range []string{``, `{}`, `{"code":"internal_error"}`, `oops "result":[`} {
		if _, err := verdictKind([]byte(body)); err == nil {
			t.Errorf("%s: want an error", body)
		}
	}
}

// OPA is asked about the tool's reviewed traits and the call's own words.
func TestOPAIsAskedTheSame(t *testing.T) {
	at := siteOf(plainEstate())
	next, err := at.opaSource(10)
	if err != nil {
		t.Fatal(err)
	}
	head, content, _ := bytes.Cut(next(nil, 17), []byte("\r\n\r\n"))
	var asked struct {
		Input input `json:"input"`
	}
	if err := json.Unmarshal(content, &asked); err != nil || !strings.HasPrefix(string(head), "POST /v1/data/writ/verdict ") {
		t.Fatalf("%v in %s", err, head)
	}
	call, _ := at.plain(7)
	in := asked.Input
	if in.Tool != call.GetTool() || in.Stage != call.GetStage() || string(in.Arguments) != call.GetArgumentsJson() || in.Traits != traitsOf(7) {
		t.Errorf("asked %+v about %v", in, call)
	}
}

func TestPeersTable(t *testing.T) {
	p := &peers{Runs: []run{oneRound(plain, 64, 10, ms, ms, ms)}, Gates: []gate{atLeast("alike", 99, 100, 100)}}
	var out bytes.Buffer
	if err := p.table(&out); err != nil || !strings.Contains(out.String(), "durable") || p.failed() == nil || len(p.charts()) == 0 {
		t.Errorf("%v: %s", err, out.String())
	}
}
