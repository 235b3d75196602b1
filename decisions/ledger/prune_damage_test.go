package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// storedPruned is a closed log that was pruned once, and went on.
func storedPruned(t *testing.T) Options {
	t.Helper()
	l := openTest(t, testOptions(t))
	withBlobs(t, l, 25)
	if _, err := l.Append(call{tool: "t", key: "k", request: "r", outcome: decisions.Run, life: 3600e9}.proposal(t)); err != nil {
		t.Fatal(err)
	}
	withBlobs(t, l, 25)
	mustPrune(t, l, pruneAll())
	appendN(t, l, 300)
	closeTest(t, l)
	return l.opts
}

// What is amiss with the beginning of a pruned log is named, by Verify, by the next
// start, and by the verifier in another language.
func TestPrunedDamage(t *testing.T) {
	o := storedPruned(t)
	key := publicKey(t, o)
	first := firstSegment(t, o)
	for name, c := range map[string]struct {
		spoil func(t *testing.T, o Options)
		says  string
	}{
		"beginning gone":           {func(t *testing.T, o Options) { remove(t, beginFile(o.logDir())) }, "00000000.seg is missing"},
		"beginning emptied":        {changed("begin", func([]byte) []byte { return nil }), "begin"},
		"beginning cut short":      {changed("begin", func(b []byte) []byte { return b[:len(b)/2] }), "begin"},
		"a key's record forgotten": {forged(func(s *ledgerv1.StateSnapshot) { s.Keys = nil }), "does not say that what stood before was pruned"},
		"another tree":             {forged(func(s *ledgerv1.StateSnapshot) { s.Leaves[0][0] ^= 1 }), "begin"},
		"an activation forgotten":  {forged(func(s *ledgerv1.StateSnapshot) { s.Entries = s.Entries[:1] }), "does not say"},
		"signed head gone":         {func(t *testing.T, o Options) { remove(t, sealedFile(o.logDir(), first-1)) }, "signed for what was pruned"},
		"first segment gone":       {func(t *testing.T, o Options) { remove(t, segmentName(o.logDir(), first)) }, "is missing"},
		"all segments gone": {func(t *testing.T, o Options) {
			for name := range contents(t, o.logDir()) {
				if strings.HasSuffix(name, ".seg") {
					remove(t, filepath.Join(o.logDir(), name))
				}
			}
		}, "is missing"},
		"kept activation's list gone": {func(t *testing.T, o Options) { remove(t, keptBlob(t, o)) }, "blob"},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, o)
			c.spoil(t, o)
			_, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir})
			if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("verify: got %v, expected damage: %s", err, c.says)
			}
			if strings.Contains(c.says, "blob") { // a start does not look there
				return
			}
			refuses(t, o, ErrDamaged)
			requireNode(t)
			if _, complaint := byStranger(t, o, key); complaint == "" {
				t.Error("the verifier in another language finds nothing")
			}
		})
	}
}

// Any changed byte of log/begin is found.
func TestPrunedBeginningChanged(t *testing.T) {
	o := storedPruned(t)
	size := len(contents(t, o.logDir())["begin"])
	for at := 0; at < size; at += max(size/200, 1) {
		edit(t, beginFile(o.logDir()), flipAt(at))
		if _, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrDamaged) {
			t.Errorf("byte %d: got %v, expected ErrDamaged", at, err)
		}
		edit(t, beginFile(o.logDir()), flipAt(at))
	}
	verifyTest(t, o)
}

// The verifier in another language finds in a pruned log what Verify finds.
func TestAnotherLanguageVerifiesPruned(t *testing.T) {
	requireNode(t)
	o := storedPruned(t)
	want := verifyTest(t, o)
	out, complaint := byStranger(t, o, publicKey(t, o))
	var got struct {
		Entries, First uint64
		Segments       int
		Root           string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || complaint != "" {
		t.Fatal(err, complaint)
	}
	if got.Entries != want.Entries || got.First != want.First || got.Segments != want.Segments || got.Root != hex.EncodeToString(want.Root[:]) || want.First == 0 {
		t.Errorf("got %+v, Verify found %+v", got, want)
	}
}

// Segments that are gone without an entry that says so are damage.
func TestDroppedWithoutPrune(t *testing.T) {
	o := copyOf(t, stored(t))
	for _, number := range []uint32{0, 1} {
		remove(t, segmentName(o.logDir(), number))
	}
	if _, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "00000000.seg is missing") {
		t.Errorf("verify: got %v, expected the missing segment", err)
	}
	refuses(t, o, ErrDamaged)
}

// firstSegment is the number of the first segment of a log.
func firstSegment(t *testing.T, o Options) uint32 {
	t.Helper()
	from, err := readOrigin(o.FS, o.logDir())
	if err != nil || from.pruned == nil {
		t.Fatal(from, err)
	}
	return from.segment
}

func changed(name string, change func([]byte) []byte) func(*testing.T, Options) {
	return func(t *testing.T, o Options) { edit(t, filepath.Join(o.logDir(), name), change) }
}

// forged writes log/begin anew, consistently, as who has no key could.
func forged(change func(*ledgerv1.StateSnapshot)) func(*testing.T, Options) {
	return func(t *testing.T, o Options) {
		edit(t, beginFile(o.logDir()), func(raw []byte) []byte {
			var b ledgerv1.Begin
			var s ledgerv1.StateSnapshot
			var e ledgerv1.Entry
			for _, err := range []error{proto.Unmarshal(raw, &b), proto.Unmarshal(b.State, &s), proto.Unmarshal(b.Pruned, &e)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			change(&s)
			state, err := proto.Marshal(&s)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(state)
			p := e.GetPruned()
			p.StateSha256 = hex.EncodeToString(sum[:])
			if snapshot, err := decisions.ParseSnapshot(state); err == nil {
				root := snapshot.Tree.Root()
				p.Root = root[:]
			}
			body := marshal(t, &ledgerv1.Entry{Body: &ledgerv1.Entry_Pruned{Pruned: p}})
			forged, err := proto.Marshal(&ledgerv1.Begin{State: state, Pruned: decisions.Seal(nil, body, e.GetSequence(), e.GetTimeUnixNano(), nil)})
			if err != nil {
				t.Fatal(err)
			}
			return forged
		})
	}
}

// keptBlob is the file of a list that an activation names which stayed.
func keptBlob(t *testing.T, o Options) string {
	t.Helper()
	from, err := readOrigin(o.FS, o.logDir())
	if err != nil {
		t.Fatal(err)
	}
	var e ledgerv1.Entry
	if err := proto.Unmarshal(from.snapshot.Entries[len(from.snapshot.Entries)-1], &e); err != nil {
		t.Fatal(err)
	}
	path := blobPath(o.blobDir(), e.GetPolicyActivated().GetFilesSha256())
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}
