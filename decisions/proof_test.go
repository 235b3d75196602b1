package decisions_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/writ-dev/writ/decisions"
)

// stored are tlog's hashes of a tree of n test leaves.
type stored []tlog.Hash

func (s stored) ReadHashes(at []int64) ([]tlog.Hash, error) {
	var out []tlog.Hash
	for _, i := range at {
		out = append(out, s[i])
	}
	return out, nil
}

// grown returns the hashes of a tree, and its root at each size.
func grown(t testing.TB, n uint64) (stored, []decisions.Hash) {
	t.Helper()
	var s stored
	var f decisions.Frontier
	roots := []decisions.Hash{f.Root()}
	for i := range n {
		more, err := tlog.StoredHashesForRecordHash(int64(i), tlog.Hash(leaf(i)), s)
		if err != nil {
			t.Fatal(err)
		}
		s = append(s, more...)
		f.Append(leaf(i))
		roots = append(roots, f.Root())
	}
	return s, roots
}

func bytesOf(path []decisions.Hash) [][]byte {
	out := [][]byte{}
	for _, h := range path {
		out = append(out, bytes.Clone(h[:]))
	}
	return out
}

// R34: every inclusion proof holds here and by another implementation, and no longer
// once anything about it is changed.
func TestInclusion(t *testing.T) {
	const n = 33
	s, roots := grown(t, n)
	for size := uint64(1); size <= n; size++ {
		for index := range size {
			p, err := decisions.ProveInclusion(size, index, s)
			if err != nil {
				t.Fatal(err)
			}
			l := leaf(index)
			if err := p.Check(l, roots[size]); err != nil {
				t.Errorf("entry %d of %d: %v", index, size, err)
			}
			if err := proof.VerifyInclusion(rfc6962.DefaultHasher, index, size, l[:], bytesOf(p.Path), roots[size][:]); err != nil {
				t.Errorf("entry %d of %d, by transparency-dev: %v", index, size, err)
			}
			for name, forged := range map[string]error{
				"other leaf": p.Check(leaf(index+1), roots[size]),
				"other root": p.Check(l, roots[size-1]),
				"one more":   decisions.Inclusion{Index: index, Size: size, Path: append(p.Path, l)}.Check(l, roots[size]),
				"beyond":     decisions.Inclusion{Index: size, Size: size, Path: p.Path}.Check(l, roots[size]),
				"no tree":    decisions.Inclusion{}.Check(l, roots[size]),
				"huge":       decisions.Inclusion{Size: 1 << 63, Path: p.Path}.Check(l, roots[size]),
			} {
				if !errors.Is(forged, decisions.ErrProof) {
					t.Errorf("entry %d of %d, %s: got %v, expected ErrProof", index, size, name, forged)
				}
			}
		}
	}
}

// R34: the same of consistency proofs.
func TestConsistency(t *testing.T) {
	const n = 33
	s, roots := grown(t, n)
	for size := uint64(1); size <= n; size++ {
		for from := uint64(1); from <= size; from++ {
			p, err := decisions.ProveConsistency(size, from, s)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Check(roots[from], roots[size]); err != nil {
				t.Errorf("%d to %d: %v", from, size, err)
			}
			if err := proof.VerifyConsistency(rfc6962.DefaultHasher, from, size, bytesOf(p.Path), roots[from][:], roots[size][:]); err != nil {
				t.Errorf("%d to %d, by transparency-dev: %v", from, size, err)
			}
			for name, forged := range map[string]error{
				"rewritten":   p.Check(leaf(0x5f5f), roots[size]),
				"other root":  p.Check(roots[from], leaf(0x5f5f)),
				"from none":   decisions.Consistency{Size: size, Path: p.Path}.Check(roots[0], roots[size]),
				"backwards":   decisions.Consistency{From: size + 1, Size: size, Path: p.Path}.Check(roots[from], roots[size]),
				"a hash more": decisions.Consistency{From: from, Size: size, Path: append(p.Path, leaf(1))}.Check(roots[from], roots[size]),
			} {
				if !errors.Is(forged, decisions.ErrProof) {
					t.Errorf("%d to %d, %s: got %v, expected ErrProof", from, size, name, forged)
				}
			}
		}
	}
}

