package ledger

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/writ-dev/writ/decisions"
)

// cosignedFile is where the newest checkpoint is kept that a witness signed: beside the
// anchor, and of one log, so that another one which begins there is not held to it.
func (o Options) cosignedFile(logID string) string {
	return o.Anchor + "." + decisions.Epoch(logID) + ".cosigned"
}

// anchors are the files beside the log that it is held to.
func (o Options) anchors(key string) []string {
	files := []string{o.Anchor}
	if ring, err := decisions.NewKeyRing(key); err == nil {
		files = append(files, o.cosignedFile(ring.LogID()))
	}
	return files
}

// Cosigned returns the checkpoint that KeepCosigned kept last, also what an earlier
// process kept, and what it says by the log's own key; nil where there is none. Errors:
// ErrDamaged, the disk's.
func (l *Ledger) Cosigned() ([]byte, decisions.Checkpoint, error) {
	name := l.opts.cosignedFile(l.keys.logID)
	raw, err := readFile(l.opts.FS, name, checkpointLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, decisions.Checkpoint{}, nil
	}
	if err != nil {
		return nil, decisions.Checkpoint{}, err
	}
	c, err := l.signing.Load().ring.ParseCheckpoint(raw)
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", ErrDamaged, name, err)
	}
	return raw, c, err
}

// KeepCosigned makes a checkpoint of this log durable that a witness signed. A log that
// is shorter does not open from then on. It must not be called twice at once. Errors:
// decisions.ErrCheckpoint where it is not signed by the log's key, the disk's.
func (l *Ledger) KeepCosigned(checkpoint []byte) error {
	if _, err := l.signing.Load().ring.ParseCheckpoint(checkpoint); err != nil {
		return err
	}
	return replaceFile(l.opts.FS, l.opts.cosignedFile(l.keys.logID), checkpoint)
}
