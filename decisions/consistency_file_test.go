package decisions_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"

	"github.com/writ-dev/writ/decisions"
)

func consistencyFile(t testing.TB, from, size uint64) (decisions.ConsistencyFile, []decisions.Hash) {
	t.Helper()
	s, roots := grown(t, size)
	p, err := decisions.ProveConsistency(size, from, s)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := decisions.Checkpoint{LogID: testLog, Size: size, Root: roots[size]}.Sign(logKeys(t, testLog, 1)[0].signer)
	if err != nil {
		t.Fatal(err)
	}
	return decisions.ConsistencyFile{From: from, FromRoot: roots[from], Path: p.Path, Checkpoint: signed}, roots
}

// R34: a file proves that a log only grew, also by another implementation; and one
// flipped bit anywhere is noticed or means the same.
func TestConsistencyFile(t *testing.T) {
	ring := testRing(t)
	for from := uint64(1); from <= 9; from++ {
		p, roots := consistencyFile(t, from, 9)
		if err := proof.VerifyConsistency(rfc6962.DefaultHasher, from, 9, bytesOf(p.Path), roots[from][:], roots[9][:]); err != nil {
			t.Errorf("from %d: %v", from, err)
		}
		text := p.Text()
		for i := range text {
			for _, bit := range []byte{0, 1, 4, 0x20} {
				flipped := bytes.Clone(text)
				flipped[i] ^= bit
				got, err := decisions.ParseConsistencyFile(flipped)
				if err == nil {
					_, err = got.Check(ring)
				}
				if bit == 0 && err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				if err == nil && (got.From != p.From || got.FromRoot != p.FromRoot) {
					t.Errorf("bit %x of byte %d flipped: taken", bit, i)
				}
			}
		}
	}
}

func FuzzConsistencyFile(f *testing.F) {
	p, roots := consistencyFile(f, 3, 7)
	ring := testRing(f)
	f.Add(p.Text())
	f.Add([]byte(decisions.ConsistencyHeader + "\nfrom 1 \n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decisions.ParseConsistencyFile(text)
		if err != nil {
			if !errors.Is(err, decisions.ErrProof) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.Equal(got.Text(), text) {
			t.Fatalf("%q was read as %q", text, got.Text())
		}
		if c, err := got.Check(ring); err == nil && (c.Root != roots[7] || got.From > 7 || got.FromRoot != roots[got.From]) {
			t.Fatalf("%q proves what nobody signed", text)
		}
	})
}
