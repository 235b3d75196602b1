package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// pruneAll says what a test prunes: all but the newest segments.
func pruneAll() PruneOptions {
	return PruneOptions{KeepBytes: 1, Archive: NoArchive, By: "test", Account: "os"}
}

func mustPrune(t testing.TB, l *Ledger, o PruneOptions) PruneReport {
	t.Helper()
	r, err := l.Prune(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// randomStep is something that a log is asked; a report is of an entry before one.
func randomStep(t *testing.T, l *Ledger, r *rand.Rand, before uint64) decisions.Proposal {
	if r.IntN(4) == 0 {
		return decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_OutcomeReported{OutcomeReported: &ledgerv1.OutcomeReported{
			DecisionId: decisions.DecisionID(l.LogID(), r.Uint64N(before)), Result: ledgerv1.Result(r.IntN(4)),
		}}})}
	}
	return call{
		tool: "t", key: fmt.Sprint(r.IntN(6)), request: fmt.Sprint(r.IntN(2)), outcome: decisions.Outcome(r.IntN(4)),
		code: decisions.Code(fmt.Sprint("code", r.IntN(3))), life: time.Duration(r.IntN(7200)) * time.Second, filler: r.IntN(20_000),
	}.proposal(t)
}

// A log that is pruned answers repeats as its twin that keeps everything, has the root
// of all entries ever written, proves what remains, and verifies; with its index, and
// with one that was rebuilt from what remains.
func TestPrunedIsAsIfWhole(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	seeds := 6
	if testing.Short() {
		seeds = 2
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { prunedTwins(t, rand.New(rand.NewPCG(seed, 9))) })
	}
}

func prunedTwins(t *testing.T, r *rand.Rand) {
	now := newClock()
	o := testOptions(t)
	o.Now = now.now
	l := openTest(t, o)
	for range 200 + r.IntN(200) {
		now.advance(time.Duration(r.IntN(60)) * time.Second)
		if _, err := l.Append(randomStep(t, l, r, l.Size())); err != nil {
			t.Fatal(err)
		}
	}
	closeTest(t, l)
	whole := copyOf(t, l.opts)
	whole.Now = now.now
	twin, l := openTest(t, whole), openTest(t, o)
	cut := twin.Size() - 1 // beyond it the two count differently
	for range 2 {
		keep := int64(keepSegments+r.IntN(3)) * o.SegmentBytes
		report := mustPrune(t, l, PruneOptions{KeepBytes: keep, Archive: NoArchive})
		if r.IntN(2) == 0 {
			l = rebuilt(t, l)
		}
		if l.First() != report.First {
			t.Fatalf("it begins with entry %d, the report says %+v", l.First(), report)
		}
		askBoth(t, r, now, l, twin, cut)
		provesWhatRemains(t, l)
		selectsWhatRemains(t, l)
	}
	if l.First() == 0 {
		t.Error("nothing was ever pruned: this proves nothing")
	}
	if got := verifyTest(t, l.opts); got.First != l.First() || got.Entries != l.Size() || got.Pruned == nil {
		t.Errorf("verified: %+v", got)
	}
}

// rebuilt opens a log again without its index.
func rebuilt(t *testing.T, l *Ledger) *Ledger {
	t.Helper()
	closeTest(t, l)
	if err := os.RemoveAll(l.opts.indexDir()); err != nil {
		t.Fatal(err)
	}
	return openTest(t, l.opts)
}

// askBoth asks a log and its twin the same, and compares what the writer settles. From
// entry cut on the two count differently.
func askBoth(t *testing.T, r *rand.Rand, now *clock, l, twin *Ledger, cut uint64) {
	t.Helper()
	for range 60 {
		now.advance(time.Duration(r.IntN(60)) * time.Second)
		p := randomStep(t, twin, r, cut)
		a, err := l.Append(p)
		if err != nil {
			t.Fatal(err)
		}
		b, err := twin.Append(p)
		if err != nil {
			t.Fatal(err)
		}
		x, y := a.Settlement, b.Settlement
		if x.GetOutcome() != y.GetOutcome() || x.GetReason().GetCode() != y.GetReason().GetCode() || (x == nil) != (y == nil) ||
			y.GetFirstSequence() < cut && (x.GetFirstSequence() != y.GetFirstSequence() || x.GetFirstResult() != y.GetFirstResult()) {
			t.Fatalf("entry %d is settled {%v}, its twin's {%v}", a.Sequence, x, y)
		}
	}
}

