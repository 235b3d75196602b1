package ledger

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Damage that a start does not walk over is found beside the answers, and ends the
// ledger with the entry's name.
func TestScrubFindsOldDamage(t *testing.T) {
	sound := large(t)
	const segment = "log/00000000.seg"
	for name, damage := range map[string]func(t *testing.T, dir string){
		"a flipped bit at 500":  func(t *testing.T, dir string) { edit(t, filepath.Join(dir, segment), flipAt(500)) },
		"a flipped bit at 1 Mi": func(t *testing.T, dir string) { edit(t, filepath.Join(dir, segment), flipAt(1<<20)) },
		"a flipped bit at 3 Mi": func(t *testing.T, dir string) { edit(t, filepath.Join(dir, segment), flipAt(3<<20)) },
		"64 KiB of zeros": func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, segment), func(b []byte) []byte { clear(b[2<<20:][:64<<10]); return b })
		},
		"the blobs are gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "blobs")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, sound)
			damage(t, o.Dir)
			o.NoScrub, o.SegmentBytes = false, sound.SegmentBytes
			l, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal("a start walks over it already: ", err)
			}
			<-l.Done()
			var bad *BadEntryError
			if err := l.Close(); !errors.Is(err, ErrFailed) || !errors.Is(err, ErrDamaged) || !errors.As(err, &bad) || !strings.Contains(err.Error(), "from a backup") {
				t.Errorf("%v; want the ledger ended for damage, with the entry and the next step", err)
			}
		})
	}
}

// large is a closed ledger of one segment of 6 MB, most of it in the index, with a blob
// that an entry names.
func large(t *testing.T) Options {
	t.Helper()
	o := testOptions(t)
	o.SegmentBytes = 16 << 20
	l := openTest(t, o)
	appendPolicy(t, l)
	for range 2*tileWidth + 50 {
		if _, err := l.Append(call{tool: "t", filler: 10_000}.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
	closeTest(t, l)
	return l.opts
}

// A sound log is scrubbed without a word, also when it is closed meanwhile.
func TestScrubOfASoundLog(t *testing.T) {
	o := testOptions(t)
	o.NoScrub = false
	l := openTest(t, o)
	appendN(t, l, 300)
}

// What can't be read at the moment is no damage: it ends nothing, and says which entry
// names it.
func TestUnreadableIsNoDamage(t *testing.T) {
	o := testOptions(t)
	disk := newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	name := appendPolicy(t, l)
	disk.failOn("open", name, &fs.PathError{Op: "open", Path: name, Err: syscall.EMFILE})
	_, err = Verify(t.Context(), VerifyOptions{Dir: l.opts.Dir, FS: disk})
	var bad *BadEntryError
	if errors.Is(err, ErrDamaged) || !errors.Is(err, syscall.EMFILE) || !errors.As(err, &bad) {
		t.Errorf("got %v", err)
	}
	l.scrub(t.Context())
	if err := l.Err(); err != nil {
		t.Error(err)
	}
	disk.failOn("", "", nil)
	closeOn(t, l, disk)
}

// appendPolicy appends an entry that names a blob, and returns the blob's name.
func appendPolicy(t *testing.T, l *Ledger) string {
	t.Helper()
	name, err := l.PutBlob([]byte("a document"))
	if err != nil {
		t.Fatal(err)
	}
	activated := &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{
		Files: []*ledgerv1.File{{Path: "p", Sha256: name}}}}}
	if _, err := l.Append(decisions.Proposal{Body: marshal(t, activated)}); err != nil {
		t.Fatal(err)
	}
	return name
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
