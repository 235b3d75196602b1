package main

import (
	"io"
	"os"
	"strings"
	"time"
)

const (
	// progressEvery is how often a terminal shows how far long work is.
	progressEvery = 100 * time.Millisecond
	barWidth      = 30
)

// progress is a line on a terminal that says how far long work is. It shows nothing
// anywhere else.
type progress struct {
	to    io.Writer // nil: not a terminal
	now   func() time.Time
	began time.Time
	shown time.Time
}

// progressOn shows progress on w where that is a terminal.
func progressOn(w io.Writer) *progress {
	p := &progress{now: time.Now, began: time.Now()}
	if f, ok := w.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.to = w
		}
	}
	return p
}

// entries says how many are done, of how many.
func (p *progress) entries(n, of uint64) {
	now := p.now()
	if p.to == nil || now.Sub(p.shown) < progressEvery {
		return
	}
	p.shown = now
	of = max(n, of, 1)
	done := int(n * barWidth / of) //nolint:gosec // at most barWidth
	rate := float64(n) / max(now.Sub(p.began).Seconds(), 0.001)
	say(p.to, "\r\x1b[K[%s%s] %d %%, entry %d of %d, %.0f a second",
		strings.Repeat("#", done), strings.Repeat(".", barWidth-done), n*100/of, n, of, rate)
}

// done takes the line away.
func (p *progress) done() {
	if p.to != nil && !p.shown.IsZero() {
		say(p.to, "\r\x1b[K")
	}
}
