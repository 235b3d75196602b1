package ledger

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

func prunedEntry(first uint64) *ledgerv1.Entry {
	return &ledgerv1.Entry{Body: &ledgerv1.Entry_Pruned{Pruned: &ledgerv1.Pruned{FirstSequence: first, FirstSegment: 1}}}
}

// What is pruned is in the archive before: the next prune adds to it, and an archive that
// can't be completed, or does not verify, keeps everything where it is.
func TestPruneToArchive(t *testing.T) {
	l := openTest(t, testOptions(t))
	to := filepath.Join(t.TempDir(), "archive")
	o := pruneAll()
	o.Archive = to
	for range 2 {
		withBlobs(t, l, 30)
		report := mustPrune(t, l, o)
		if report.Segments == 0 || report.First != l.First() {
			t.Fatalf("nothing was pruned: %+v", report)
		}
		if kept := verifyArchiveTest(t, l.opts, to, 0); kept.Entries < report.First || kept.Added != kept.Entries {
			t.Errorf("the archive has %+v, pruned was %+v", kept, report)
		}
	}
	withBlobs(t, l, 30)
	first := l.First()
	for name, archive := range map[string]func() string{
		"begun too late": func() string { return filepath.Join(t.TempDir(), "late") },
		"its edge is gone": func() string {
			dir := filepath.Join(t.TempDir(), "gone")
			if err := os.CopyFS(dir, os.DirFS(to)); err != nil {
				t.Fatal(err)
			}
			for name := range contents(t, dir) {
				if strings.HasPrefix(name, "tile/0/") {
					remove(t, filepath.Join(dir, name))
				}
			}
			return dir
		},
	} {
		o.Archive = archive()
		if _, err := l.Prune(t.Context(), o); err == nil || l.First() != first {
			t.Errorf("%s: %v, and the log begins with %d", name, err, l.First())
		}
	}
}

func TestPruneRefuses(t *testing.T) {
	l := openTest(t, testOptions(t))
	if _, err := l.Prune(t.Context(), PruneOptions{KeepBytes: 1}); !errors.Is(err, ErrOptions) {
		t.Errorf("without an archive: got %v, expected ErrOptions", err)
	}
	if r := mustPrune(t, l, pruneAll()); r.Segments != 0 || r.First != 0 {
		t.Errorf("of one segment: %+v", r)
	}
	if _, err := Open(t.Context(), Options{Dir: "x", Retention: Retention{Age: 1}}); !errors.Is(err, ErrOptions) {
		t.Errorf("retention without an archive: got %v, expected ErrOptions", err)
	}
	said := marshal(t, prunedEntry(5))
	if _, err := l.Append(decisions.Proposal{Body: said}); !errors.Is(err, ErrProposal) {
		t.Errorf("a Pruned entry from outside: got %v, expected ErrProposal", err)
	}
}

// What parses as a log's beginning can be begun with.
func FuzzOrigin(f *testing.F) {
	state, _ := (&decisions.Snapshot{LogID: "000102030405060708090a0b0c0d0e0f"}).Encode()
	f.Add(state)
	body, _ := proto.Marshal(prunedEntry(1))
	f.Add(decisions.Seal(nil, body, 7, 8, nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		o, err := parseOrigin(raw)
		if err != nil {
			return
		}
		if o.first == 0 || o.segment == 0 || o.first > o.pruned.sequence || len(o.snapshot.Entries) == 0 || o.snapshot.Size() != o.first {
			t.Errorf("it begins with entry %d of segment %d, by entry %d", o.first, o.segment, o.pruned.sequence)
		}
	})
}