func provesWhatRemains(t *testing.T, l *Ledger) {
	t.Helper()
	for _, at := range []uint64{l.First(), l.First() + 1, (l.First() + l.Size()) / 2, l.Size() - 1} {
		if _, _, err := l.ProveInclusion(t.Context(), at, 0); err != nil {
			t.Errorf("entry %d of %d to %d: %v", at, l.First(), l.Size(), err)
		}
		if _, _, err := l.ProveConsistency(t.Context(), max(at, 1), 0); err != nil {
			t.Errorf("from %d of %d to %d: %v", at, l.First(), l.Size(), err)
		}
	}
	next := l.First()
	for r, err := range l.Entries(next, l.Size()) {
		if err != nil || r.Sequence != next {
			t.Fatalf("entry %d: %d, %v", next, r.Sequence, err)
		}
		next++
	}
	for r, err := range l.Select(t.Context(), decisions.Query{Start: l.Size()}) {
		if next--; err != nil || r.Sequence != next {
			t.Fatalf("backward: entry %d: %d, %v", next, r.Sequence, err)
		}
	}
	if next != l.First() {
		t.Errorf("backward ends at %d, the log begins with %d", next, l.First())
	}
}

// selectsWhatRemains compares what queries find with what stands in the log.
func selectsWhatRemains(t *testing.T, l *Ledger) {
	t.Helper()
	middle, err := l.Entry((l.First() + l.Size()) / 2)
	if err != nil {
		t.Fatal(err)
	}
	decision := []decisions.Term{{Field: decisions.FieldKind, Value: decisions.KindName(decisions.KindDecision)}}
	for name, f := range map[string]decisions.Filter{
		"since ever":         {Since: time.Unix(0, 1)},
		"since the middle":   {Since: middle.Time},
		"until the middle":   {Until: middle.Time},
		"decisions":          {Terms: decision},
		"decisions up to it": {Terms: decision, Until: middle.Time},
	} {
		var want, got []uint64
		for r, err := range l.Entries(l.First(), l.Size()) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Check(r) == nil {
				want = append(want, r.Sequence)
			}
		}
		for r, err := range l.Select(t.Context(), decisions.Query{Filter: f, OldestFirst: true}) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, r.Sequence)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s: got %v, expected %v", name, got, want)
		}
	}
}

// What was pruned is not found, and the error says where to look.
func TestPrunedEntries(t *testing.T) {
	l := openTest(t, testOptions(t))
	appendN(t, l, 4000)
	report := mustPrune(t, l, pruneAll())
	if report.First == 0 || report.Sequence == 0 {
		t.Fatalf("nothing was pruned: %+v", report)
	}
	for name, read := range map[string]func() error{
		"entry":   func() error { _, err := l.Entry(report.First - 1); return err },
		"entries": func() error { return firstError(l.Entries(0, 5)) },
		"proof":   func() error { _, _, err := l.ProveInclusion(t.Context(), 0, 0); return err },
	} {
		err := read()
		if !errors.Is(err, ErrPruned) || !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: got %v, expected ErrPruned", name, err)
		}
	}
	if _, _, err := l.ProveConsistency(t.Context(), 1, 0); err != nil {
		t.Errorf("an old checkpoint: %v", err)
	}
	l = rebuilt(t, l)
	if _, _, err := l.ProveConsistency(t.Context(), 1, 0); !errors.Is(err, ErrPruned) {
		t.Errorf("an old checkpoint, from an index without its hashes: got %v, expected ErrPruned", err)
	}
	if again := mustPrune(t, l, pruneAll()); again.Segments != 0 || again.Sequence != 0 || again.First != report.First {
		t.Errorf("there is nothing more to prune: %+v", again)
	}
}

func firstError(entries func(func(Record, error) bool)) error {
	for _, err := range entries {
		if err != nil {
			return err
		}
	}
	return nil
}
