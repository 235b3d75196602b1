package decisions_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/writ-dev/writ/decisions"
)

// logKey is a log's key, both halves.
type logKey struct {
	signer note.Signer
	public string
}

func logKeys(t testing.TB, logID string, n int) []logKey {
	t.Helper()
	var keys []logKey
	for i := range n {
		private, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{byte(i), 7}), decisions.Origin(logID))
		if err != nil {
			t.Fatal(err)
		}
		s, err := note.NewSigner(private)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, logKey{s, public})
	}
	return keys
}

func change(t testing.TB, size uint64, old, next logKey) []byte {
	t.Helper()
	s, err := decisions.KeyChange{LogID: testLog, Size: size, Old: old.public, New: next.public}.Sign(old.signer, next.signer)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// R33: given any one key of a log, the others follow, and each signs exactly the trees
// that it was in force for.
func TestKeyRing(t *testing.T) {
	k := logKeys(t, testLog, 3)
	statements := [][]byte{change(t, 10, k[0], k[1]), change(t, 11, k[1], k[2])}
	if got := decisions.SplitKeyChain(bytes.Join(statements, nil)); len(got) != 2 || !bytes.Equal(got[1], statements[1]) {
		t.Errorf("split into %q", got)
	}
	for _, trusted := range k {
		ring, err := decisions.NewKeyRing(trusted.public, statements...)
		if err != nil || ring.First() != k[0].public || ring.Present() != k[2].public || ring.LogID() != testLog {
			t.Fatalf("%v: %v", ring, err)
		}
		for size, inForce := range map[uint64]int{0: 0, 10: 0, 11: 1, 12: 2, 1 << 60: 2} {
			for i, signer := range k {
				signed, err := decisions.Checkpoint{LogID: testLog, Size: size, Root: leaf(size)}.Sign(signer.signer)
				if err != nil {
					t.Fatal(err)
				}
				got, err := ring.ParseCheckpoint(signed)
				if ok := err == nil && got.Size == size; ok != (i == inForce) {
					t.Errorf("%d entries, signed by key %d: %v, expected key %d's alone", size, i, err, inForce)
				}
				if err != nil && !errors.Is(err, decisions.ErrCheckpoint) {
					t.Errorf("got %v, expected ErrCheckpoint", err)
				}
			}
		}
		if !bytes.Equal(ring.Statement(10), statements[0]) || ring.Statement(12) != nil || len(ring.Statements()) != 2 {
			t.Errorf("statements: %q", ring.Statements())
		}
	}
}

func TestKeyRingRefuses(t *testing.T) {
	k := logKeys(t, testLog, 4)
	other := logKeys(t, strings.Repeat("0", 32), 1)[0]
	first := change(t, 10, k[0], k[1])
	half, err := decisions.KeyChange{LogID: testLog, Size: 10, Old: k[0].public, New: k[1].public}.Sign(k[1].signer, k[2].signer)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		key        string
		statements [][]byte
	}{
		"no key":                   {"", nil},
		"no log's key":             {"example.com/log+530d903e+AZ2pHt0xpyIyL7cs7Ky53xIz3cLIXhwJEL7CvrkOL7mq", nil},
		"another key":              {k[3].public, [][]byte{first}},
		"not signed by the old":    {k[0].public, [][]byte{half}},
		"a link is missing":        {k[0].public, [][]byte{first, change(t, 12, k[2], k[3])}},
		"backwards":                {k[0].public, [][]byte{first, change(t, 9, k[1], k[2])}},
		"two at one place":         {k[0].public, [][]byte{first, change(t, 10, k[1], k[2])}},
		"a key comes back":         {k[0].public, [][]byte{first, change(t, 12, k[1], k[0])}},
		"to itself":                {k[0].public, [][]byte{change(t, 10, k[0], k[0])}},
		"to another log's":         {k[0].public, [][]byte{change(t, 10, k[0], other)}},
		"a checkpoint":             {k[0].public, [][]byte{[]byte("writ.dev/log/" + testLog + "\n1\n\n")}},
		"edited":                   {k[0].public, [][]byte{bytes.Replace(first, []byte("\n10\n"), []byte("\n11\n"), 1)}},
		"a line more":              {k[0].public, [][]byte{bytes.Replace(first, []byte("\n\n"), []byte("\nmore\n\n"), 1)}},
		"the same statement twice": {k[0].public, [][]byte{first, first}},
	} {
		if ring, err := decisions.NewKeyRing(c.key, c.statements...); !errors.Is(err, decisions.ErrKeyChange) {
			t.Errorf("%s: got %v, %v, expected ErrKeyChange", name, ring, err)
		}
	}
	var none decisions.KeyRing
	signed, _ := decisions.Checkpoint{LogID: testLog, Size: 1}.Sign(k[0].signer)
	if _, err := none.ParseCheckpoint(signed); !errors.Is(err, decisions.ErrCheckpoint) {
		t.Errorf("no key: got %v, expected ErrCheckpoint", err)
	}
}

func FuzzKeyChange(f *testing.F) {
	k := logKeys(f, testLog, 2)
	f.Add(change(f, 10, k[0], k[1]))
	f.Fuzz(func(t *testing.T, b []byte) {
		if joined := bytes.Join(decisions.SplitKeyChain(b), nil); !bytes.Equal(joined, b) {
			t.Fatalf("%q was split into %q", b, joined)
		}
		c, err := decisions.ParseKeyChange(b)
		if err != nil {
			return
		}
		again, err := c.Sign(k[0].signer, k[1].signer)
		text, _, _ := bytes.Cut(again, []byte("\n\n"))
		if err != nil || !bytes.HasPrefix(b, text) {
			t.Fatalf("%q was read as %+v", b, c)
		}
	})
}
