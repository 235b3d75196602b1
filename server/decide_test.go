package server_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/rego"
	"github.com/writ-dev/writ/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// permissive is a policy that says RUN to everything, for as long as it can.
func permissive(verdict string) fstest.MapFS {
	return fstest.MapFS{
		"writ/open.rego": {Data: []byte("package writ\n\nverdict contains " + verdict + "\n")},
		"writ/data.yaml": {Data: []byte("stages: [rehearsal, supervised, limited, general]\n")},
	}
}

const always = `{"outcome": "RUN", "code": "open", "reason": "Everything runs.", "permit_seconds": 3600}`

// R9, R14, R18, R23: what no policy can lift.
func TestAPolicyThatPermitsEverythingMeetsTheFloor(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	d, _ := newDeciderOf(t, sample, permissive(always))
	waiting, _ := newDeciderOf(t, sample, permissive(
		`{"outcome": "AWAIT_APPROVAL", "code": "ask", "reason": "Somebody decides.", "approval": "session"}`))
	for _, c := range []struct {
		name    string
		decider *server.Decider
		change  func(*decisions.Request)
		outcome decisions.Outcome
		code    decisions.Code
	}{
		{"nothing is in the way", d, func(*decisions.Request) {}, decisions.Run, "open"},
		{"another tool set", d, func(r *decisions.Request) { r.ToolsetFingerprint = "fp1:" + strings.Repeat("0", 64) }, decisions.Refuse, decisions.CodeToolsetChanged},
		{"no fingerprint", d, func(r *decisions.Request) { r.ToolsetFingerprint = "" }, decisions.Refuse, decisions.CodeToolsetMissing},
		{"no pin", d, func(r *decisions.Request) { r.Server = "crm" }, decisions.Refuse, decisions.CodeToolsetUnpinned},
		{"no server", d, func(r *decisions.Request) { r.Server = "" }, decisions.Refuse, decisions.CodeToolsetUnpinned},
		{"no release", d, func(r *decisions.Request) { r.Release = "" }, decisions.Refuse, decisions.CodeToolsetUnpinned},
		{"a resource of another tool set", d, func(r *decisions.Request) { r.Method, r.ToolsetFingerprint = "resources/read", "fp1:x" }, decisions.Refuse, decisions.CodeToolsetChanged},
		{"a tool that is not in the list", d, func(r *decisions.Request) { r.Tool = "get_all" }, decisions.Refuse, decisions.CodeToolUnknown},
		{"a null where text belongs", d, func(r *decisions.Request) { r.Arguments.JSON = []byte(`{"query":null}`) }, decisions.Refuse, decisions.CodeArguments},
		{"arguments left out", d, func(r *decisions.Request) { r.Arguments = decisions.Arguments{} }, decisions.Refuse, decisions.CodeArguments},
		{"a write in the first stage", d, func(r *decisions.Request) {
			r.Stage, r.Tool, r.Arguments.JSON = "rehearsal", "label_message", []byte(`{"id":"m-1","label":"spam"}`)
		}, decisions.RecordOnly, decisions.CodeRehearsalWrite},
		{"a write in a stage nobody knows", d, func(r *decisions.Request) {
			r.Stage, r.Tool, r.Arguments.JSON = "prod", "label_message", []byte(`{"id":"m-1","label":"spam"}`)
		}, decisions.RecordOnly, decisions.CodeRehearsalWrite},
		{"a read in the first stage", d, func(r *decisions.Request) { r.Stage = "rehearsal" }, decisions.Run, "open"},
		{"a read that admits that it writes", d, func(r *decisions.Request) { r.Stage, r.Hints.ReadOnly = "", decisions.SaidFalse }, decisions.RecordOnly, decisions.CodeRehearsalWrite},
		{"an approval for who knows what", waiting, func(r *decisions.Request) {
			r.Tool, r.Arguments.JSON = "delete_messages", []byte(`{"query":"x"}`)
		}, decisions.Refuse, decisions.CodeScopeMissing},
		{"an approval for a scope", waiting, func(r *decisions.Request) {
			r.Tool, r.Arguments.JSON, r.Scope = "delete_messages", []byte(`{"query":"x"}`), &decisions.Scope{Selection: "x", Count: 2}
		}, decisions.AwaitApproval, "ask"},
		{"an approval that nobody gave", waiting, func(r *decisions.Request) { r.ApprovalID = "ap-1" }, decisions.AwaitApproval, decisions.CodeApprovalUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := sampleCall()
			c.change(&call)
			answer, err := c.decider.Decide(t.Context(), server.Caller{By: "none"}, &call)
			must(t, err)
			if answer.Outcome != c.outcome || answer.Reason.Code != c.code {
				t.Errorf("%s (%s: %s), want %s (%s)", answer.Outcome, answer.Reason.Code, answer.Reason.Sentence, c.outcome, c.code)
			}
			if (answer.Outcome == decisions.Run) == answer.PermitExpires.IsZero() {
				t.Errorf("%s expires %v", answer.Outcome, answer.PermitExpires)
			}
		})
	}
}

