package grpcapi_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/catalog"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/rego"
)

func startSample(t *testing.T) *service {
	t.Helper()
	sample, err := catalog.Sample()
	must(t, err)
	return start(t, sample, rego.Default())
}

func sampleCall() *writv1.DecideRequest {
	return &writv1.DecideRequest{
		Workspace: "demo", Automation: "mail-triage", Release: "1.4", Stage: "limited",
		Server: "mail", Tool: "search_messages",
		ToolsetFingerprint: "fp1:e03d152b285edd392def7eca39289047fc2993e8c31d7e15c1fcb9138038ad80",
		Arguments:          &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: `{"query": "invoice"}`},
	}
}

// raw sends bytes as they are.
type raw struct{}

func (raw) Marshal(v any) ([]byte, error)   { return *v.(*[]byte), nil }
func (raw) Unmarshal(b []byte, v any) error { *v.(*[]byte) = b; return nil }
func (raw) Name() string                    { return "proto" }

// Bad input gets INVALID_ARGUMENT and the field, not INTERNAL, and no crash.
func TestMessagesThatDoNotDecode(t *testing.T) {
	s := startSample(t)
	for name, c := range map[string]struct{ message, says string }{
		"invalid UTF-8":  {"\x0a\x02\xff\xfe", "workspace: is not valid UTF-8"},
		"inside scope":   {"\x0a\x01w\x9a\x01\x03\x0a\x01\xff", "scope.selection: is not valid UTF-8"},
		"cut short":      {"\x0a\x7f", "contract"},
		"not a message":  {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "contract"},
		"a wrong wire":   {"\x08\x01", "workspace"},
		"nothing at all": {"", "workspace: is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			in, out := []byte(c.message), []byte(nil)
			err := s.conn.Invoke(t.Context(), writv1.DecisionService_Decide_FullMethodName, &in, &out, grpc.ForceCodec(raw{}))
			if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want INVALID_ARGUMENT that says %q", err, c.says)
			}
		})
	}
}

func TestOverLargeMessages(t *testing.T) {
	s := startSample(t)
	call := sampleCall()
	call.Arguments = &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: `{"query":"` + strings.Repeat("x", 1<<20) + `"}`}
	_, err := s.decisions.Decide(t.Context(), call)
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "arguments_json") {
		t.Errorf("arguments over the bound: %v", err)
	}
	call.Arguments = &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: strings.Repeat("x", 9<<20)}
	if _, err = s.decisions.Decide(t.Context(), call); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a message over the bound: %v", err)
	}
	if _, err = s.decisions.Decide(t.Context(), sampleCall()); err != nil {
		t.Errorf("after both the service answers: %v", err)
	}
}

// ghz and grpcurl work without files.
func TestHealthAndReflection(t *testing.T) {
	s := startSample(t)
	health, err := grpc_health_v1.NewHealthClient(s.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || health.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}
	stream, err := reflectionv1.NewServerReflectionClient(s.conn).ServerReflectionInfo(t.Context())
	must(t, err)
	must(t, stream.Send(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}))
	answer, err := stream.Recv()
	must(t, err)
	must(t, stream.CloseSend())
	var names []string
	for _, service := range answer.GetListServicesResponse().GetService() {
		names = append(names, service.GetName())
	}
	for _, want := range []string{"writ.v1.DecisionService", "writ.v1.LogService", "writ.v1.PolicyService", "writ.v1.ToolSetService", "grpc.health.v1.Health"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %v", want, names)
		}
	}
	if _, err := stream.Recv(); err == nil {
		t.Error("the stream goes on")
	}
}

