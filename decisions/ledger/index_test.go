package ledger

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/dgraph-io/badger/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// keyed appends n decisions under a few keys, so that the index holds records.
func keyed(t *testing.T, l *Ledger, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), 1))
	for range n {
		c := call{tool: "t", key: fmt.Sprint(r.IntN(100)), request: fmt.Sprint(r.IntN(2)), outcome: decisions.Outcome(r.IntN(4)), code: "c", life: 3600e9}
		if _, err := l.Append(c.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
}

// What the writer knows of the keys, from the index and the tail.
func knownKeys(t *testing.T, l *Ledger) map[int]decisions.KeyRecord {
	t.Helper()
	known := map[int]decisions.KeyRecord{}
	for i := range 100 {
		record, ok, err := l.tail.Key(decisions.Hash(sum(fmt.Sprint(i))))
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			known[i] = record
		}
		if key, found, err := l.tail.KeyOf(record.First); ok && (err != nil || !found || key != decisions.Hash(sum(fmt.Sprint(i)))) {
			t.Errorf("key %d: its first entry %d leads to %x, %v, %v", i, record.First.Sequence, key, found, err)
		}
	}
	return known
}

// Deleted, old, damaged or another log's: the index comes back from the log, with the
// same keys and tree.
func TestIndexRebuilds(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	o := testOptions(t)
	l := openTest(t, o)
	keyed(t, l, 700)
	closeTest(t, l)
	o = l.opts
	old := filepath.Join(t.TempDir(), "index")
	if err := os.CopyFS(old, os.DirFS(o.indexDir())); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, o)
	keyed(t, l, 701)
	want := knownKeys(t, l)
	closeTest(t, l)
	foreign := stored(t)
	for name, change := range map[string]func(dir string) error{
		"deleted": os.RemoveAll,
		"old":     func(dir string) error { return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(old))) },
		"foreign": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(foreign.indexDir())))
		},
		"garbage":  func(dir string) error { return os.WriteFile(filepath.Join(dir, "MANIFEST"), []byte("garbage"), 0o600) },
		"as it is": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, o)
			if err := change(o.indexDir()); err != nil {
				t.Fatal(err)
			}
			l := openTest(t, o)
			if diff := cmp.Diff(want, knownKeys(t, l)); diff != "" {
				t.Errorf("keys: %s", diff)
			}
			for r, err := range l.Entries(0, l.Size()) {
				if err != nil {
					t.Fatal(r.Sequence, err)
				}
			}
		})
	}
}

// An index of another form is rebuilt, also where the entries after it would not show
// that its records mean something else.
func TestIndexOfAnOlderForm(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	keyed(t, l, 700)
	appendN(t, l, 2*tileWidth) // no key is in the tail
	want := knownKeys(t, l)
	closeTest(t, l)
	if err := setOldForm(l.opts, l.LogID()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, knownKeys(t, openTest(t, o))); diff != "" {
		t.Errorf("keys: %s", diff)
	}
}

// setOldForm makes an index one that was written before indexes had a form: a position
// begins with the log id, and no key record knows what was permitted.
func setOldForm(o Options, logID string) error {
	x, err := openIndex(o, logID)
	if err != nil {
		return err
	}
	position, err := x.position()
	if err != nil {
		return err
	}
	return errors.Join(x.db.Update(func(txn *badger.Txn) error {
		if err := txn.Set([]byte{'p'}, position[1:]); err != nil {
			return err
		}
		for i := range 100 {
			key := decisions.Hash(sum(fmt.Sprint(i)))
			record, err := getKey(txn, keyKey(key))
			if err != nil {
				return err
			}
			record.Result = ledgerv1.Result_RESULT_UNSPECIFIED
			if err := setKey(txn, change{key: key, record: record}); err != nil {
				return err
			}
		}
		return nil
	}), x.close())
}

// An index that is ahead says that the log lost something.
func TestIndexAhead(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	short := copyOf(t, l.opts)
	keyed(t, l, 600)
	closeTest(t, l)
	if err := errors.Join(os.RemoveAll(short.indexDir()), os.CopyFS(short.indexDir(), os.DirFS(l.opts.indexDir()))); err != nil {
		t.Fatal(err)
	}
	refuses(t, short, ErrRolledBack)
}

