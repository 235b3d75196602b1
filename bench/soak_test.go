package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"
)

// steady makes a soak whose memory has these values, in MiB.
func steady(mebibytes ...uint64) *soak {
	k := &soak{}
	for i, m := range mebibytes {
		r := oneRound(mix, 64, 100, ms, ms, ms)
		r.Resident = m << 20
		k.Slices = append(k.Slices, slice{End: time.Duration(i+1) * time.Minute, run: r})
		k.Usage.Peak = max(k.Usage.Peak, m<<20)
	}
	return k
}

// What grows without end is seen, and what grows while it warms up is forgiven.
func TestSoakGates(t *testing.T) {
	behind := steady(100, 100, 100, 100)
	behind.Slices[2].Behind = 200_000
	unlogged := steady(100, 100, 100, 100)
	unlogged.Slices[3].Logged--
	for name, c := range map[string]struct {
		soak   *soak
		failed string
	}{
		"flat":       {steady(50, 80, 200, 200, 200, 200, 200, 201), ""},
		"grows":      {steady(100, 120, 140, 160, 180, 200, 220, 240), "half-way"},
		"large":      {steady(700, 700, 700, 700), "most memory"},
		"behind":     {behind, "index was behind"},
		"not logged": {unlogged, "not in the log"},
	} {
		c.soak.judge()
		err := c.soak.failed()
		if c.failed == "" && err != nil || c.failed != "" && (err == nil || !strings.Contains(err.Error(), c.failed)) {
			t.Errorf("%s: got %v, want %q", name, err, c.failed)
		}
		var out bytes.Buffer
		if err := c.soak.table(&out); err != nil || !strings.Contains(out.String(), "MiB") {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
		if svg := c.soak.charts()["memory"].SVG(); !bytes.Contains(svg, []byte("400 MiB")) {
			t.Errorf("%s: the chart has no limit", name)
		}
	}
}

// What repeats after a while is sent once before it is measured.
func TestWarmUpSendsAWholeTurn(t *testing.T) {
	sent := 0
	l := loading{drive: func(context.Context, time.Duration) (sample, error) { sent += 400; return sample{answers: 400}, nil }}
	if err := (settings{}).warmUp(t.Context(), []loading{l.warmedBy(1000)}); err != nil || sent < 1000 {
		t.Errorf("%d requests, %v, want at least 1000", sent, err)
	}
}
