package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Retention says what a running ledger prunes by itself, when it opens, at each end of a
// segment, and once an hour. The zero value keeps everything.
type Retention struct {
	// Age is how long entries are kept at least, and Bytes how large the log's files may
	// be in sum; see PruneOptions. 0: no bound.
	Age   time.Duration
	Bytes int64
	// Archive is where what is pruned is exported to before, or NoArchive. Required with
	// a bound.
	Archive string
	// By says who set it, and Account how that is known.
	By, Account string
}

const retentionInterval = time.Hour

// bounded says whether there is a bound at all.
func (r Retention) bounded() bool { return r.Age > 0 || r.Bytes > 0 }

func (r Retention) check() error {
	if r.Age < 0 || r.Bytes < 0 || r.bounded() && r.Archive == "" {
		return fmt.Errorf("%w: Retention is %v and %d bytes, archived in %q: expected bounds of 0 or more, and with one an archive, or %q to keep nothing",
			ErrOptions, r.Age, r.Bytes, r.Archive, NoArchive)
	}
	return nil
}

// reason is what the log says of it.
func (r Retention) reason() string {
	switch {
	case r.Age > 0 && r.Bytes > 0:
		return fmt.Sprintf("older than %v, or more than %d bytes", r.Age, r.Bytes)
	case r.Age > 0:
		return fmt.Sprintf("older than %v", r.Age)
	}
	return fmt.Sprintf("more than %d bytes", r.Bytes)
}

// pruner prunes by the retention, in the background, and goes on with what a crash cut
// short.
type pruner struct {
	l   *Ledger
	due chan struct{} // 1 deep

	mu   sync.Mutex // one prune at a time
	refs references
}

// sealed is told of each segment's end.
func (p *pruner) sealed() {
	select {
	case p.due <- struct{}{}:
	default:
	}
}

// run prunes until the ledger closes. What fails is tried again at the next end of a
// segment: the log itself is whole.
func (p *pruner) run(ctx context.Context) {
	hours := time.NewTicker(retentionInterval)
	defer hours.Stop()
	err := p.finish(ctx)
	for {
		if err == nil && p.l.opts.Retention.bounded() {
			err = p.prune(ctx)
		}
		if err != nil && ctx.Err() == nil && !errors.Is(err, ErrClosed) {
			p.l.opts.Logger.Error("the log was not pruned as far as it should be, trying again at the end of the segment", "error", err)
		}
		select {
		case <-p.due:
		case <-hours.C:
		case <-ctx.Done():
			return
		}
		err = p.finish(ctx)
	}
}

// finish goes on with a prune that was cut short.
func (p *pruner) finish(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.l.finishPrune(ctx, paced(ctx))
}

func (p *pruner) prune(ctx context.Context) error {
	r := p.l.opts.Retention
	o := PruneOptions{KeepBytes: r.Bytes, Archive: r.Archive, By: r.By, Account: r.Account, Reason: r.reason(), Progress: paced(ctx)}
	if r.Age > 0 {
		o.Before = p.l.opts.Now().Add(-r.Age)
	}
	_, err := p.l.Prune(ctx, o)
	return err
}

// paced keeps a walk in the background from taking more than a small part of one core.
func paced(ctx context.Context) func(entries, of uint64) {
	began, before := time.Now(), uint64(0)
	return func(entries, _ uint64) {
		if entries < before { // another walk
			began = time.Now()
		}
		before = entries
		pause(ctx, time.Duration(entries)*time.Second/scrubRate-time.Since(began))
	}
}
