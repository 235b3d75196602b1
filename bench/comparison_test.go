package main

import (
	"bytes"
	"strings"
	"testing"
)

const benchstatSaid = `pkg: x
,old.txt,,new.txt,,,
,time-ratio,CI,time-ratio,CI,vs base,P
plain/callers=64,0.435,6%,0.535,5%,+22.99%,p=0.002 n=6
batch/callers=64,0.435,6%,0.445,5%,+2.30%,p=0.002 n=6
geomean,0.435,,0.535,,+22.99%,

,old.txt,,new.txt,,,
,cpu-ratio,CI,cpu-ratio,CI,vs base,P
plain/callers=64,2.35,11%,2.85,11%,~,p=1.000 n=6
other,2,1%,1,1%,-50.00%,p=0.002 n=6

,old.txt,,new.txt,,,
,entries/s,CI,entries/s,CI,vs base,P
Z-2,1,1%,2,1%,+100.00%,p=0.002 n=6
New-2,,,1.6e-08,∞
`

// Only what got worse, by more than a little, and not by noise, is a regression.
func TestParseComparison(t *testing.T) {
	found, err := parseComparison([]byte(benchstatSaid))
	if err != nil || len(found) != 1 || found[0].Name != "plain/callers=64" || found[0].Percent != 22.99 {
		t.Fatalf("got %+v, %v", found, err)
	}
	a := &against{Regressions: found}
	var out bytes.Buffer
	if err := a.table(&out); err != nil || !strings.Contains(out.String(), "REGRESSION") || a.failed() == nil {
		t.Errorf("%v: %s", err, out.String())
	}
	if (&against{}).failed() != nil {
		t.Error("no regression fails")
	}
	for name, content := range map[string]string{"nothing": "", "no lines": ",old,,new,,,\n", "no CSV": "\"\n"} {
		if _, err := parseComparison([]byte(content)); err == nil {
			t.Errorf("%s: want an error: a gate that compared nothing has passed nothing", name)
		}
	}
}

// What is written for benchstat is what go test would print, and less is better.
func TestWriteRatios(t *testing.T) {
	var out bytes.Buffer
	writeRatios(&out, row{Load: plain, Callers: 64, Rate: 0.5, CPU: 3, P99: 4})
	found := parseBenchmarks(out.Bytes())
	if len(found) != 1 || found[0].Figures["time-ratio"] != 2 || found[0].Figures["cpu-ratio"] != 3 || found[0].Figures["p99-ratio"] != 4 {
		t.Errorf("got %+v of %s", found, out.String())
	}
}

func FuzzParseComparison(f *testing.F) {
	f.Add([]byte(benchstatSaid))
	f.Fuzz(func(_ *testing.T, content []byte) { _, _ = parseComparison(content) })
}
