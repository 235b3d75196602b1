package ledger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// What a witness signed is an anchor: an old copy of the data does not open, though its
// own anchor was put back with it, and does not verify.
func TestCosignedCheckpointIsAnAnchor(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	if raw, c, err := l.Cosigned(); raw != nil || c.Size != 0 || err != nil {
		t.Errorf("without a witness: %q, %v", raw, err)
	}
	appendN(t, l, 5)
	closeTest(t, l)
	old := copyOf(t, l.opts)
	l = openTest(t, o)
	appendN(t, l, 5)
	if _, _, err := l.ProveInclusion(t.Context(), l.Size()-1, 0); err != nil { // covered
		t.Fatal(err)
	}
	if err := l.KeepCosigned(l.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	closeTest(t, l)
	kept := l.opts.cosignedFile(l.LogID())
	copied := old.Dir + ".keys/" + filepath.Base(kept)
	raw, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(context.Background(), VerifyOptions{Dir: old.Dir}); !errors.Is(err, ErrRolledBack) {
		t.Errorf("verify: got %v, expected ErrRolledBack", err)
	}
	refuses(t, old, ErrRolledBack)
	remove(t, copied)
	closeTest(t, openTest(t, Options{Dir: old.Dir, SegmentBytes: minSegmentBytes, ReserveBytes: 1, NoScrub: true}))
	other := openTest(t, testOptions(t))
	if err := other.KeepCosigned(raw); !errors.Is(err, decisions.ErrCheckpoint) {
		t.Errorf("another log's checkpoint: got %v, expected ErrCheckpoint", err)
	}
}
