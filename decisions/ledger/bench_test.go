package ledger

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// BenchmarkAppend is the ledger; BenchmarkTwin hands the same bytes to one goroutine
// that does nothing but a write and a sync per batch on a zero-filled file.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			l, err := Open(context.Background(), Options{Dir: filepath.Join(b.TempDir(), "data"), ReserveBytes: 1})
			if err != nil {
				b.Fatal(err)
			}
			p := call{tool: "pay", request: "r", filler: 520}.proposal(b)
			drive(b, writers, func() error { _, err := l.Append(p); return err })
			s := l.Stats()
			b.ReportMetric(float64(s.Entries)/float64(s.Batches), "entries/sync")
			b.ReportMetric(float64(s.Checkpoints), "checkpoints")
			b.ReportMetric(float64(s.Behind), "behind")
			closeTest(b, l)
		})
	}
}

func BenchmarkTwin(b *testing.B) {
	for _, writers := range []int{1, 8, 64, 256} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			w := newTwin(b)
			p := call{tool: "pay", request: "r", filler: 520}.proposal(b)
			drive(b, writers, func() error { return w.append(p.Body) })
			close(w.in)
			<-w.done
		})
	}
}

// drive calls append b.N times from so many goroutines.
func drive(b *testing.B, writers int, appendOne func() error) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	share(b, writers, b.N, appendOne)
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

// share calls append so many times from so many goroutines.
func share(b *testing.B, writers, entries int, appendOne func() error) {
	b.Helper()
	var wg sync.WaitGroup
	for i := range writers {
		n := entries / writers
		if i < entries%writers {
			n++
		}
		wg.Go(func() {
			for range n {
				if err := appendOne(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

type twin struct {
	in   chan twinRequest
	done chan struct{}
	file File
	pool sync.Pool
}

type twinRequest struct {
	body   []byte
	answer chan error
}

func newTwin(b *testing.B) *twin {
	b.Helper()
	f, err := osFS{}.OpenFile(filepath.Join(b.TempDir(), "twin"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	if err := fill(f, 64<<20, new(atomic.Bool)); err != nil {
		b.Fatal(err)
	}
	w := &twin{in: make(chan twinRequest, 1024), done: make(chan struct{}), file: f}
	w.pool.New = func() any { return make(chan error, 1) }
	go w.run()
	return w
}

func (w *twin) append(body []byte) error {
	answer := w.pool.Get().(chan error)
	defer w.pool.Put(answer)
	w.in <- twinRequest{body, answer}
	return <-answer
}

func (w *twin) run() {
	defer close(w.done)
	var buf []byte
	var waiting []chan error
	var offset int64
	for r := range w.in {
		buf, waiting = append(buf[:0], r.body...), append(waiting[:0], r.answer)
		for more := true; more && len(buf) < maxFrame; {
			select {
			case r, more = <-w.in:
				if more {
					buf, waiting = append(buf, r.body...), append(waiting, r.answer)
				}
			default:
				more = false
			}
		}
		if offset+int64(len(buf)) > 64<<20 {
			offset = 0
		}
		_, err := w.file.WriteAt(buf, offset)
		offset += int64(len(buf))
		if err == nil {
			err = w.file.Datasync()
		}
		for _, answer := range waiting {
			answer <- err
		}
	}
	w.file.Close() //nolint:gosec // a benchmark's
}

// BenchmarkVerify is a whole verification; BenchmarkRebuild a start without an index.
func BenchmarkVerify(b *testing.B) {
	o := filled(b, 200_000)
	for b.Loop() {
		verifyTest(b, o)
	}
	b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func BenchmarkRebuild(b *testing.B) {
	o := filled(b, 200_000)
	for b.Loop() {
		if err := os.RemoveAll(o.indexDir()); err != nil {
			b.Fatal(err)
		}
		l, err := Open(context.Background(), o)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		closeTest(b, l)
		b.StartTimer()
	}
	b.ReportMetric(200_000*float64(b.N)/b.Elapsed().Seconds(), "entries/s")
}

func filled(b *testing.B, entries int) Options {
	b.Helper()
	l, err := Open(context.Background(), Options{Dir: filepath.Join(b.TempDir(), "data"), ReserveBytes: 1})
	if err != nil {
		b.Fatal(err)
	}
	ps := make([]decisions.Proposal, entries)
	for i := range ps {
		ps[i] = call{tool: "pay", request: "r", filler: 520}.proposal(b)
	}
	if _, err := l.AppendAll(ps); err != nil {
		b.Fatal(err)
	}
	closeTest(b, l)
	return l.opts
}

// BenchmarkFields is what one sealed segment costs the indexer, per entry: reading it,
// and writing what it holds into the index. Nobody waits for it.
func BenchmarkFields(b *testing.B) {
	l, err := Open(context.Background(), Options{Dir: filepath.Join(b.TempDir(), "data"), SegmentBytes: 16 << 20, ReserveBytes: 1, NoScrub: true})
	if err != nil {
		b.Fatal(err)
	}
	newTraffic(1).fill(b, l, 40_000)
	segments := l.segments.view()
	entries := float64(segments[1].first)
	for _, stored := range []bool{false, true} {
		b.Run(fmt.Sprint("stored=", stored), func(b *testing.B) {
			for b.Loop() {
				c := newColumns(segments, 0)
				err := c.grow(segments[1].first)
				if err == nil && stored {
					err = l.index.setFields(c)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/entries, "ns/entry")
		})
	}
	closeTest(b, l)
}
