package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

func rotateTest(t testing.TB, o Options) decisions.KeyChange {
	t.Helper()
	change, err := RotateKey(t.Context(), o, &ledgerv1.Actor{Name: "alice", By: "os"})
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// rotated is a closed log of several segments whose key was changed twice; keys are all
// that it had, in order.
func rotated(t *testing.T) (o Options, keys []string) {
	t.Helper()
	o = testOptions(t)
	for range 2 {
		l := openTest(t, o)
		for range 20 {
			if _, err := l.Append(call{tool: "t", filler: 40_000}.proposal(t)); err != nil {
				t.Fatal(err)
			}
		}
		appendN(t, l, 200)
		closeTest(t, l)
		change := rotateTest(t, o)
		if len(keys) == 0 {
			keys = append(keys, change.Old)
		}
		keys = append(keys, change.New)
	}
	l := openTest(t, o)
	appendN(t, l, 10)
	closeTest(t, l)
	return l.opts, keys
}

// R33: a key is changed by an entry; whoever holds any one of the log's keys verifies
// all of it, also in another language, and each key signs what it was in force for.
func TestRotateKey(t *testing.T) {
	o, keys := rotated(t)
	if got := publicKey(t, o); got != keys[2] {
		t.Errorf("the public key is %s, expected %s", got, keys[2])
	}
	to := filepath.Join(t.TempDir(), "out")
	exportTest(t, o, to, 0)
	for i, key := range keys {
		if r, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, VerifierKey: key}); err != nil || r.KeyChanges != 2 || r.VerifierKey != keys[2] {
			t.Errorf("by key %d: %+v, %v", i, r, err)
		}
		if _, err := VerifyArchive(t.Context(), VerifyOptions{Dir: to, VerifierKey: key}, 0); err != nil {
			t.Errorf("the export, by key %d: %v", i, err)
		}
	}
	other := testOptions(t)
	closeTest(t, openTest(t, other))
	if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, VerifierKey: publicKey(t, other)}); !errors.Is(err, ErrKeys) {
		t.Errorf("by another log's key: got %v, expected ErrKeys", err)
	}
	l := openTest(t, o)
	last, err := l.Entry(l.Size() - 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.KeyChanges(); len(got) != 2 || l.VerifierKey() != keys[2] || last.Sequence == 0 {
		t.Errorf("%d changes, key %s", len(got), l.VerifierKey())
	}
	e := &ledgerv1.Entry{Body: &ledgerv1.Entry_KeyChanged{KeyChanged: &ledgerv1.KeyChanged{VerifierKey: keys[0]}}}
	if _, err := l.Append(decisions.Proposal{Body: marshal(t, e)}); !errors.Is(err, ErrProposal) {
		t.Errorf("a change that anyone proposes: got %v, expected ErrProposal", err)
	}
}

// R33 in another language: by any one of the keys, with the key chain and without it.
func TestAnotherLanguageFollowsTheKeys(t *testing.T) {
	requireNode(t)
	o, keys := rotated(t)
	for _, chain := range []string{"with", "without"} {
		for i, key := range keys {
			if out, complaint := byStranger(t, o, key); complaint != "" || !strings.Contains(out, `"key_changes":2`) {
				t.Errorf("by key %d, %s the chain: %s%s", i, chain, out, complaint)
			}
		}
		if chain == "with" {
			remove(t, filepath.Join(o.Dir, chainFile))
		}
	}
}

// An export that was begun under the old key goes on under the new one.
func TestExportOverAChangeOfKeys(t *testing.T) {
	o := testOptions(t)
	closeTest(t, openTest(t, o))
	to := filepath.Join(t.TempDir(), "out")
	exportTest(t, o, to, 0)
	old := publicKey(t, o)
	for range 2 {
		rotateTest(t, o)
		exportTest(t, o, to, 0)
		if _, err := VerifyArchive(t.Context(), VerifyOptions{Dir: to, VerifierKey: old}, 0); err != nil {
			t.Error(err)
		}
	}
}

