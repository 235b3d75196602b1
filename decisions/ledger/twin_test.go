package ledger

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkAgainstTwin runs the ledger and its twin by turns and compares them within
// a round, so that what the disk does meanwhile does to both. It reports the median of
// the rounds: of-twin is the share of the twin's entries per second, time-of-twin the
// inverse.
func BenchmarkAgainstTwin(b *testing.B) {
	for _, c := range []struct{ writers, entries int }{{1, 1000}, {64, 30_000}} {
		b.Run(fmt.Sprint(c.writers), func(b *testing.B) {
			l, err := Open(context.Background(), Options{Dir: filepath.Join(b.TempDir(), "data"), ReserveBytes: 1})
			if err != nil {
				b.Fatal(err)
			}
			w := newTwin(b)
			p := call{tool: "pay", request: "r", filler: 520}.proposal(b)
			var ratios []float64
			for b.Loop() {
				for round := range 6 {
					ledger := timed(b, c.writers, c.entries, func() error { _, err := l.Append(p); return err })
					plain := timed(b, c.writers, c.entries, func() error { return w.append(p.Body) })
					if round > 0 { // the first one warms up
						ratios = append(ratios, plain.Seconds()/ledger.Seconds())
					}
				}
			}
			slices.Sort(ratios)
			median := ratios[len(ratios)/2]
			b.ReportMetric(median, "of-twin")
			b.ReportMetric(1/median, "time-of-twin")
			b.ReportMetric(float64(l.Stats().Behind), "behind")
			closeTest(b, l)
			close(w.in)
			<-w.done
		})
	}
}

// timed appends so many entries from so many goroutines.
func timed(b *testing.B, writers, entries int, appendOne func() error) time.Duration {
	b.Helper()
	began := time.Now()
	share(b, writers, entries, appendOne)
	return time.Since(began)
}
