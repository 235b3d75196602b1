package main

import (
	"bytes"
	"strings"
	"testing"
)

// Each axis has its own charts, which draw its own points and no others.
func TestGrowthCharts(t *testing.T) {
	g := &growing{Points: []point{
		{Of: "tools", Size: 10, Rows: []row{{Load: plain, Rate: 0.4}, {Load: worst, Rate: 0.2}}},
		{Of: "tools", Size: 100, Rows: []row{{Load: plain, Rate: 0.3}}},
		{Of: entries, Size: 10_000, Rows: []row{{Load: plain, Rate: 0.1}}},
	}}
	charts := g.charts()
	if len(charts) != 12 {
		t.Errorf("%d charts, want 3 for each of 4 axes", len(charts))
	}
	if got := charts["tools-rate"].Lines; len(got[0].Points) != 2 || got[0].Points[1].Y != 0.3 || len(got[1].Points) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := charts["log-rate"].Lines[0].Points; len(got) != 1 || got[0].X != 10_000 {
		t.Errorf("got %+v", got)
	}
	var out bytes.Buffer
	if err := g.table(&out); err != nil || !strings.Contains(out.String(), "entries in the log") || g.failed() != nil {
		t.Errorf("%v: %s", err, out.String())
	}
}

// The generated rules are there in number, and the rule that reads an amount is no
// part of a policy that does not pay.
func TestRules(t *testing.T) {
	if got := bytes.Count(rules(20), []byte("verdict contains")); got != 20 {
		t.Errorf("%d rules, want 20", got)
	}
	if dir, err := writePolicy(t.Context(), "no-such-binary", t.TempDir(), plainEstate()); dir != "" || err != nil {
		t.Errorf("the built-in policy needs no directory: %q, %v", dir, err)
	}
	if _, err := writePolicy(t.Context(), "no-such-binary", t.TempDir(), mixEstate()); err == nil {
		t.Error("no policy was written, and no error")
	}
}

// With rules that read amounts, plain calls keep away from what they read.
func TestPlainCallsPayNothingWhereRulesRead(t *testing.T) {
	at := siteOf(mixEstate())
	for i := range 2000 {
		call, err := at.plain(i)
		if err != nil || strings.HasPrefix(call.GetTool(), "pay_") || strings.Contains(call.GetArgumentsJson(), "amount") {
			t.Fatalf("%v: %v", call, err)
		}
	}
}
