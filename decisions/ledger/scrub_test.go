package ledger

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Damage that a start does not walk over is found beside the answers, and ends the
// ledger with the entry's name.
func TestScrubFindsOldDamage(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, dir string){
		"a flipped bit": func(t *testing.T, dir string) {
			rewrite(t, filepath.Join(dir, "log", "00000000.seg"), func(b []byte) { b[500] ^= 1 })
		},
		"zeros": func(t *testing.T, dir string) {
			rewrite(t, filepath.Join(dir, "log", "00000000.seg"), func(b []byte) { clear(b[4096:8192]) })
		},
		"a blob is gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "blobs")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			l, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			sum, err := l.PutBlob([]byte("a document"))
			if err != nil {
				t.Fatal(err)
			}
			activated := &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{
				Files: []*ledgerv1.File{{Path: "p", Sha256: sum}}}}}
			if _, err := l.Append(decisions.Proposal{Body: marshal(t, activated)}); err != nil {
				t.Fatal(err)
			}
			appendN(t, l, 600) // more than the index leaves to a start
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			damage(t, o.Dir)
			o.NoScrub = false
			l, err = Open(t.Context(), o)
			if err != nil {
				t.Skip("found at start already: ", err)
			}
			<-l.Done()
			if err := l.Close(); !errors.Is(err, ErrFailed) || !errors.Is(err, ErrDamaged) {
				t.Errorf("%v; want the ledger ended for damage", err)
			}
		})
	}
}

// A sound log is scrubbed without a word, also when it is closed meanwhile.
func TestScrubOfASoundLog(t *testing.T) {
	o := testOptions(t)
	o.NoScrub = false
	l := openTest(t, o)
	appendN(t, l, 300)
}

// A log opens with no other digest key, and writes a public key that went missing.
func TestKeysBelongToTheLog(t *testing.T) {
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	keys := o.Dir + ".keys"
	if err := os.Remove(filepath.Join(keys, verifierFile)); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadVerifierKey(VerifyOptions{Dir: o.Dir}); err != nil {
		t.Errorf("the public key was not written again: %v", err)
	}
	rewrite(t, filepath.Join(keys, digestFile), func(b []byte) {
		copy(b, bytes.Repeat([]byte("0123456789abcdef"), 4))
	})
	if _, err := Open(t.Context(), o); !errors.Is(err, ErrKeys) {
		t.Errorf("another digest key: %v", err)
	}
}

func rewrite(t *testing.T, file string, change func([]byte)) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	change(content)
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// No byte of a segment's header changes unseen.
func TestEveryByteOfAHeaderCounts(t *testing.T) {
	sound := header{number: 0, size: minSegmentBytes}.encode()
	if _, err := parseHeader(sound); err != nil {
		t.Fatal(err)
	}
	for i := range sound {
		changed := bytes.Clone(sound)
		changed[i] ^= 1
		if _, err := parseHeader(changed); err == nil {
			t.Errorf("byte %d was changed and not seen", i)
		}
	}
}
