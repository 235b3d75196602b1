package ledger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/writ-dev/writ/decisions"
)

// What is kept has a bound, and what is asked for stays while the rest goes.
func TestBitmapsAreBounded(t *testing.T) {
	var kept bitmaps
	key := func(i int) bitmapKey {
		return bitmapKey{mark: mark{1}, term: decisions.Term{Field: decisions.FieldTool, Value: fmt.Sprint(i)}}
	}
	const chunk = 18 << 10
	kept.put(key(0), roaring.BitmapOf(7), chunk)
	for i := 1; i < 4*keptBytes/chunk; i++ {
		kept.put(key(i), roaring.New(), chunk)
		if b, known := kept.get(key(0)); !known || !b.Contains(7) {
			t.Fatalf("after %d others, what was asked for each time is gone", i)
		}
		if most := keptBytes / chunk; len(kept.young) > most || len(kept.old) > most {
			t.Fatalf("%d and %d bitmaps of %d bytes are kept, at most %d in each generation fit", len(kept.young), len(kept.old), chunk, most)
		}
	}
	if _, known := kept.get(key(1)); known {
		t.Error("what nobody asked for is still kept")
	}
	if _, known := kept.get(bitmapKey{mark: mark{2}, term: key(0).term}); known {
		t.Error("a term of another segment is known")
	}
}

// Many values that no entry holds are bounded too.
func TestBitmapsOfNothingAreBounded(t *testing.T) {
	var kept bitmaps
	for i := range 200_000 {
		kept.put(bitmapKey{term: decisions.Term{Value: fmt.Sprint(i)}}, nil, chunkBytes)
	}
	if n := len(kept.young) + len(kept.old); n > 2*keptBytes/200 {
		t.Errorf("%d values are kept", n)
	}
}

// Every page of a list is what a scan finds, asked for again from anywhere: a page that
// begins in the middle leaves what is kept as it was.
func TestPagesShareWhatIsKept(t *testing.T) {
	o := testOptions(t)
	o.SegmentBytes = minSegmentBytes
	l := openTest(t, o)
	newTraffic(1).fill(t, l, 4_000)
	indexed(t, l)
	for _, terms := range [][]decisions.Term{
		{{Field: decisions.FieldKind, Value: "decision"}},
		{{Field: decisions.FieldKind, Value: "decision"}, {Field: decisions.FieldOutcome, Value: "RUN"}},
	} {
		for _, start := range []uint64{3_000, 4_100, 500, 4_100, 3_000} {
			for _, oldest := range []bool{false, true} {
				q := decisions.Query{Filter: decisions.Filter{Terms: terms}, Start: start, OldestFirst: oldest, Limit: 5_000}
				if got, want := page(t, l, q), twinPage(t, l, q); !slices.Equal(got, want) {
					t.Errorf("%v from %d, oldest first %v: %d entries, a scan finds %d", terms, start, oldest, len(got), len(want))
				}
			}
		}
	}
}
