package ledger

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"

	"github.com/dgraph-io/badger/v4"

	"github.com/writ-dev/writ/decisions"
)

func hashesOf(path []decisions.Hash) [][]byte {
	out := [][]byte{}
	for _, h := range path {
		out = append(out, bytes.Clone(h[:]))
	}
	return out
}

func checkpointOf(t testing.TB, l *Ledger, signed []byte) decisions.Checkpoint {
	t.Helper()
	v, err := note.NewVerifier(l.VerifierKey())
	if err != nil {
		t.Fatal(err)
	}
	c, err := decisions.ParseCheckpoint(signed, v)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// R34: proofs hold by another implementation, whether their hashes come from the
// index, from the tail, or from both.
func TestProofs(t *testing.T) {
	l := openTest(t, testOptions(t))
	appendN(t, l, 3*tileWidth+70)
	want := make([]decisions.Hash, 0, l.Size()+1) // a dumb twin: the root at each size
	var f decisions.Frontier
	want = append(want, f.Root())
	var leaves []decisions.Hash
	for r, err := range l.Entries(0, l.Size()) {
		if err != nil {
			t.Fatal(err)
		}
		f.Append(r.Leaf)
		leaves, want = append(leaves, r.Leaf), append(want, f.Root())
	}
	for _, size := range []uint64{0, 1, 2, 255, 256, 257, 512, 700, 768, 769, l.Size()} {
		for _, index := range []uint64{0, 1, 254, 255, 256, 511, 600, 767, 768, l.Size() - 1} {
			if size > 0 && index >= size {
				continue
			}
			p, signed, err := l.ProveInclusion(t.Context(), index, size)
			if err != nil {
				t.Fatalf("entry %d of %d: %v", index, size, err)
			}
			if c := checkpointOf(t, l, signed); size == 0 && c.Size != p.Size || c.Root != want[c.Size] || c.Size < p.Size {
				t.Errorf("entry %d of %d: the checkpoint is of %d", index, p.Size, c.Size)
			}
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, p.Size, leaves[index][:], hashesOf(p.Path), want[p.Size][:]); err != nil {
				t.Errorf("entry %d of %d: %v", index, p.Size, err)
			}
		}
		for _, from := range []uint64{1, 2, 255, 256, 300, 768, 800} {
			if size > 0 && from > size {
				continue
			}
			p, _, err := l.ProveConsistency(t.Context(), from, size)
			if err != nil {
				t.Fatalf("%d to %d: %v", from, size, err)
			}
			if err := proof.VerifyConsistency(rfc6962.DefaultHasher, from, p.Size, hashesOf(p.Path), want[from][:], want[p.Size][:]); err != nil {
				t.Errorf("%d to %d: %v", from, p.Size, err)
			}
		}
	}
}

// R34: an entry that was answered a moment ago can be proven at once, while others
// are being appended and indexed: the proof waits for the checkpoint.
func TestProofOfTheNewestEntry(t *testing.T) {
	o := testOptions(t)
	o.CheckpointInterval, o.CheckpointEntries = 40e6, 1<<40
	l := openTest(t, o)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 150 {
				r, err := l.Append(call{tool: "t"}.proposal(t))
				if err != nil {
					t.Error(err)
					return
				}
				if r.Sequence%16 != 0 {
					continue
				}
				p, signed, err := l.ProveInclusion(context.Background(), r.Sequence, 0)
				if err != nil {
					t.Errorf("entry %d: %v", r.Sequence, err)
					return
				}
				if err := p.Check(r.Leaf, checkpointOf(t, l, signed).Root); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestProofsRefuse(t *testing.T) {
	o := testOptions(t)
	o.CheckpointInterval = 3600e9 // no checkpoint comes
	l := openTest(t, o)
	covered := l.Size()
	appendN(t, l, 3)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		sequence, size uint64
		want           error
	}{
		"not there":            {l.Size(), 0, ErrNotFound},
		"far beyond":           {1<<64 - 1, 0, ErrNotFound},
		"a tree not grown yet": {0, l.Size() + 1, ErrNotFound},
		"not covered yet":      {l.Size() - 1, 0, context.Canceled},
		"a tree without it":    {1, 1, decisions.ErrProof},
	} {
		if _, _, err := l.ProveInclusion(ended, c.sequence, c.size); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, expected %v", name, err, c.want)
		}
	}
	for name, c := range map[string]struct {
		from, size uint64
		want       error
	}{
		"from nothing":         {0, 0, decisions.ErrProof},
		"backwards":            {2, 1, decisions.ErrProof},
		"a tree not grown yet": {1, l.Size() + 1, ErrNotFound},
		"not covered yet":      {1, l.Size(), context.Canceled},
	} {
		if _, _, err := l.ProveConsistency(ended, c.from, c.size); !errors.Is(err, c.want) {
			t.Errorf("consistency, %s: got %v, expected %v", name, err, c.want)
		}
	}
	if _, _, err := l.ProveInclusion(ended, covered-1, 0); err != nil {
		t.Errorf("a covered entry needs no wait: %v", err)
	}
}

// While checkpoints can't be written, the wait for one ends.
func TestProofThatNothingCovers(t *testing.T) {
	o := testOptions(t)
	o.CheckpointInterval = 20e6
	o.Anchor = filepath.Join(t.TempDir(), "elsewhere", "anchor")
	l := openTest(t, o)
	if err := os.Rename(filepath.Dir(o.Anchor), filepath.Dir(o.Anchor)+"2"); err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 1)
	if _, _, err := l.ProveInclusion(t.Context(), l.Size()-1, 0); !errors.Is(err, ErrUncovered) {
		t.Errorf("got %v, expected ErrUncovered", err)
	}
	if err := os.Rename(filepath.Dir(o.Anchor)+"2", filepath.Dir(o.Anchor)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.ProveInclusion(t.Context(), l.Size()-1, 0); err != nil {
		t.Errorf("once they can be again: %v", err)
	}
}

// A hash that changed in the index makes no proof: it is noticed, and rebuilt.
func TestProofFromADamagedIndex(t *testing.T) {
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 2*tileWidth)
	closeTest(t, l) // now all whole tiles are in the index
	l = openTest(t, o)
	if err := l.index.db.Update(func(txn *badger.Txn) error { return txn.Set(nodeKey(tileLevel, 0), sum("forged")) }); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.ProveInclusion(t.Context(), tileWidth+1, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v, expected ErrDamaged", err)
	}
	if _, _, err := l.ProveConsistency(t.Context(), tileWidth, 0); !errors.Is(err, ErrDamaged) {
		t.Errorf("consistency: got %v, expected ErrDamaged", err)
	}
}
