package ledger

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"testing"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// R34: a log verifies while it is being written.
func TestVerifyWhileRunning(t *testing.T) {
	l := openTest(t, testOptions(t))
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for ctx.Err() == nil {
				if _, err := l.Append(call{tool: "t", filler: 2000}.proposal(t)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	last := uint64(0)
	for range 20 {
		r := verifyTest(t, l.opts)
		if r.Entries < last {
			t.Errorf("%d entries, %d before", r.Entries, last)
		}
		last = r.Entries
	}
	cancel()
	wg.Wait()
}

func TestVerifyReport(t *testing.T) {
	l := openTest(t, testOptions(t))
	c := call{tool: "t", key: "k", request: "r", outcome: decisions.Run, life: 3600e9}
	for range 3 {
		if _, err := l.Append(c.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
	closeTest(t, l)
	r := verifyTest(t, l.opts)
	if r.LogID != l.LogID() || r.Entries != 5 || r.Decisions != 3 || r.Repeats != 2 || r.Signed != 5 || r.Root != l.head.tree.Root() {
		t.Errorf("got %+v", r)
	}
}

// A blob that an entry names must be there and be what its name says.
func TestVerifyBlobs(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"gone":    os.Remove,
		"changed": func(path string) error { return os.WriteFile(path, []byte("allow = true"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			l, err := Open(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			blob, err := l.PutBlob([]byte("allow = false"))
			if err != nil {
				t.Fatal(err)
			}
			activated := &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{
				Files: []*ledgerv1.File{{Path: "a.rego", Sha256: blob}},
			}}}
			if _, err := l.Append(decisions.Proposal{Body: marshal(t, activated)}); err != nil {
				t.Fatal(err)
			}
			closeTest(t, l)
			if err := spoil(blobPath(l.opts.blobDir(), blob)); err != nil {
				t.Fatal(err)
			}
			_, err = Verify(context.Background(), VerifyOptions{Dir: o.Dir})
			if bad := (*BadEntryError)(nil); !errors.As(err, &bad) || bad.Sequence != 2 || !errors.Is(err, ErrDamaged) {
				t.Errorf("got %v, expected damage at entry 2", err)
			}
		})
	}
}

func TestBlobs(t *testing.T) {
	l := openTest(t, testOptions(t))
	for range 2 { // putting twice is putting once
		name, err := l.PutBlob([]byte("content"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := l.Blob(name); err != nil || string(got) != "content" {
			t.Errorf("got %q, %v", got, err)
		}
		if err := os.WriteFile(blobPath(l.opts.blobDir(), name), []byte("changed"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Blob(name); !errors.Is(err, ErrDamaged) {
			t.Errorf("a changed blob: got %v, expected ErrDamaged", err)
		}
	}
	for _, name := range []string{"", "ab", "../checkpoint", string(make([]byte, 64)), blobNameOf('A'), blobNameOf('a')} {
		if _, err := l.Blob(name); !errors.Is(err, ErrNotFound) {
			t.Errorf("%q: got %v, expected ErrNotFound", name, err)
		}
	}
}

func blobNameOf(c byte) string {
	b := make([]byte, 64)
	for i := range b {
		b[i] = c
	}
	return string(b)
}

// Who can change the data but has not the key can't make it verify: here everything
// that the data directory holds is written anew, consistently, around a changed entry.
func TestForgedLog(t *testing.T) {
	o := testOptions(t)
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 5)
	closeTest(t, l)
	edit(t, segmentName(l.opts.logDir(), 0), func(b []byte) []byte { return forge(t, b) })
	_, err = Verify(context.Background(), VerifyOptions{Dir: o.Dir})
	if bad := (*BadEntryError)(nil); !errors.As(err, &bad) || !errors.Is(err, ErrDamaged) || bad.Sequence > 3 {
		t.Errorf("verify: got %v, expected damage", err)
	}
	refuses(t, o, ErrDamaged)
}

// forge changes the third entry's tool and makes checksums and chain right again.
func forge(t *testing.T, b []byte) []byte {
	t.Helper()
	h, err := parseHeader(b)
	if err != nil {
		t.Fatal(err)
	}
	var prev decisions.Hash
	for offset := segmentHeader; ; {
		f, err := parseFrame(b[offset:], h.mark)
		if err != nil {
			return b
		}
		entries, err := f.entries(nil)
		if err != nil {
			t.Fatal(err)
		}
		var leaves []decisions.Hash
		for i, raw := range entries {
			if f.first+uint64(i) == 3 {
				copy(raw, bytes.Replace(raw, []byte("tool1"), []byte("toolX"), 1))
			}
			leaves = append(leaves, decisions.LeafHash(raw))
		}
		whole := b[offset : offset+frameHeader+len(f.payload)]
		sealFrame(whole, h.mark, f.first, int(f.count), prev)
		prev = batchHash(whole, leaves)
		offset += len(whole)
	}
}

// Who reads while a segment is begun may see its header's place blank, and then its first
// batch: that is no damage.
func TestVerifyWhileASegmentBegins(t *testing.T) {
	o := stored(t)
	must(t, os.Remove(segmentName(o.logDir(), 4))) // the next is prepared later
	if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, FS: beginningFS{name: segmentName(o.logDir(), 3)}}); err != nil {
		t.Error(err)
	}
}

// beginningFS shows the header of a segment at the second look.
type beginningFS struct {
	osFS
	name string
}

func (b beginningFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := b.osFS.OpenFile(name, flag, perm)
	if err == nil && name == b.name {
		f = &beginningFile{File: f}
	}
	return f, err
}

type beginningFile struct {
	File
	seen bool
}

func (f *beginningFile) ReadAt(b []byte, offset int64) (int, error) {
	n, err := f.File.ReadAt(b, offset)
	if !f.seen && offset == 0 {
		f.seen = true
		clear(b[:min(n, segmentHeader)])
	}
	return n, err
}