// broken is a log that fails.
type broken struct{ err error }

func (b broken) Append(decisions.Proposal) (decisions.Receipt, error) {
	return decisions.Receipt{}, b.err
}
func (b broken) AppendAll([]decisions.Proposal) ([]decisions.Receipt, error) { return nil, b.err }
func (b broken) PutBlob([]byte) (string, error)                              { return "", nil }
func (b broken) PutItem(ledgerv1.ItemKind, []byte) (*ledgerv1.Item, error)   { return nil, b.err }

// fails fails after the activation.
type fails struct{ broken }

// AppendAll works once.
func (f *fails) AppendAll(ps []decisions.Proposal) ([]decisions.Receipt, error) {
	err := f.err
	f.err = decisions.ErrNoSpace
	return make([]decisions.Receipt, len(ps)), err
}

// Append fails as the log does by then.
func (f *fails) Append(decisions.Proposal) (decisions.Receipt, error) {
	return decisions.Receipt{}, f.err
}

// R31: what can't be logged has no answer.
func TestNoLogNoAnswer(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	reviewed, err := catalog.Load(sample, time.Now())
	must(t, err)
	policy, err := rego.Load(t.Context(), rego.Default(), rego.Options{Deadline: time.Minute})
	must(t, err)

	d, err := server.New(server.Options{Ledger: broken{decisions.ErrLogFailed}, Digests: &decisions.DigestKey{}})
	must(t, err)
	if err := d.Activate(policy, reviewed, server.Actor{}); !errors.Is(err, decisions.ErrLogFailed) || d.Active() != nil {
		t.Errorf("an activation that is not logged took place: %v", err)
	}
	d, err = server.New(server.Options{Ledger: &fails{}, Digests: &decisions.DigestKey{}})
	must(t, err)
	must(t, d.Activate(policy, reviewed, server.Actor{}))
	call := sampleCall()
	if answer, err := d.Decide(t.Context(), server.Caller{}, &call); answer != nil || !errors.Is(err, nil) && err == nil {
		t.Errorf("got %v, %v; want no answer", answer, err)
	}
	answers, errs := d.DecideAll(t.Context(), server.Caller{}, []*decisions.Request{&call, nil, &call})
	for i := range answers {
		if answers[i] != nil || (i != 1) != errors.Is(errs[i], decisions.ErrNoSpace) {
			t.Errorf("call %d: %v, %v; want no answer", i, answers[i], errs[i])
		}
	}
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("a decider without a log")
	}
}

// R31: once judging began, an entry is owed, even if the caller went away.
func TestACallerThatWentAwayIsLogged(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	d, log := newDeciderOf(t, sample, rego.Default())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before := log.Size()
	call := sampleCall()
	answer, err := d.Decide(ctx, server.Caller{}, &call)
	must(t, err)
	if answer.Outcome != decisions.Run || log.Size() != before+1 {
		t.Errorf("%s, and %d entries; want the decision as ever, and 1", answer.Outcome, log.Size()-before)
	}
}

// R27: of many concurrent requests with one key, exactly one is the first.
func TestConcurrentRepeatsHaveOneFirst(t *testing.T) {
	d := newDecider(t)
	var (
		all     sync.WaitGroup
		mu      sync.Mutex
		firsts  int
		answers = map[string]int{}
	)
	for range 32 {
		all.Go(func() {
			call := sampleCall()
			call.IdempotencyKey = "k-1"
			answer, err := d.Decide(t.Context(), server.Caller{}, &call)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if answer.Repeat == nil {
				firsts++
			}
			answers[answer.DecisionID]++
		})
	}
	all.Wait()
	if firsts != 1 || len(answers) != 1 {
		t.Errorf("%d firsts, decisions %v; want 1 first and 1 decision", firsts, answers)
	}
}

// R36: a key of one caller or workspace is not another's.
func TestKeysAreScopedToWorkspaceAndCaller(t *testing.T) {
	d := newDecider(t)
	ask := func(caller, workspace string) *server.Answer {
		call := sampleCall()
		call.IdempotencyKey, call.Workspace = "k-1", workspace
		answer, err := d.Decide(t.Context(), server.Caller{Name: caller}, &call)
		must(t, err)
		return answer
	}
	for _, who := range [][2]string{{"", "demo"}, {"a", "demo"}, {"b", "demo"}, {"a", "other"}, {"ademo", ""}} {
		if answer := ask(who[0], who[1]); answer.Repeat != nil || answer.Reason.Code == decisions.CodeKeyReused {
			t.Errorf("caller %q in %q met somebody else's key: %v", who[0], who[1], answer.Reason)
		}
	}
	if answer := ask("a", "demo"); answer.Repeat == nil {
		t.Error("a repeat was not seen as one")
	}
}

