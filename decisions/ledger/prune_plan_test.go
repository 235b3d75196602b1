package ledger

import (
	"testing"
	"time"
)

// By age, a segment goes when nothing in it is younger; by size, while the rest is too
// large; whatever is asked, the newest two stay. A plan changes nothing.
func TestPrunePlan(t *testing.T) {
	now := newClock()
	o := testOptions(t)
	o.Now = now.now
	l := openTest(t, o)
	for len(l.segments.view()) < 6 { // an hour between two entries
		now.advance(time.Hour)
		if _, err := l.Append(call{tool: "t", filler: 40_000}.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
	segments := l.segments.view()
	begins := func(i int) time.Time {
		r, err := l.Entry(segments[i].first)
		if err != nil {
			t.Fatal(err)
		}
		return r.Time
	}
	for name, c := range map[string]struct {
		o    PruneOptions
		want int // segments
	}{
		"nothing asked":              {PruneOptions{}, 0},
		"before all":                 {PruneOptions{Before: begins(0)}, 0},
		"the second is not begun":    {PruneOptions{Before: begins(1).Add(-1)}, 0},
		"the second begins then":     {PruneOptions{Before: begins(1)}, 1},
		"three are older":            {PruneOptions{Before: begins(3).Add(time.Minute)}, 3},
		"all are older":              {PruneOptions{Before: now.now().Add(time.Hour)}, 4},
		"one byte too large":         {PruneOptions{KeepBytes: 6*minSegmentBytes - 1}, 1},
		"just fits":                  {PruneOptions{KeepBytes: 6 * minSegmentBytes}, 0},
		"two fit":                    {PruneOptions{KeepBytes: 2 * minSegmentBytes}, 4},
		"none fits":                  {PruneOptions{KeepBytes: 1}, 4},
		"either bound, the stricter": {PruneOptions{KeepBytes: 5 * minSegmentBytes, Before: begins(2)}, 2},
	} {
		got, err := PlanPrune(VerifyOptions{Dir: o.Dir}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got.Segments != c.want || got.First != segments[c.want].first || got.Entries != got.First || got.Bytes != uint64(c.want)*minSegmentBytes || got.Sequence != 0 {
			t.Errorf("%s: %+v, expected %d segments", name, got, c.want)
		}
	}
	if l.First() != 0 {
		t.Error("a plan changed the log")
	}
	by := pruneAll()
	by.KeepBytes, by.Before = 0, begins(2)
	if got := mustPrune(t, l, by); got.Segments != 2 || l.First() != segments[2].first {
		t.Errorf("pruned: %+v", got)
	}
}
