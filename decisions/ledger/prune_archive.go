package ledger

import (
	"context"
	"fmt"
)

// archive exports the first entries of the log, and verifies of the export what the log
// still has: what is older was verified when it was pruned.
func (l *Ledger) archive(ctx context.Context, o PruneOptions, size uint64) error {
	if o.Archive == NoArchive {
		return nil
	}
	from := VerifyOptions{
		Dir: l.opts.Dir, VerifierKey: l.VerifierKey(), KeyDir: l.opts.KeyDir, Anchor: l.opts.Anchor, FS: l.opts.FS, Progress: o.Progress,
	}
	if _, err := Export(ctx, ExportOptions{Log: from, To: o.Archive, UpTo: size}); err != nil {
		return err
	}
	kept, err := VerifyArchive(ctx, VerifyOptions{Dir: o.Archive, VerifierKey: l.VerifierKey(), FS: l.opts.FS, Progress: o.Progress}, l.First())
	if err == nil && kept.Entries < size {
		err = fmt.Errorf("%w: the archive %s has %d entries, expected %d", ErrDamaged, o.Archive, kept.Entries, size)
	}
	return err
}
