package grpcapi_test

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// list pages through a list and returns where its entries stand.
func (s *service) list(t *testing.T, m *writv1.ListEntriesRequest) []uint64 {
	t.Helper()
	var all []uint64
	for {
		page, err := s.entries.ListEntries(t.Context(), m)
		must(t, err)
		for _, e := range page.GetEntries() {
			all = append(all, e.GetPosition().GetSequence())
		}
		if m.PageToken = page.GetNextPageToken(); m.GetPageToken() == "" {
			return all
		}
	}
}

// R34: what was answered is in the very next list of whoever asks for it, by each thing
// that can be asked for; and filters hold together.
func TestListFindsWhatWasAnswered(t *testing.T) {
	s := startSample(t)
	other := sampleCall()
	other.Session, other.Process, other.Tool, other.Automation, other.Server = "s-0", "p-0", "nothing_like_it", "another", "elsewhere"
	_, err := s.decisions.Decide(t.Context(), other)
	must(t, err)
	call := sampleCall()
	call.Session, call.Process, call.ApprovalId = "s-1", "p-1", ""
	answer, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	at := answer.GetLog().GetSequence()
	now := timestamppb.Now()
	for name, f := range map[string]*writv1.EntryFilter{
		"session":     {Session: "s-1"},
		"process":     {Process: "p-1"},
		"automation":  {Automation: call.GetAutomation()},
		"server":      {Server: call.GetServer()},
		"tool":        {Tool: call.GetTool()},
		"outcome":     {Outcome: answer.GetOutcome()},
		"reason":      {ReasonCode: answer.GetReason().GetCode()},
		"together":    {Session: "s-1", Process: "p-1", Kind: "decision", Outcome: answer.GetOutcome(), Until: timestamppb.New(now.AsTime().Add(time.Hour))},
		"of any kind": {Session: "s-1", AllKinds: true},
	} {
		if got := s.list(t, &writv1.ListEntriesRequest{Filter: f}); !slices.Equal(got, []uint64{at}) {
			t.Errorf("%s: entries %d, want %d alone", name, got, at)
		}
	}
	for name, f := range map[string]*writv1.EntryFilter{
		"one of two":   {Session: "s-1", Process: "p-0"},
		"before it":    {Session: "s-1", Until: timestamppb.New(now.AsTime().Add(-time.Hour))},
		"after it":     {Session: "s-1", Since: timestamppb.New(now.AsTime().Add(time.Hour))},
		"another kind": {Session: "s-1", Kind: "outcome_reported"},
	} {
		if got := s.list(t, &writv1.ListEntriesRequest{Filter: f}); len(got) > 0 {
			t.Errorf("%s: entries %d, want none", name, got)
		}
	}
	_, err = s.decisions.Report(t.Context(), &writv1.ReportRequest{DecisionId: answer.GetDecisionId(), Result: writv1.Result_RESULT_SUCCEEDED})
	must(t, err)
	if got := s.list(t, &writv1.ListEntriesRequest{Filter: &writv1.EntryFilter{Kind: "outcome_reported"}}); !slices.Equal(got, []uint64{at + 1}) {
		t.Errorf("reports: entries %d, want %d", got, at+1)
	}
}

// What the log settled counts, not what was judged: a repeat that is refused is found as
// refused (R27).
func TestListBySettledOutcome(t *testing.T) {
	s := startSample(t)
	call := sampleCall()
	call.IdempotencyKey = "k"
	_, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	call.Arguments = &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: `{"query":"another"}`}
	reused, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	want := []uint64{reused.GetLog().GetSequence()}
	for _, f := range []*writv1.EntryFilter{{Outcome: writv1.Outcome_OUTCOME_REFUSE}, {ReasonCode: string(decisions.CodeKeyReused)}} {
		if got := s.list(t, &writv1.ListEntriesRequest{Filter: f}); !slices.Equal(got, want) {
			t.Errorf("%v: entries %d, want %d", f, got, want)
		}
	}
}

// A page token is of one log, one filter and one order. What is written between pages
// moves none of them.
func TestPageTokens(t *testing.T) {
	s, another := startSample(t), startSample(t)
	var all []uint64
	for range 9 {
		answer, err := s.decisions.Decide(t.Context(), sampleCall())
		must(t, err)
		all = append(all, answer.GetLog().GetSequence())
		_, err = another.decisions.Decide(t.Context(), sampleCall())
		must(t, err)
	}
	first, err := s.entries.ListEntries(t.Context(), &writv1.ListEntriesRequest{PageSize: 4})
	must(t, err)
	for range 3 {
		_, err := s.decisions.Decide(t.Context(), sampleCall())
		must(t, err)
	}
	rest := s.list(t, &writv1.ListEntriesRequest{PageSize: 4, PageToken: first.GetNextPageToken()})
	slices.Reverse(rest)
	if !slices.Equal(rest, all[:5]) {
		t.Errorf("after the first page: entries %d, want %d", rest, all[:5])
	}
	if got := s.list(t, &writv1.ListEntriesRequest{PageSize: 4, OldestFirst: true}); !slices.Equal(got[:9], all) || len(got) != 12 {
		t.Errorf("oldest first: entries %d, want %d and three more", got, all)
	}
	token := first.GetNextPageToken()
	for name, m := range map[string]*writv1.ListEntriesRequest{
		"another filter": {PageToken: token, Filter: &writv1.EntryFilter{Tool: "t"}},
		"another order":  {PageToken: token, OldestFirst: true},
		"no token":       {PageToken: "token"},
		"a number":       {PageToken: "7"},
		"changed":        {PageToken: "1" + token},
	} {
		if _, err := s.entries.ListEntries(t.Context(), m); status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "is not of this list") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := another.entries.ListEntries(t.Context(), &writv1.ListEntriesRequest{PageToken: token}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("another log's: got %v", err)
	}
}