// A change of the key that was pruned is still known: what stays of it leads from the
// first key to the last, with the key chain and without it.
func TestRotateKeyAndPrune(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	withBlobs(t, l, 30)
	first := l.VerifierKey()
	closeTest(t, l)
	change := rotateTest(t, o)
	l = openTest(t, o)
	withBlobs(t, l, 60)
	if report := mustPrune(t, l, pruneAll()); report.First <= change.Size {
		t.Fatalf("the change is entry %d, and the log begins with %d: this proves nothing", change.Size, report.First)
	}
	closeTest(t, l)
	for _, chain := range []string{"with", "without"} {
		for _, key := range []string{first, change.New} {
			if r, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, VerifierKey: key}); err != nil || r.KeyChanges != 1 {
				t.Errorf("%s the chain: %d changes, %v", chain, r.KeyChanges, err)
			}
			strangerVerifies(t, l.opts, key)
		}
		if chain == "with" {
			remove(t, filepath.Join(o.Dir, chainFile))
		}
	}
	closeTest(t, openTest(t, o))
}

func strangerVerifies(t *testing.T, o Options, key string) {
	t.Helper()
	requireNode(t)
	if _, complaint := byStranger(t, o, key); complaint != "" {
		t.Errorf("in another language: %s", complaint)
	}
}

// Wherever the power goes, the log has one key afterwards, verifies by it and by the one
// that it began with, and can be given another.
func TestRotateKeyCrash(t *testing.T) {
	finished, undone := 0, 0
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 4))
		o := testOptions(t)
		disk := newSimDisk()
		o.FS = disk
		l, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		appendN(t, l, int(seed)%3*tileWidth/2)
		closeSim(t, l)
		first := publicKeyOn(t, o)
		disk.fault = powerCutWithin(r, "next", 24)
		_, err = RotateKey(context.Background(), o, nil)
		if err != nil && !errors.Is(err, syscall.EIO) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		disk.fault = nil
		o.FS = disk.crash(r)
		if r.IntN(2) == 0 {
			if err := os.RemoveAll(filepath.Join(o.Dir, "index")); err != nil {
				t.Fatal(err)
			}
		}
		if l, err = Open(t.Context(), o); err != nil {
			t.Fatalf("seed %d, after the crash: %v", seed, err)
		}
		appendN(t, l, 3)
		closeSim(t, l)
		if present := publicKeyOn(t, o); present != l.VerifierKey() {
			t.Fatalf("seed %d: %s is in the file, %s signs", seed, present, l.VerifierKey())
		}
		if l.VerifierKey() == first {
			undone++
		} else {
			finished++
		}
		if left, _ := exists(o.FS, filepath.Join(o.Dir+".keys", nextFile)); left {
			t.Errorf("seed %d: the next key is still there", seed)
		}
		if _, err := RotateKey(t.Context(), o, nil); err != nil {
			t.Fatalf("seed %d, once more: %v", seed, err)
		}
		for _, key := range []string{first, publicKeyOn(t, o)} {
			if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, VerifierKey: key, FS: o.FS}); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	if finished < 5 || undone < 5 {
		t.Errorf("%d changes were finished and %d undone: the crashes miss one of the two", finished, undone)
	}
}

