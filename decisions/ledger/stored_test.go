package ledger

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

var storeAnew = flag.Bool("store-format", false, "write the stored log of this format anew; never after a release has written it")

// storedFormat is a data directory and its keys as format 1 wrote them, and storedSays
// what is in it.
const (
	storedFormat = "testdata/format-1.tar.gz"
	storedSays   = "testdata/format-1.json"
)

// storedFacts are what every later version must find in the stored log.
type storedFacts struct {
	LogID, Root, Key              string
	First, Entries, Decisions     uint64
	Repeats, Pruned, Kept, Erased uint64
	Segments, Blobs               int
	Leaves                        []string // of every fifth entry
}

// What a version wrote, every later one reads: it verifies, opens, reads every entry,
// knows a repeat, opens what is encrypted and nothing that was erased, and goes on.
func TestStoredFormat(t *testing.T) {
	if *storeAnew {
		storeFormat(t)
	}
	o := unpackStored(t)
	var want storedFacts
	if raw, err := os.ReadFile(storedSays); err != nil || json.Unmarshal(raw, &want) != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, factsOf(t, o, want.Kept, want.Erased)); diff != "" {
		t.Error(diff)
	}
	l := openTest(t, o)
	if got, err := itemOf(t, l, want.Kept); err != nil || got != "to keep" {
		t.Errorf("its item is %q, %v", got, err)
	}
	if got, err := itemOf(t, l, want.Erased); !errors.Is(err, decisions.ErrErased) {
		t.Errorf("what was erased is %q, %v", got, err)
	}
	r, err := l.Append(storedCall().proposal(t))
	if err != nil || r.Settlement.GetFirstResult() != ledgerv1.Result_RESULT_SUCCEEDED || r.Settlement.GetFirstSequence() >= want.First {
		t.Errorf("a repeat of what was pruned: %v, %v", r.Settlement, err)
	}
	for r, err := range l.Entries(want.First, l.Size()) {
		if err != nil {
			t.Fatalf("entry %d: %v", r.Sequence, err)
		}
	}
	requireNode(t)
	if _, complaint := byStranger(t, o, want.Key); complaint != "" {
		t.Error(complaint)
	}
}

// storedTime is when the stored log was written, by its own clock; its keys live long.
func storedTime() time.Time { return time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC) }

func storedCall() call {
	return call{tool: "t", key: "k", request: "r", outcome: decisions.Run, code: "c", life: 100 * 365 * 24 * time.Hour}
}

func storedOptions(dir string) Options {
	return Options{Dir: dir, SegmentBytes: minSegmentBytes, ReserveBytes: 1, Version: "test", NoScrub: true, Now: storedTime}
}

// factsOf verifies a log and reads it from its files.
func factsOf(t *testing.T, o Options, kept, erased uint64) storedFacts {
	t.Helper()
	r := verifyTest(t, o)
	f := storedFacts{
		LogID: r.LogID, Root: hex.EncodeToString(r.Root[:]), Key: publicKey(t, o), First: r.First, Entries: r.Entries, Decisions: r.Decisions,
		Repeats: r.Repeats, Kept: kept, Erased: erased, Segments: r.Segments, Blobs: r.Blobs,
	}
	if r.Pruned != nil {
		f.Pruned = r.Pruned.Sequence
	}
	for sequence := r.First; sequence < r.Entries; sequence += 5 {
		e, err := ReadEntry(t.Context(), VerifyOptions{Dir: o.Dir}, strconv.FormatUint(sequence, 10))
		if err != nil {
			t.Fatal(err)
		}
		f.Leaves = append(f.Leaves, hex.EncodeToString(e.Leaf[:]))
	}
	return f
}

// unpackStored puts the stored log into a directory of its own.
func unpackStored(t *testing.T) Options {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(storedFormat)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return storedOptions(filepath.Join(dir, "data"))
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(r)
		}
		name := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(name), 0o700)
		}
		if err == nil {
			err = os.WriteFile(name, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// storeFormat writes a log with every kind of entry, that was pruned once.
func storeFormat(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	l := openTest(t, storedOptions(filepath.Join(dir, "data")))
	first, err := l.Append(storedCall().proposal(t))
	if err != nil {
		t.Fatal(err)
	}
	report(t, l, decisions.DecisionID(l.LogID(), first.Sequence), ledgerv1.Result_RESULT_SUCCEEDED)
	withBlobs(t, l, 25)
	if _, err := l.Append(decisions.Proposal{Body: marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_CatalogActivated{CatalogActivated: &ledgerv1.CatalogActivated{Revision: "c"}}})}); err != nil {
		t.Fatal(err)
	}
	mustPrune(t, l, pruneAll())
	withBlobs(t, l, 5)
	kept, erased := mustAppendItem(t, l, "to keep"), mustAppendItem(t, l, "to erase")
	if _, err := l.Erase(erased, &ledgerv1.Actor{Name: "op", By: "os"}, "asked for"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(storedCall().proposal(t)); err != nil {
		t.Fatal(err)
	}
	appendN(t, l, 20)
	closeTest(t, l)
	facts, err := json.MarshalIndent(factsOf(t, l.opts, kept, erased), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(storedSays, append(facts, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(storedFormat, pack(t, dir), 0o600); err != nil {
		t.Fatal(err)
	}
}

// pack makes the archive of what is in a directory, without what is derived.
func pack(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for name, content := range contents(t, dir) {
		if strings.HasPrefix(name, "data/index/") || filepath.Base(name) == "LOCK" {
			continue
		}
		err := w.WriteHeader(&tar.Header{Name: filepath.ToSlash(name), Mode: 0o600, Size: int64(len(content))})
		if err == nil {
			_, err = w.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
