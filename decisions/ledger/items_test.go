package ledger

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

const testKind = ledgerv1.ItemKind_ITEM_KIND_INPUTS

// appendItem appends a decision with an item of that content.
func appendItem(t testing.TB, l *Ledger, content string) (decisions.Receipt, error) {
	t.Helper()
	item, err := l.PutItem(testKind, []byte(content))
	if err != nil {
		return decisions.Receipt{}, err
	}
	body := marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Items: []*ledgerv1.Item{item}}}})
	return l.Append(decisions.Proposal{Body: body, Keys: item.GetSlot() + 1})
}

func mustAppendItem(t testing.TB, l *Ledger, content string) uint64 {
	t.Helper()
	r, err := appendItem(t, l, content)
	if err != nil {
		t.Fatal(err)
	}
	return r.Sequence
}

// itemOf returns the content of an entry's first item.
func itemOf(t testing.TB, l *Ledger, sequence uint64) (string, error) {
	t.Helper()
	r, err := l.Entry(sequence)
	if err != nil {
		t.Fatal(err)
	}
	content, err := l.Item(r.Entry.GetDecision().GetItems()[0])
	return string(content), err
}

func itemKeysOf(o Options) string { return filepath.Join(o.Dir+".keys", itemKeysFile) }

func reopen(t testing.TB, l *Ledger) *Ledger {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return openTest(t, l.opts)
}

// R35: an item is in no file in the clear, small or large, and is there again after a
// start. Where there is none, there is no file of keys.
func TestItems(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	appendN(t, l, 3)
	if _, err := os.Stat(itemKeysOf(o)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a log without items has keys for some: %v", err)
	}
	secret := "a secret of some length"
	small, large := mustAppendItem(t, l, secret), mustAppendItem(t, l, strings.Repeat(secret, 500))
	for range 2 {
		if got, err := itemOf(t, l, small); err != nil || got != secret {
			t.Errorf("the small one is %q, %v", got, err)
		}
		if got, err := itemOf(t, l, large); err != nil || got != strings.Repeat(secret, 500) {
			t.Errorf("the large one has %d bytes, %v", len(got), err)
		}
		l = reopen(t, l)
	}
	if mustAppendItem(t, l, "third"); l.items.durable != 3 {
		t.Errorf("%d slots are used, expected 3", l.items.durable)
	}
	if files := filesWith(t, filepath.Dir(o.Dir), secret); len(files) > 0 {
		t.Errorf("in the clear in %v", files)
	}
}