// R31: every answer is in the log by the time it is here, with the hash it carries;
// pages go through all of them, each once, newest first, while others are written.
func TestEveryAnswerIsInTheLog(t *testing.T) {
	s := startSample(t)
	const callers, each = 8, 25
	var (
		mu    sync.Mutex
		leafs = map[uint64]string{}
		all   sync.WaitGroup
	)
	for range callers {
		all.Go(func() {
			for range each {
				answer, err := s.decisions.Decide(t.Context(), sampleCall())
				if err != nil {
					t.Error(err)
					return
				}
				entry, err := s.entries.GetEntry(t.Context(), &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_DecisionId{DecisionId: answer.GetDecisionId()}})
				if err != nil || string(entry.GetEntry().GetPosition().GetLeafHash()) != string(answer.GetLog().GetLeafHash()) {
					t.Errorf("decision %s is not in the log as answered: %v", answer.GetDecisionId(), err)
				}
				mu.Lock()
				leafs[answer.GetLog().GetSequence()] = string(answer.GetLog().GetLeafHash())
				mu.Unlock()
			}
		})
	}
	all.Wait()
	last, token := ^uint64(0), ""
	for {
		page, err := s.entries.ListEntries(t.Context(), &writv1.ListEntriesRequest{PageSize: 7, PageToken: token})
		must(t, err)
		for _, e := range page.GetEntries() {
			sequence := e.GetPosition().GetSequence()
			if sequence >= last {
				t.Fatalf("entry %d after %d", sequence, last)
			}
			if leafs[sequence] != string(e.GetPosition().GetLeafHash()) {
				t.Errorf("entry %d has another hash than its answer", sequence)
			}
			delete(leafs, sequence)
			last = sequence
		}
		if token = page.GetNextPageToken(); token == "" {
			break
		}
		_, err = s.decisions.Decide(t.Context(), sampleCall()) // a write between pages
		must(t, err)
	}
	if len(leafs) > 0 {
		t.Errorf("%d answers are not in the list", len(leafs))
	}
}

func TestListBadInput(t *testing.T) {
	s := startSample(t)
	for _, m := range []*writv1.ListEntriesRequest{
		{PageSize: -1}, {PageSize: 1001}, {PageToken: "x"}, {PageToken: "-1"}, {PageToken: "18446744073709551615"},
	} {
		if _, err := s.entries.ListEntries(t.Context(), m); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v, want INVALID_ARGUMENT", m, err)
		}
	}
	for _, m := range []*writv1.GetEntryRequest{
		{}, {By: &writv1.GetEntryRequest_DecisionId{}}, {By: &writv1.GetEntryRequest_DecisionId{DecisionId: "x"}},
	} {
		if _, err := s.entries.GetEntry(t.Context(), m); status.Code(err) != codes.InvalidArgument {
			t.Errorf("%v: %v, want INVALID_ARGUMENT", m, err)
		}
	}
	if _, err := s.entries.GetEntry(t.Context(), &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_Sequence{Sequence: 1 << 40}}); status.Code(err) != codes.NotFound {
		t.Errorf("beyond the end: %v", err)
	}
}

// R14, R16: what a gateway shows is fingerprinted and compared, or refused; it pins
// nothing.
func TestObserve(t *testing.T) {
	s := startSample(t)
	list := `{"tools":[{"name":"search_messages","inputSchema":{"type":"object"}}]}`
	seen, err := s.toolsets.Observe(t.Context(), &writv1.ObserveRequest{Workspace: "demo", Server: "mail", Pages: [][]byte{[]byte(list)}})
	must(t, err)
	if len(seen.GetDifferences()) != 3 || len(seen.GetDifferences()[0].GetChanges()) == 0 {
		t.Errorf("got %v, want a difference for each of the three releases", seen)
	}
	call := sampleCall()
	call.ToolsetFingerprint = seen.GetToolsetFingerprint()
	answer, err := s.decisions.Decide(t.Context(), call)
	must(t, err)
	if answer.GetReason().GetCode() != "toolset_changed" || !strings.Contains(answer.GetReason().GetSentence(), "search_messages") {
		t.Errorf("got %v, want a refusal that says what changed", answer.GetReason())
	}
	for name, pages := range map[string][][]byte{
		"none":       nil,
		"not JSON":   {[]byte("{")},
		"twice":      {[]byte(`{"tools":[{"name":"a"},{"name":"a"}]}`)},
		"duplicates": {[]byte(`{"tools":[{"name":"a","name":"b"}]}`)},
	} {
		_, err := s.toolsets.Observe(t.Context(), &writv1.ObserveRequest{Workspace: "demo", Server: "mail", Pages: pages})
		if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "pages") {
			t.Errorf("%s: %v, want INVALID_ARGUMENT that names pages", name, err)
		}
	}
}

func TestGetActive(t *testing.T) {
	s := startSample(t)
	active, err := s.policies.GetActive(t.Context(), &writv1.GetActiveRequest{})
	must(t, err)
	if !strings.HasPrefix(active.GetPolicyRevision(), "sha256:") || active.GetStages()[0] != "rehearsal" ||
		!slices.Contains(active.GetReads(), "traits.effect") || active.GetLogSize() != 4 || active.GetLogIndexed() > active.GetLogSize() || len(active.GetFiles()) == 0 {
		t.Errorf("got %v", active)
	}
}