func proofFile(t testing.TB) (p decisions.ProofFile, root decisions.Hash) {
	t.Helper()
	s, roots := grown(t, 7)
	key := logKeys(t, testLog, 1)[0].signer
	in, err := decisions.ProveInclusion(7, 4, s)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := decisions.Checkpoint{LogID: testLog, Size: 7, Root: roots[7]}.Sign(key)
	if err != nil {
		t.Fatal(err)
	}
	return decisions.ProofFile{Index: 4, Entry: []byte{0, 0, 0, 0, 0, 0, 0, 4}, Path: in.Path, Checkpoint: signed}, roots[7]
}

func testRing(t testing.TB) decisions.KeyRing {
	t.Helper()
	ring, err := decisions.NewKeyRing(logKeys(t, testLog, 1)[0].public)
	if err != nil {
		t.Fatal(err)
	}
	return ring
}

// A proof file is read as it was written, and one flipped bit anywhere is noticed or
// means the same.
func TestProofFile(t *testing.T) {
	p, _ := proofFile(t)
	ring := testRing(t)
	text := p.Text()
	for i := range text {
		for _, bit := range []byte{0, 1, 4, 0x20} {
			flipped := bytes.Clone(text)
			flipped[i] ^= bit
			got, err := decisions.ParseProofFile(flipped)
			if err == nil {
				_, err = got.Check(decisions.LeafHash(got.Entry), ring)
			}
			if bit == 0 && err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if err == nil && !bytes.Equal(got.Text()[:len(text)-len(p.Checkpoint)], text[:len(text)-len(p.Checkpoint)]) {
				t.Errorf("bit %x of byte %d flipped: taken", bit, i)
			}
		}
	}
}

func TestProofFileRefuses(t *testing.T) {
	p, _ := proofFile(t)
	good := string(p.Text())
	const hash = "qIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWQ=\n"
	for name, c := range map[string]struct{ text, says string }{
		"nothing":        {"", "line 1"},
		"another format": {strings.Replace(good, "@v1", "@v2", 1), "line 1"},
		"no index":       {strings.Replace(good, "index 4\n", "", 1), "line 3"},
		"a zero before":  {strings.Replace(good, "index 4", "index 04", 1), "line 3"},
		"negative":       {strings.Replace(good, "index 4", "index -4", 1), "line 3"},
		"lax base64":     {strings.Replace(good, "extra AAAAAAAAAAQ=", "extra AAAAAAAAAAR=", 1), "line 2"},
		"empty entry":    {strings.Replace(good, "extra AAAAAAAAAAQ=", "extra ", 1), "line 2"},
		"short hash":     {strings.Replace(good, "index 4\n", "index 4\nqIlI\n", 1), "line 4"},
		"many hashes":    {strings.Replace(good, "index 4\n", "index 4\n"+strings.Repeat(hash, 65), 1), "at most 64"},
		"no checkpoint":  {strings.SplitN(good, "\n\n", 2)[0], "empty line"},
		"too large":      {good + strings.Repeat("x", decisions.MaxProofFile), "at most"},
	} {
		_, err := decisions.ParseProofFile([]byte(c.text))
		if !errors.Is(err, decisions.ErrProof) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, expected ErrProof that says %q", name, err, c.says)
		}
	}
}

func FuzzProofFile(f *testing.F) {
	p, root := proofFile(f)
	ring := testRing(f)
	f.Add(p.Text())
	p.Entry = nil
	f.Add(p.Text())
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := decisions.ParseProofFile(text)
		if err != nil {
			return
		}
		if !bytes.Equal(got.Text(), text) {
			t.Fatalf("%q was read as %q", text, got.Text())
		}
		if c, err := got.Check(leaf(4), ring); err == nil && (c.Root != root || got.Index != 4) {
			t.Fatalf("%q proves what nobody signed", text)
		}
	})
}