// filesWith lists the files below a directory that hold a text.
func filesWith(t testing.TB, dir, text string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Those who wait for keys at the same time share a sync: masks make no sync a decision.
func TestItemKeysShareSyncs(t *testing.T) {
	const callers = 64
	o, disk := testOptions(t), newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	mustAppendItem(t, l, "the file is there")
	var reserved sync.WaitGroup
	reserved.Add(callers)
	var syncs atomic.Int64
	disk.mu.Lock()
	disk.fault = func(op, name string) error {
		if op == "datasync" && filepath.Base(name) == itemKeysFile {
			syncs.Add(1)
			reserved.Wait() // so that all but the first wait meanwhile
		}
		return nil
	}
	disk.mu.Unlock()
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			item, err := l.PutItem(testKind, fmt.Append(nil, i))
			reserved.Done()
			if err == nil {
				err = l.items.sync(item.GetSlot() + 1)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := syncs.Load(); n > 2 {
		t.Errorf("%d syncs for %d keys, expected 2 at most", n, callers)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// R33, R35: after an erasure no key of the item is left, the entry says who did it, and
// the log verifies. Erasing again changes nothing.
func TestErase(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	gone, kept := mustAppendItem(t, l, "gone"), mustAppendItem(t, l, "kept")
	key := keyBytes(t, l, gone)
	first, err := l.Erase(gone, &ledgerv1.Actor{Name: "ada", By: "os"}, "a request")
	if err != nil {
		t.Fatal(err)
	}
	if e := first.Entry.GetErased(); e.GetSequence() != gone || e.GetActor().GetName() != "ada" || e.GetReason() != "a request" || len(e.GetItems()) != 1 {
		t.Errorf("the log says %v", first.Entry)
	}
	again, err := l.Erase(gone, &ledgerv1.Actor{Name: "bob"}, "")
	if err != nil || again.Sequence != first.Sequence || l.Size() != first.Sequence+1 {
		t.Errorf("again: entry %d, %v; expected %d and no other", again.Sequence, err, first.Sequence)
	}
	for range 2 {
		_, err := itemOf(t, l, gone)
		var erased *ErasedError
		if !errors.Is(err, decisions.ErrErased) || !errors.As(err, &erased) || erased.By != first.Sequence {
			t.Errorf("it reads as %v", err)
		}
		if got, err := itemOf(t, l, kept); err != nil || got != "kept" {
			t.Errorf("the other reads as %q, %v", got, err)
		}
		l = reopen(t, l)
	}
	if files := filesWith(t, filepath.Dir(o.Dir), key); len(files) > 0 {
		t.Errorf("its key is left in %v", files)
	}
	if files := filesWith(t, filepath.Dir(o.Dir), keyBytes(t, l, kept)); len(files) != 1 {
		t.Errorf("the other's key is in %v: the search above proves nothing", files)
	}
}

func keyBytes(t testing.TB, l *Ledger, sequence uint64) string {
	t.Helper()
	r, err := l.Entry(sequence)
	if err != nil {
		t.Fatal(err)
	}
	s, err := l.items.slot(r.Entry.GetDecision().GetItems()[0].GetSlot())
	if err != nil || s.state != slotKey {
		t.Fatalf("slot %+v, %v", s, err)
	}
	return string(s.key[:])
}

func TestEraseRefuses(t *testing.T) {
	l := openTest(t, testOptions(t))
	plain := appendN(t, l, 1)[0].Sequence
	if _, err := l.Erase(plain, nil, ""); !errors.Is(err, ErrNothingToErase) {
		t.Errorf("an entry without items: %v", err)
	}
	if _, err := l.Erase(99, nil, ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("no such entry: %v", err)
	}
	erased := marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Erased{Erased: &ledgerv1.Erased{}}})
	if _, err := l.Append(decisions.Proposal{Body: erased}); !errors.Is(err, ErrProposal) {
		t.Errorf("a caller's own erasure: %v", err)
	}
	body := marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{}})
	if _, err := l.Append(decisions.Proposal{Body: body, Keys: 7}); !errors.Is(err, ErrProposal) {
		t.Errorf("keys that nobody made: %v", err)
	}
}

// R33: what an Erased entry says is true after the next start, whatever happened between
// the entry and the overwriting, and whatever old copy of the keys was put back.
func TestEraseIsDoneAgain(t *testing.T) {
	for _, indexed := range []int{0, 3 * tileWidth} { // walked by recovery, or by the scrub
		t.Run(fmt.Sprint(indexed), func(t *testing.T) {
			o := testOptions(t)
			l := openTest(t, o)
			gone := mustAppendItem(t, l, "gone")
			old, err := os.ReadFile(itemKeysOf(o))
			if err != nil {
				t.Fatal(err)
			}
			key := keyBytes(t, l, gone)
			first, err := l.Erase(gone, &ledgerv1.Actor{Name: "ada"}, "")
			if err != nil {
				t.Fatal(err)
			}
			appendN(t, l, indexed)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(itemKeysOf(o), old, 0o600); err != nil {
				t.Fatal(err)
			}
			l = openTest(t, o)
			l.scrub(t.Context())
			var erased *ErasedError
			if _, err := itemOf(t, l, gone); !errors.As(err, &erased) || erased.By != first.Sequence {
				t.Errorf("it reads as %v", err)
			}
			if files := filesWith(t, filepath.Dir(o.Dir), key); len(files) > 0 {
				t.Errorf("its key is left in %v", files)
			}
		})
	}
}

