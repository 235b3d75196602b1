package server_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/server"
)

// readingPolicy reads two arguments and a label, and masks what mask says.
func readingPolicy(mask string) fstest.MapFS {
	return fstest.MapFS{
		"writ/data.yaml": {Data: []byte("stages: [rehearsal, supervised, limited, general]\nmask: [" + mask + "]\n")},
		"writ/rules.rego": {Data: []byte(`package writ

verdict contains {"outcome": "RUN", "code": "read", "reason": "A query is a read."} if {
	input.arguments.query != ""
	count(input.labels) >= 0
}
`)},
	}
}

// decided decides one call and returns its entry.
func decided(t *testing.T, d *server.Decider, log *ledger.Ledger, call *decisions.Request) decisions.Record {
	t.Helper()
	answer, err := d.Decide(t.Context(), server.Caller{}, call)
	must(t, err)
	r, err := log.Entry(answer.Log.Sequence)
	must(t, err)
	return r
}

// inputsOf are what the policy read, put together from an entry and its items.
func inputsOf(t *testing.T, log *ledger.Ledger, d *ledgerv1.Decision) []byte {
	t.Helper()
	inputs := d.GetInputs()
	var open []decisions.Disclosure
	for _, item := range d.GetItems() {
		content, err := log.Item(item)
		must(t, err)
		if item.GetKind() == ledgerv1.ItemKind_ITEM_KIND_INPUTS {
			inputs = content
			continue
		}
		open, err = decisions.ParseDisclosures(content)
		must(t, err)
	}
	inputs, err := decisions.Unmask(inputs, open)
	must(t, err)
	return inputs
}

// R35: an entry holds what the policy reads, but what it masks; and what opens that
// replays the decision exactly.
func TestMaskedInputs(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	for _, test := range []struct {
		name, mask, query string
		items             int
		shown             bool
	}{
		{"nothing masked", ``, "an invoice", 0, true},
		{"masked", `arguments.query, labels`, "an invoice", 1, false},
		{"masked and absent", `labels.none`, "an invoice", 0, true},
		{"large", ``, strings.Repeat("an invoice ", 5000), 1, false},
		{"large and masked", `arguments.query`, strings.Repeat("an invoice ", 5000), 1, false},
		{"large beside masked", `labels`, strings.Repeat("an invoice ", 5000), 2, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, log := newDeciderOf(t, sample, readingPolicy(test.mask))
			call := sampleCall()
			call.Labels = map[string]string{"mail": "ada@example.org"}
			call.Arguments.JSON = fmt.Appendf(nil, `{"query": %q}`, test.query)
			r := decided(t, d, log, &call)
			entry := r.Entry.GetDecision()
			if shown := bytes.Contains(r.Raw, []byte("an invoice")); shown != test.shown || len(entry.GetItems()) != test.items {
				t.Errorf("the entry shows it: %v; it has %d items, expected %d", shown, len(entry.GetItems()), test.items)
			}
			inputs := inputsOf(t, log, entry)
			want := fmt.Sprintf(`{"labels":{"mail":"ada@example.org"},"arguments":{"query":%q}}`, test.query)
			if string(inputs) != want {
				t.Errorf("the policy read %.200s", inputs)
			}
			again := d.Active().Policy.Replay(t.Context(), inputs)
			if judged := entry.GetJudgement(); string(again.Reason.Code) != judged.GetReason().GetCode() || again.Outcome.Record() != judged.GetOutcome() {
				t.Errorf("a replay gives %v %v, the log has %v", again.Outcome, again.Reason, judged)
			}
		})
	}
}

// What opens many masked values stands beside the log, as large inputs do.
func TestManyMaskedValues(t *testing.T) {
	sample, err := catalog.Sample()
	must(t, err)
	d, log := newDeciderOf(t, sample, readingPolicy(`labels`))
	call := sampleCall()
	call.Labels = map[string]string{}
	for i := range 32 {
		call.Labels[fmt.Sprint(i)] = strings.Repeat("l", 256)
	}
	call.Arguments.JSON = fmt.Appendf(nil, `{"query": %q}`, strings.Repeat("q", 32000))
	entry := decided(t, d, log, &call).Entry.GetDecision()
	if size := proto.Size(entry); size > decisions.MaxBody || len(entry.GetItems()) != 1 || entry.GetItems()[0].GetSealedSha256() == "" {
		t.Errorf("the entry has %d bytes and %v", size, entry.GetItems())
	}
	if got := inputsOf(t, log, entry); !bytes.Contains(got, []byte("qqq")) || !bytes.Contains(got, []byte("lll")) {
		t.Errorf("the policy read %.200s", got)
	}
}

// BenchmarkDecideMasked is what masks cost: the same calls under the same rules, with
// nothing masked, one value masked in each, and inputs that are a blob each.
func BenchmarkDecideMasked(b *testing.B) {
	sample, err := catalog.Sample()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct{ name, mask, filler string }{
		{"clear", ``, ""}, {"masked", `arguments.query`, ""}, {"large", ``, strings.Repeat("x", 40<<10)},
	} {
		b.Run(c.name, func(b *testing.B) {
			d, _ := newDeciderOf(b, sample, readingPolicy(c.mask))
			calls := differingCalls(256)
			if c.filler != "" {
				for i := range calls {
					calls[i].Arguments.JSON = fmt.Appendf(nil, `{"query": "%d %s"}`, i, c.filler)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			drive(b.N, 64, func(i int) {
				call := calls[i%len(calls)]
				if _, err := d.Decide(b.Context(), server.Caller{By: "none"}, &call); err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "decisions/s")
		})
	}
}