func publicKeyOn(t *testing.T, o Options) string {
	t.Helper()
	key, err := ReadVerifierKey(VerifyOptions{Dir: o.Dir, FS: o.FS})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// powerCutWithin fails every operation from a random one on, after a file of this name
// was written.
func powerCutWithin(r *rand.Rand, name string, operations int) func(op, file string) error {
	left, begun := r.IntN(operations), false
	return func(op, file string) error {
		if begun = begun || op == "write" && strings.Contains(file, name); begun {
			left--
		}
		if left < 0 {
			return syscall.EIO
		}
		return nil
	}
}

// The key chain is a copy of what the entries say: without it, or with another, the log
// itself is asked, and the next start writes it again.
func TestKeyChainLost(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, chain string){
		"gone":    func(t *testing.T, chain string) { remove(t, chain) },
		"flipped": func(t *testing.T, chain string) { edit(t, chain, flipAt(100)) },
		"older": func(t *testing.T, chain string) {
			edit(t, chain, func(b []byte) []byte { return decisions.SplitKeyChain(b)[0] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, keys := rotated(t)
			chain := filepath.Join(o.Dir, chainFile)
			want := contents(t, o.Dir)[chainFile]
			spoil(t, chain)
			for _, key := range keys {
				if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir, VerifierKey: key}); err != nil {
					t.Error(err)
				}
			}
			closeTest(t, openTest(t, o))
			if got := contents(t, o.Dir)[chainFile]; got != want {
				t.Errorf("after a start it says %q, expected %q", got, want)
			}
		})
	}
}

// Only the key in force signs: not the one from before, though it is the log's; and a
// change that its entry does not say is none.
func TestRotatedKeyRefuses(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	appendN(t, l, 3)
	closeTest(t, l)
	before := copyOf(t, l.opts)
	old, err := loadKeys(osFS{}, before.Dir+".keys")
	if err != nil {
		t.Fatal(err)
	}
	rotateTest(t, o)
	l = openTest(t, o)
	closeTest(t, l)

	t.Run("the old key signs on", func(t *testing.T) {
		o := copyOf(t, l.opts)
		forged, err := decisions.Checkpoint{LogID: l.LogID(), Size: l.Size(), Root: l.head.tree.Root()}.Sign(old.own.signer)
		if err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(o.Dir, "checkpoint"), func([]byte) []byte { return forged })
		_, err = Verify(t.Context(), VerifyOptions{Dir: o.Dir})
		if !errors.Is(err, ErrDamaged) || !strings.Contains(fmt.Sprint(err), "it is signed by the key") {
			t.Errorf("verify: got %v", err)
		}
		strangerRefuses(t, o, publicKey(t, l.opts), "no signature by the key that signs such a tree")
		refuses(t, o, ErrDamaged)
	})
	t.Run("the old key is put back", func(t *testing.T) {
		o := copyOf(t, l.opts)
		for _, name := range []string{signingFile, verifierFile} {
			edit(t, filepath.Join(o.Dir+".keys", name), func([]byte) []byte { return []byte(contents(t, before.Dir+".keys")[name]) })
		}
		refuses(t, o, ErrKeys)
	})
	t.Run("a change without its entry", func(t *testing.T) {
		o := copyOf(t, l.opts)
		keys, err := loadKeys(osFS{}, o.Dir+".keys")
		if err != nil {
			t.Fatal(err)
		}
		private, public, err := note.GenerateKey(nil, decisions.Origin(l.LogID()))
		if err != nil {
			t.Fatal(err)
		}
		next, err := note.NewSigner(private)
		if err != nil {
			t.Fatal(err)
		}
		made, err := decisions.KeyChange{LogID: l.LogID(), Size: l.Size() - 1, Old: keys.own.public, New: public}.Sign(keys.own.signer, next)
		if err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(o.Dir, chainFile), func(b []byte) []byte { return append(b, made...) })
		edit(t, filepath.Join(o.Dir, "checkpoint"), func([]byte) []byte {
			b, err := decisions.Checkpoint{LogID: l.LogID(), Size: l.Size(), Root: l.head.tree.Root()}.Sign(next)
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
		remove(t, filepath.Join(o.Dir+".keys", "anchor"))
		if _, err := Verify(t.Context(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrDamaged) {
			t.Errorf("got %v, expected ErrDamaged", err)
		}
		strangerRefuses(t, o, publicKey(t, l.opts), "the entry does not")
	})
}

func strangerRefuses(t *testing.T, o Options, key, says string) {
	t.Helper()
	requireNode(t)
	if _, complaint := byStranger(t, o, key); !strings.Contains(complaint, says) {
		t.Errorf("in another language: it says %q, expected %q", complaint, says)
	}
}
