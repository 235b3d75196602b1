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

const testLog = "5f3c09ab5f3c09ab5f3c09ab5f3c09ab"

func testKey(t testing.TB, name string) (note.Signer, note.Verifier) {
	t.Helper()
	private, public, err := note.GenerateKey(rand.NewChaCha8([32]byte{1}), name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

func TestCheckpoint(t *testing.T) {
	s, v := testKey(t, decisions.Origin(testLog))
	want := decisions.Checkpoint{LogID: testLog, Size: 1742, Root: leaf(1)}
	msg, err := want.Sign(s)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(msg, []byte("writ.dev/log/"+testLog+"\n1742\n")) {
		t.Errorf("got\n%s", msg)
	}
	if got, err := decisions.ParseCheckpoint(msg, v); err != nil || got != want {
		t.Errorf("got %+v, %v, expected %+v", got, err, want)
	}
	_, stranger := testKey(t, decisions.Origin(strings.Repeat("0", 32)))
	if _, err := decisions.ParseCheckpoint(msg, stranger); !errors.Is(err, decisions.ErrCheckpoint) {
		t.Errorf("by another log's key: got %v, expected ErrCheckpoint", err)
	}
	for i := range msg {
		flipped := bytes.Clone(msg)
		flipped[i] ^= 4
		if got, err := decisions.ParseCheckpoint(flipped, v); err == nil && got != want {
			t.Errorf("byte %d flipped: got %+v", i, got)
		}
	}
}

// Signed by the right key, and still not a checkpoint.
func TestCheckpointRefusesOtherText(t *testing.T) {
	s, v := testKey(t, decisions.Origin(testLog))
	const root = "qIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWQ=\n"
	origin := decisions.Origin(testLog) + "\n"
	for name, text := range map[string]string{
		"no root":         origin + "1\n",
		"extension":       origin + "1\n" + root + "more\n",
		"leading zero":    origin + "01\n" + root,
		"plus":            origin + "+1\n" + root,
		"negative":        origin + "-1\n" + root,
		"huge":            origin + "9223372036854775808\n" + root,
		"short root":      origin + "1\nqIlI\n",
		"lax base64":      origin + "1\nqIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWR=\n",
		"other log":       decisions.Origin(strings.Repeat("0", 32)) + "\n1\n" + root,
		"Go's own origin": "go.sum database tree\n1\n" + root,
	} {
		msg, err := note.Sign(&note.Note{Text: text}, s)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decisions.ParseCheckpoint(msg, v); !errors.Is(err, decisions.ErrCheckpoint) {
			t.Errorf("%s: got %+v, %v, expected ErrCheckpoint", name, got, err)
		}
	}
}

func FuzzCheckpoint(f *testing.F) {
	s, v := testKey(f, decisions.Origin(testLog))
	msg, _ := decisions.Checkpoint{LogID: testLog, Size: 7, Root: leaf(7)}.Sign(s)
	f.Add(string(msg))
	f.Fuzz(func(t *testing.T, text string) {
		if signed, err := note.Sign(&note.Note{Text: text}, s); err == nil {
			c, err := decisions.ParseCheckpoint(signed, v)
			if again, _ := c.Sign(s); err == nil && !bytes.Equal(again, signed) {
				t.Fatalf("%q was read as %q", signed, again)
			}
		}
		if _, err := decisions.ParseCheckpoint([]byte(text), v); err == nil && !strings.HasPrefix(text, decisions.Origin(testLog)) {
			t.Fatalf("%q was taken", text)
		}
	})
}