// A hostile list can't make an answer, an entry or a comparison large.
func TestObservedListsAreBounded(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	d, log := newDeciderOf(t, sample, rego.Default())
	var b strings.Builder
	b.WriteString(`{"tools":[`)
	for i := range 2000 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"name":"t` + strings.Repeat("x", 100) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `"}`)
	}
	b.WriteString(`]}`)
	seen, err := d.Observe("demo", "mail", [][]byte{[]byte(b.String())})
	must(t, err)
	for _, difference := range seen.Differences {
		if n := len(difference.Changes); n != 50 || !strings.Contains(difference.Changes[n-1], "more") {
			t.Errorf("%d changes, the last %q; want 50, and how many more", n, difference.Changes[n-1])
		}
	}
	call := sampleCall()
	call.ToolsetFingerprint = seen.ToolSet.Fingerprint
	answer, err := d.Decide(t.Context(), server.Caller{}, &call)
	must(t, err)
	if answer.Reason.Code != decisions.CodeToolsetChanged || len(answer.Reason.Sentence) > 4096 {
		t.Errorf("%s, with %d bytes of words", answer.Reason.Code, len(answer.Reason.Sentence))
	}
	// The entry holds the first, and names the blob that holds a thousand.
	record, err := log.Entry(answer.Log.Sequence)
	must(t, err)
	entry := record.Entry.GetDecision()
	all, err := log.Blob(entry.GetToolsetChangesSha256())
	must(t, err)
	if n := strings.Count(string(all), "\n"); len(entry.GetToolsetChanges()) != 50 || n != 999 {
		t.Errorf("%d changes in the entry, %d beside it; want 50 and 999", len(entry.GetToolsetChanges()), n)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// What gateways show is bounded by bytes, and a comparison runs once however many ask.
func TestHostileListsAreComparedOnce(t *testing.T) {
	d := newDecider(t)
	names := make([]string, 40_000)
	for i := range names {
		names[i] = `"n` + strconv.Itoa(i) + `"`
	}
	list := `{"tools":[{"name":"search_messages","inputSchema":{"required":[` + strings.Join(names, ",") + `]}}]}`
	seen, err := d.Observe("demo", "mail", [][]byte{[]byte(list)})
	must(t, err)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			call := sampleCall()
			call.ToolsetFingerprint = seen.ToolSet.Fingerprint
			answer, err := d.Decide(t.Context(), server.Caller{}, &call)
			if err != nil || answer.Reason.Code != decisions.CodeToolsetChanged {
				t.Errorf("%v, %v", answer, err)
			}
		})
	}
	all.Wait()
	if said := seen.Differences[0].Changes; len(said) != 50 {
		t.Errorf("%d lines, want 50", len(said))
	}
}

// A catalogue of a thousand files is activated, and every file of it is accounted for:
// the list is a blob where an entry has no room for it (R33).
func TestALargeCatalogueIsActivated(t *testing.T) {
	documents := fstest.MapFS{}
	for i := range 1000 {
		documents[fmt.Sprintf("actions/%04d.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil,
			"workspace: demo\nactions:\n  queue/%d:\n    effect: write\n    risk: high\n    undo: impossible\n    exposure: outbound\n    description: Does one thing.\n", i)}
	}
	_, log := newDeciderOf(t, documents, rego.Default()) // and verified at the end
	record, err := log.Entry(3)
	must(t, err)
	activated := record.Entry.GetCatalogActivated()
	list, err := log.Blob(activated.GetFilesSha256())
	must(t, err)
	var all ledgerv1.FileList
	must(t, proto.Unmarshal(list, &all))
	if len(activated.GetFiles()) != 0 || len(all.GetFiles()) != 1000 {
		t.Errorf("%d files in the entry, %d beside it", len(activated.GetFiles()), len(all.GetFiles()))
	}
}

// R28: a clock that once jumped ahead leaves its mark on the log's time, and none on how
// long a later permit holds.
func TestAPermitHoldsNoLongerThanTheClockSays(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	ahead, log := newDeciderOf(t, sample, rego.Default())
	now := time.Now().Add(-time.Hour) // the log is an hour ahead of this clock
	digests := decisions.DigestKey(log.DigestKey())
	d, err := server.New(server.Options{Ledger: log, Digests: &digests, Now: func() time.Time { return now }})
	must(t, err)
	must(t, d.Activate(ahead.Active().Policy, ahead.Active().Catalog, server.Actor{Name: "test", By: "os"}))
	call := sampleCall()
	answer, err := d.Decide(t.Context(), server.Caller{}, &call)
	must(t, err)
	if want := now.Add(time.Minute); !answer.PermitExpires.Equal(want) {
		t.Errorf("the permit expires %v, want %v", answer.PermitExpires, want)
	}
}
