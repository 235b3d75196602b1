package ledger

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// traffic is what gateways send over a day: many tools and automations of which few
// are busy, sessions of some twenty calls, a report for one call in ten. An entry has
// about 600 bytes.
type traffic struct {
	*rand.Rand
	tools, automations *rand.Zipf
	n                  int
	sessions           [64]int // that are under way
}

func newTraffic(seed uint64) *traffic {
	r := rand.New(rand.NewPCG(seed, 1))
	return &traffic{Rand: r, tools: rand.NewZipf(r, 1.1, 4, 9_999), automations: rand.NewZipf(r, 1.1, 4, 999)}
}

func (g *traffic) next(t testing.TB) decisions.Proposal {
	t.Helper()
	g.n++
	if g.n%10 == 0 {
		return decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{
			DecisionId: fmt.Sprintf("%08x-%d", 0, g.n), Result: ledgerv1.Result_RESULT_SUCCEEDED, FinalTargetDigest: g.digest(),
		}}})}
	}
	at := g.IntN(len(g.sessions))
	if g.IntN(20) == 0 {
		g.sessions[at] = g.n
	}
	tool, session := g.tools.Uint64(), g.sessions[at]*len(g.sessions)+at
	d := &ledgerv1.Decision{
		Parties: &ledgerv1.Parties{
			Caller: "gateway-1", CallerBy: "none", OnBehalfOf: fmt.Sprint("user-", session%5000),
			Process: fmt.Sprintf("process-%07d", session%100_000), Automation: fmt.Sprint("automation-", g.automations.Uint64()),
		},
		Workspace: "acme", Release: "1.4", StageSaid: "limited", Stage: "limited",
		Server: fmt.Sprint("server-", tool%100), Method: "tools/call", Tool: fmt.Sprint("tool_", tool),
		Credential: "service-account", Session: fmt.Sprintf("session-%012d", session),
		ToolsetFingerprint: fmt.Sprintf("fp1:%064x", tool%100),
		Inputs:             []byte(`{"stage":"limited","traits":{"effect":"read","risk":"low"},"amount":` + fmt.Sprint(g.IntN(1000)) + `}`),
		RequestDigest:      g.digest(), ArgumentsDigest: g.digest(), TargetDigest: g.digest(),
		Judgement: g.judged(tool), PolicyRevision: "sha256:0123456789abcdef0123456789abcdef", CatalogRevision: "sha256:0123456789abcdef0123456789abcdef",
	}
	if g.IntN(500) == 0 {
		d.ApprovalId = fmt.Sprintf("approval-%08d", g.n)
	}
	return decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: d}})}
}

// judged answers RUN seven times in ten; one tool has a reason that only it has.
func (g *traffic) judged(tool uint64) *ledgerv1.Judgement {
	outcome, code := decisions.Run, fmt.Sprint("read_low_", tool%12)
	switch n := g.IntN(10); {
	case tool == 9_000:
		outcome, code = decisions.Refuse, "scope_missing"
	case n == 0:
		outcome, code = decisions.Refuse, "tool_unknown"
	case n < 3:
		outcome, code = decisions.AwaitApproval, "write_medium"
	}
	return &ledgerv1.Judgement{Outcome: outcome.Record(), Reason: &ledgerv1.Reason{Code: code, Sentence: "The stage's table says so for what it reads and writes.", Rule: "writ.stages.table"}}
}

func (g *traffic) digest() []byte {
	b := make([]byte, 32)
	for i := 0; i < len(b); i += 8 {
		binary.BigEndian.PutUint64(b[i:], g.Uint64())
	}
	return b
}

// fill appends n entries of it.
func (g *traffic) fill(t testing.TB, l *Ledger, n int) {
	t.Helper()
	for n > 0 {
		ps := make([]decisions.Proposal, min(n, 1500))
		for i := range ps {
			ps[i] = g.next(t)
		}
		if _, err := l.AppendAll(ps); err != nil {
			t.Fatal(err)
		}
		n -= len(ps)
	}
}

// An entry of it is as large as one of a service.
func TestTraffic(t *testing.T) {
	g, bytes := newTraffic(1), 0
	for range 1000 {
		p := g.next(t)
		if err := proto.Unmarshal(p.Body, &ledgerv1.Entry{}); err != nil {
			t.Fatal(err)
		}
		bytes += len(p.Body)
	}
	if mean := bytes / 1000; mean < 500 || mean > 700 {
		t.Errorf("an entry has %d bytes, expected about 600", mean)
	}
}
