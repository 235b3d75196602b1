package ledger

import (
	"bytes"
	"errors"
	"testing"
)

// What is read from the files is what the open log has, from wherever one begins.
func TestReadEntries(t *testing.T) {
	l := openTest(t, stored(t))
	for _, from := range []uint64{0, 1, l.Size() / 2, l.Size() - 1, l.Size()} {
		next := from
		for r, err := range ReadEntries(t.Context(), VerifyOptions{Dir: l.opts.Dir}, from) {
			if err != nil {
				t.Fatal(err)
			}
			want, err := l.Entry(next)
			if err != nil || r.Sequence != next || r.Leaf != want.Leaf || !bytes.Equal(r.Raw, want.Raw) {
				t.Fatalf("from %d: entry %d is %+v, expected %+v, %v", from, next, r, want, err)
			}
			next++
		}
		if next != l.Size() {
			t.Errorf("from %d: it ends at %d of %d", from, next, l.Size())
		}
	}
	for _, err := range ReadEntries(t.Context(), VerifyOptions{Dir: t.TempDir()}, 0) {
		if err == nil {
			t.Error("an entry where there is no log")
		}
	}
	if _, err := LogOf(VerifyOptions{Dir: t.TempDir()}); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("no log: %v", err)
	}
}