func TestFilterBounds(t *testing.T) {
	s := startSample(t)
	long := strings.Repeat("x", 300)
	at := func(year int) *timestamppb.Timestamp {
		return timestamppb.New(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC))
	}
	for field, f := range map[string]*writv1.EntryFilter{
		"filter.since": {Since: at(1960)}, "filter.until": {Since: at(2020), Until: at(2020)}, "filter.kind": {Kind: "sequence"},
		"filter.session": {Session: long}, "filter.process": {Process: long}, "filter.automation": {Automation: long},
		"filter.server": {Server: "a\x00"}, "filter.tool": {Tool: long}, "filter.outcome": {Outcome: 9},
		"filter.reason_code": {ReasonCode: long}, "filter.approval_id": {ApprovalId: long},
	} {
		_, err := s.entries.ListEntries(t.Context(), &writv1.ListEntriesRequest{Filter: f})
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), field+":") {
			t.Errorf("%s: got %v", field, err)
		}
		stream, err := s.entries.FollowEntries(t.Context(), &writv1.FollowEntriesRequest{Filter: f})
		must(t, err)
		if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
			t.Errorf("followed, %s: got %v", field, err)
		}
	}
}

// follow receives until so many entries came, and returns them and where to go on.
func follow(t *testing.T, stream interface {
	Recv() (*writv1.FollowEntriesResponse, error)
}, n int) (got []uint64, next uint64) {
	t.Helper()
	for len(got) < n {
		answer, err := stream.Recv()
		must(t, err)
		for _, e := range answer.GetEntries() {
			got = append(got, e.GetPosition().GetSequence())
		}
		next = answer.GetNextSequence()
	}
	return got, next
}

// Who follows from where a list ended misses nothing and gets nothing twice, also after
// a pause, and only what they asked for.
func TestFollow(t *testing.T) {
	s := startSample(t)
	call := sampleCall()
	call.Session = "s-1"
	var want []uint64
	decide := func(n int) {
		for range n {
			_, err := s.decisions.Decide(t.Context(), sampleCall())
			must(t, err)
			answer, err := s.decisions.Decide(t.Context(), call)
			must(t, err)
			want = append(want, answer.GetLog().GetSequence())
		}
	}
	decide(3)
	m := &writv1.FollowEntriesRequest{Filter: &writv1.EntryFilter{Session: "s-1"}}
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := s.entries.FollowEntries(ctx, m)
	must(t, err)
	got, _ := follow(t, stream, 3)
	decide(5)
	more, next := follow(t, stream, 5)
	cancel()
	decide(4)
	m.FromSequence = next
	stream, err = s.entries.FollowEntries(t.Context(), m)
	must(t, err)
	after, _ := follow(t, stream, 4)
	if all := slices.Concat(got, more, after); !slices.Equal(all, want) {
		t.Errorf("got %d, want %d", all, want)
	}
	stream, err = s.entries.FollowEntries(t.Context(), &writv1.FollowEntriesRequest{FromSequence: s.log.Size() + 1})
	must(t, err)
	if _, err := stream.Recv(); status.Code(err) != codes.InvalidArgument {
		t.Errorf("beyond the end: got %v", err)
	}
}

// Where nothing is wanted that comes, something is heard all the same; and the end of
// the service is an error that says so, at once.
func TestFollowHearsThatItIsAlive(t *testing.T) {
	s := startSample(t)
	stream, err := s.entries.FollowEntries(t.Context(), &writv1.FollowEntriesRequest{Filter: &writv1.EntryFilter{Session: "none"}})
	must(t, err)
	for range 3 {
		answer, err := stream.Recv()
		must(t, err)
		if len(answer.GetEntries()) > 0 || answer.GetNextSequence() != s.log.Size() {
			t.Errorf("got %v", answer)
		}
	}
	s.stopping()
	for {
		_, err := stream.Recv()
		if err == nil {
			continue
		}
		if status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "the service stops") {
			t.Errorf("got %v", err)
		}
		if err == io.EOF { //nolint:errorlint // the stream's own
			t.Error("it ended as if all had been said")
		}
		return
	}
}

// A reader that takes nothing holds up nobody and costs no memory, however much is
// written meanwhile; when it reads again, nothing is missing.
func TestStalledFollower(t *testing.T) {
	s := startSample(t)
	from := s.log.Size()
	stream, err := s.entries.FollowEntries(t.Context(), &writv1.FollowEntriesRequest{FromSequence: from})
	must(t, err)
	body, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Tool: "t", Inputs: make([]byte, 2000)}}})
	must(t, err)
	before := heap()
	const batches, each = 60, 500
	for range batches {
		ps := make([]decisions.Proposal, each)
		for i := range ps {
			ps[i].Body = body
		}
		_, err := s.log.AppendAll(ps)
		must(t, err)
	}
	written := batches * each * len(body)
	if grown := heap() - before; grown > written/4 {
		t.Errorf("%d bytes were written, and memory grew by %d", written, grown)
	}
	got, next := follow(t, stream, batches*each)
	for i, sequence := range got {
		if sequence != from+uint64(i) {
			t.Fatalf("entry %d came, want %d", sequence, from+uint64(i))
		}
	}
	if next != s.log.Size() {
		t.Errorf("next is %d of %d", next, s.log.Size())
	}
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