// The records of entries have no log of their own: what a power cut left of them is
// noticed at the start, and what the disk changed later by who reads it.
func TestIndexEntriesDamaged(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	appendN(t, l, 700)
	closeTest(t, l)
	for name, change := range map[string]func(b []byte) []byte{
		"changed": func(b []byte) []byte { b[300*entryRecord] ^= 1; return b },
		"cut":     func(b []byte) []byte { return b[:300*entryRecord] },
		"zeros":   func(b []byte) []byte { clear(b[tileBytes:]); return b },
	} {
		for _, clean := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", clean ", clean), func(t *testing.T) {
				o := copyOf(t, l.opts)
				edit(t, filepath.Join(o.indexDir(), "entries"), change)
				if !clean {
					must(t, os.Remove(o.cleanFile()))
				}
				l := openTest(t, o)
				if _, err := l.Entry(300); (err == nil) == clean || clean && !errors.Is(err, ErrDamaged) {
					t.Errorf("got %v", err)
				}
				must(t, l.Close())
				if _, err := openTest(t, o).Entry(300); err != nil {
					t.Errorf("at the next start: %v", err)
				}
			})
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// The tree in the index is the tree of the log, at every size.
func TestIndexRoots(t *testing.T) {
	l := openTest(t, testOptions(t))
	appendN(t, l, 1300)
	if err := l.catchUpNow(); err != nil {
		t.Fatal(err)
	}
	var tree decisions.Frontier
	for r, err := range l.Entries(0, l.Size()) {
		if err != nil {
			t.Fatal(err)
		}
		tree.Append(r.Leaf)
		if size := tree.Size(); size%97 == 0 && size <= l.index.size() {
			if root, err := l.index.root(size); err != nil || root != tree.Root() {
				t.Errorf("size %d: root %x, %v, expected %x", size, root, err, tree.Root())
			}
		}
	}
	if got := l.index.size(); got != 1280 {
		t.Errorf("the index has %d entries, expected 1280 of %d: whole tiles", got, l.Size())
	}
}

// catchUpNow waits until the indexer stands still, with every whole tile taken in.
func (l *Ledger) catchUpNow() error {
	l.tail.mu.Lock()
	defer l.tail.mu.Unlock()
	for len(l.tail.leaves) >= tileWidth && l.tail.err == nil {
		l.tail.drained.Wait()
	}
	return l.tail.err
}

// Expired keys leave the index, by the entries' own time.
func TestSweep(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	o := testOptions(t)
	clock := newClock()
	o.Now = clock.now
	l := openTest(t, o)
	for i := range 600 {
		c := call{tool: "t", key: fmt.Sprint("k", i), request: "r", life: 60e9}
		if _, err := l.Append(c.proposal(t)); err != nil {
			t.Fatal(err)
		}
	}
	clock.advance(61e9)
	appendN(t, l, 20_000)
	if err := l.catchUpNow(); err != nil {
		t.Fatal(err)
	}
	left := 0
	for i := range 600 {
		if _, ok, _ := l.tail.Key(decisions.Hash(sum(fmt.Sprint("k", i)))); ok {
			left++
		}
	}
	if left > 0 {
		t.Errorf("%d expired keys are still held", left)
	}
}

// A context that ends stops a long recovery.
func TestOpenStops(t *testing.T) {
	o := stored(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, expected Canceled", err)
	}
}

func FuzzKeyRecord(f *testing.F) {
	f.Add(appendRecord(nil, decisions.KeyRecord{First: decisions.EntryRef{Epoch: "5f3c09ab", Sequence: 1}, Reason: decisions.Reason{Code: "c", Sentence: "s", Rule: "r"}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseRecord(b)
		if err != nil {
			return
		}
		if again, err := parseRecord(appendRecord(nil, r)); err != nil || again != r {
			t.Fatalf("got %+v, %v, expected %+v", again, err, r)
		}
	})
}
