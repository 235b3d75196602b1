package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// scrubRate is how many entries a second the scrub verifies at most: a small part of
// one core, so that answers do not wait for it.
const scrubRate = 50_000

// scrub verifies the whole log once, beside the answers. A start walks only what the
// index does not cover; damage before that is found here, and ends the ledger: what
// is appended behind damaged entries would prove nothing. What can't be read now is
// said and is no damage.
func (l *Ledger) scrub(ctx context.Context) {
	began := time.Now()
	var erased erasures
	report, err := Verify(ctx, VerifyOptions{
		Dir: l.opts.Dir, VerifierKey: l.VerifierKey(), KeyDir: l.opts.KeyDir, Anchor: l.opts.Anchor, FS: l.opts.FS, PresentOnly: true,
		Progress: func(entries, _ uint64) {
			pause(ctx, time.Duration(entries)*time.Second/scrubRate-time.Since(began))
		},
		visit: erased.note,
	})
	if err == nil {
		err = l.items.destroyAgain(&erased)
	}
	switch {
	case ctx.Err() != nil: // closing
	case err == nil:
		l.opts.Logger.Info("the whole log verifies", "entries", report.Entries, "took", time.Since(began).Round(time.Millisecond))
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrRolledBack), errors.Is(err, ErrKeys):
		_ = l.fail(fmt.Errorf("the log was verified in the background: %w", err)) // Err has it
	default:
		l.opts.Logger.Error("the log could not be verified in the background", "error", err)
	}
}

func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
