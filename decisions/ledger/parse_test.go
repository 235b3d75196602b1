package ledger

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
)

func sealed(entries [][]byte) []byte {
	b := appendHeader(nil)
	for _, e := range entries {
		opened, at := openEntry(b)
		b = opened
		b = append(b, e...)
		closeEntry(b, at)
	}
	sealFrame(b, mark{1, 2, 3}, 7, len(entries), decisions.Hash{9})
	return b
}

// What is framed comes apart again, and a byte that changed anywhere is noticed.
func TestFrame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 300), 1, 20).Draw(t, "entries")
		b := sealed(entries)
		f, err := parseFrame(append(b, "what follows"...), mark{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.entries(nil)
		if err != nil || f.first != 7 || f.prev != (decisions.Hash{9}) || len(got) != len(entries) {
			t.Fatalf("%d entries from %d, %v", len(got), f.first, err)
		}
		for i := range got {
			if !bytes.Equal(got[i], entries[i]) {
				t.Fatalf("entry %d is %x, expected %x", i, got[i], entries[i])
			}
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if _, err := parseFrame(b, mark{1, 2, 3}); !errors.Is(err, errBadFrame) && !errors.Is(err, errNoFrame) {
			t.Fatalf("a flipped bit: %v", err)
		}
	})
}

// The leaf that closeEntry returns is the one that everybody else computes.
func TestCloseEntry(t *testing.T) {
	b, at := openEntry([]byte("before"))
	b = append(b, "entry"...)
	if got, want := closeEntry(b, at), decisions.LeafHash([]byte("entry")); got != want {
		t.Errorf("got %x, expected %x", got, want)
	}
	if want := "before\x00\x05entry"; string(b) != want {
		t.Errorf("got %q, expected %q", b, want)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(sealed([][]byte{[]byte("entry"), nil}))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := parseFrame(b, mark{1, 2, 3})
		if err != nil {
			return
		}
		entries, err := got.entries(nil)
		if err != nil {
			return
		}
		again := sealed(entries)
		sealFrame(again, mark{1, 2, 3}, got.first, len(entries), got.prev)
		if !bytes.Equal(again, b[:len(again)]) {
			t.Fatalf("%x was read as %x", b, again)
		}
	})
}

func FuzzSegmentHeader(f *testing.F) {
	f.Add(header{number: 3, first: 9, size: 1 << 20, mark: mark{1}}.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHeader(b)
		if err == nil && !bytes.Equal(h.encode()[:segmentCRCAt+4], b[:segmentCRCAt+4]) {
			t.Fatalf("%x was read as %+v", b, h)
		}
	})
}

func FuzzPosition(f *testing.F) {
	x := &index{logID: "000102030405060708090a0b0c0d0e0f"}
	b, _ := x.position()
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		x := &index{logID: "000102030405060708090a0b0c0d0e0f"}
		if err := x.parsePosition(b); err != nil {
			return
		}
		if again, err := x.position(); err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x was read as %x, %v", b, again, err)
		}
	})
}