// A disk that fails between the entry and the overwriting ends the ledger; the start
// that follows finishes.
func TestEraseCutShort(t *testing.T) {
	o, disk := testOptions(t), newSimDisk()
	o.FS = disk
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	gone := mustAppendItem(t, l, "gone")
	disk.mu.Lock()
	disk.fault = func(op, name string) error {
		if op == "write" && filepath.Base(name) == itemKeysFile {
			return syscall.EIO
		}
		return nil
	}
	disk.mu.Unlock()
	if _, err := l.Erase(gone, nil, ""); !errors.Is(err, ErrFailed) {
		t.Errorf("a disk that fails: %v", err)
	}
	if err := l.Close(); !errors.Is(err, ErrFailed) {
		t.Errorf("it goes on: %v", err)
	}
	o.FS = disk.crash(rand.New(rand.NewPCG(1, 1)))
	if l, err = Open(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := itemOf(t, l, gone); !errors.Is(err, decisions.ErrErased) {
		t.Errorf("after the next start it reads as %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// An old copy of the keys lacks some, whose slots are used again: no item opens with
// another's key, and none is erased for another.
func TestOldItemKeys(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	first := mustAppendItem(t, l, "first")
	old, err := os.ReadFile(itemKeysOf(o))
	if err != nil {
		t.Fatal(err)
	}
	lost := mustAppendItem(t, l, "lost")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(itemKeysOf(o), old, 0o600); err != nil {
		t.Fatal(err)
	}
	l = openTest(t, o)
	again := mustAppendItem(t, l, "again")
	if _, err := itemOf(t, l, lost); !errors.Is(err, decisions.ErrItemKey) {
		t.Errorf("an item without its key: %v", err)
	}
	if _, err := l.Erase(lost, nil, ""); !errors.Is(err, decisions.ErrItemKey) {
		t.Errorf("erasing it: %v", err)
	}
	for sequence, want := range map[uint64]string{first: "first", again: "again"} {
		if got, err := itemOf(t, l, sequence); err != nil || got != want {
			t.Errorf("entry %d: %q, %v", sequence, got, err)
		}
	}
}

// Another log's keys, and damage, are named.
func TestItemKeysDamaged(t *testing.T) {
	for name, c := range map[string]struct {
		at    int
		opens bool
	}{
		"magic": {0, false}, "log id": {20, false}, "header's zeros": {50, false},
		"state": {64 + 3, true}, "checksum": {64 + 4, true}, "key": {64 + 8, true}, "entry": {64 + 47, true}, "slot's zeros": {64 + 63, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions(t)
			l := openTest(t, o)
			sequence := mustAppendItem(t, l, "item")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			edit(t, itemKeysOf(o), flipAt(c.at))
			l, err := Open(context.Background(), o)
			if !c.opens {
				if !errors.Is(err, ErrKeys) || !strings.Contains(err.Error(), "restore it from a backup") {
					t.Errorf("it opens with %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer closeTest(t, l)
			if _, err := itemOf(t, l, sequence); !errors.Is(err, decisions.ErrItemKey) {
				t.Errorf("it reads as %v", err)
			}
		})
	}
}

// The file grows by chunks, and a start finds the first slot that was never used.
func TestItemKeysGrow(t *testing.T) {
	o, disk := testOptions(t), newSimDisk()
	o.FS, o.KeyDir = disk, "/keys"
	var used uint64
	rapid.Check(t, func(rt *rapid.T) {
		k, err := openItemKeys(o, [16]byte{7})
		if err != nil {
			rt.Fatal(err)
		}
		if k.durable != used {
			rt.Fatalf("it goes on at slot %d, expected %d", k.durable, used)
		}
		for range rapid.IntRange(1, slotChunk+slotChunk/2).Draw(rt, "keys") {
			used = k.reserve(decisions.ItemKey{1}) + 1
		}
		if err := k.sync(used); err != nil {
			rt.Fatal(err)
		}
		if s, err := k.slot(used - 1); err != nil || s.state != slotKey || k.room%slotChunk != 0 {
			rt.Fatalf("slot %d of %d is %+v, %v", used-1, k.room, s, err)
		}
	})
}

// R31, R35: whatever a crash loses, the items of acknowledged entries open, those that
// were erased do not, and no slot is used twice.
func TestItemsCrash(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	schedules := 30
	if testing.Short() {
		schedules = 10
	}
	for seed := range uint64(schedules) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { itemSchedule(t, seed) })
	}
}

func itemSchedule(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	o, disk := testOptions(t), newSimDisk()
	kept, erased := map[uint64]string{}, map[uint64]bool{}
	for crashes := range 4 {
		o.FS, disk.fault = disk, powerCut(r)
		l, err := Open(context.Background(), o)
		if err == nil {
			workItems(t, l, r, crashes, kept, erased)
			_ = l.Close() // the disk is gone
		} else if !errors.Is(err, syscall.EIO) {
			t.Fatalf("after a crash: %v", err)
		}
		disk = disk.crash(r)
	}
	o.FS = disk
	l, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for sequence, content := range kept {
		if got, err := itemOf(t, l, sequence); err != nil || got != content {
			t.Errorf("entry %d: %q, %v; expected %q", sequence, got, err, content)
		}
	}
	itemsOpen(t, l)
	for sequence := range erased {
		if got, err := itemOf(t, l, sequence); !errors.Is(err, decisions.ErrErased) {
			t.Errorf("entry %d was erased: %q, %v", sequence, got, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// itemsOpen checks that a key is durable before the entry that names it, also where
// nobody was told of the entry.
func itemsOpen(t *testing.T, l *Ledger) {
	for r, err := range l.Entries(0, l.Size()) {
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range r.Entry.GetDecision().GetItems() {
			if _, err := l.Item(item); err != nil && !errors.Is(err, decisions.ErrErased) {
				t.Errorf("entry %d: %v", r.Sequence, err)
			}
		}
	}
}

// workItems appends and erases until the disk is gone or enough is done. What an
// erasure that failed came to is not known.
func workItems(t *testing.T, l *Ledger, r *rand.Rand, round int, kept map[uint64]string, erased map[uint64]bool) {
	for i := range 40 {
		content := fmt.Sprint(round, i, strings.Repeat("x", r.IntN(2)*maxInlineItem))
		receipt, err := appendItem(t, l, content)
		if err != nil {
			return
		}
		kept[receipt.Sequence] = content
		if r.IntN(3) > 0 {
			continue
		}
		_, err = l.Erase(receipt.Sequence, nil, "")
		delete(kept, receipt.Sequence)
		if err != nil {
			return
		}
		erased[receipt.Sequence] = true
	}
}

// docs/ledger-format.md: a slot, byte by byte.
func TestSlotFormat(t *testing.T) {
	key := slot{state: slotKey, key: decisions.ItemKey{0xaa, 31: 0xbb}}.encode(5)
	if got, want := hex.EncodeToString(key), "00000001"+"fa36c1a3"+"aa"+strings.Repeat("00", 30)+"bb"+strings.Repeat("00", 24); got != want {
		t.Errorf("a key:\n got %s\nwant %s", got, want)
	}
	gone := slot{state: slotErased, by: 7}.encode(5)
	if got, want := hex.EncodeToString(gone), "00000002"+"60db7b06"+strings.Repeat("00", 32)+"0000000000000007"+strings.Repeat("00", 16); got != want {
		t.Errorf("erased:\n got %s\nwant %s", got, want)
	}
}

func FuzzSlot(f *testing.F) {
	f.Add(slot{state: slotKey, key: decisions.ItemKey{1}}.encode(3), uint64(3))
	f.Add(slot{state: slotErased, by: 9}.encode(0), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, number uint64) {
		s, err := parseSlot(b, number)
		if err == nil && s.state != 0 && !bytes.Equal(s.encode(number), b) {
			t.Fatalf("%x was read as %+v", b, s)
		}
	})
}
