package witness_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	"github.com/writ-dev/writ/server/witness"
)

// other is a witness as C2SP tlog-witness describes it, that checks proofs with another
// implementation.
type other struct {
	t   *testing.T
	key ed25519.PrivateKey
	log note.Verifier

	mu    sync.Mutex
	size  uint64
	root  []byte
	asked int
	// answer replaces what it answers, where set.
	answer func(http.ResponseWriter) bool
}

const witnessName = "witness.example/w1"

func newOther(t *testing.T, logKey string) (*other, *httptest.Server) {
	t.Helper()
	v, err := note.NewVerifier(logKey)
	if err != nil {
		t.Fatal(err)
	}
	w := &other{t: t, key: ed25519.NewKeyFromSeed(make([]byte, 32)), log: v}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	return w, s
}

func (w *other) public() []byte {
	return append([]byte{4}, w.key.Public().(ed25519.PublicKey)...)
}

func (w *other) hash() []byte {
	sum := sha256.Sum256(append([]byte(witnessName+"\n"), w.public()...))
	return sum[:4]
}

func (w *other) verifierKey() string {
	return fmt.Sprintf("%s+%x+%s", witnessName, w.hash(), base64.StdEncoding.EncodeToString(w.public()))
}

func (w *other) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	body, err := io.ReadAll(r.Body)
	head, checkpoint, _ := strings.Cut(string(body), "\n\n")
	lines := strings.Split(head, "\n")
	n, noteErr := note.Open([]byte(checkpoint), note.VerifierList(w.log))
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/w/add-checkpoint" || noteErr != nil {
		http.Error(out, "no checkpoint", http.StatusForbidden)
		return
	}
	if w.answer != nil && w.answer(out) {
		return
	}
	text := strings.Split(n.Text, "\n")
	size, _ := strconv.ParseUint(text[1], 10, 64)
	root, _ := base64.StdEncoding.DecodeString(text[2])
	if lines[0] != "old "+strconv.FormatUint(w.size, 10) {
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		fmt.Fprintf(out, "%d\n", w.size)
		return
	}
	if w.size > 0 && proof.VerifyConsistency(rfc6962.DefaultHasher, w.size, size, path(lines[1:]), w.root, root) != nil {
		http.Error(out, "inconsistent", http.StatusUnprocessableEntity)
		return
	}
	w.size, w.root = size, root
	fmt.Fprint(out, w.cosign(n.Text))
}

func path(lines []string) [][]byte {
	hashes := [][]byte{}
	for _, line := range lines {
		h, _ := base64.StdEncoding.DecodeString(line)
		hashes = append(hashes, h)
	}
	return hashes
}

func (w *other) cosign(text string) string {
	const seconds = 1_800_000_000
	sig := append(w.hash(), binary.BigEndian.AppendUint64(nil, seconds)...)
	sig = append(sig, ed25519.Sign(w.key, []byte(fmt.Sprintf("cosignature/v1\ntime %d\n%s", seconds, text)))...)
	return "— somebody.else AAAAAGFhYWE=\n— " + witnessName + " " + base64.StdEncoding.EncodeToString(sig) + "\n"
}

func openLog(t *testing.T, dir string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), ledger.Options{
		Dir: dir, SegmentBytes: 1 << 20, ReserveBytes: 1, NoScrub: true, CheckpointInterval: 20 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// grow appends entries and waits until a checkpoint covers them.
func grow(t *testing.T, l *ledger.Ledger, n int) {
	t.Helper()
	body, err := proto.Marshal(&ledgerv1.Entry{Body: &ledgerv1.Entry_Decision{Decision: &ledgerv1.Decision{Tool: "t"}}})
	if err != nil {
		t.Fatal(err)
	}
	for range n {
		if _, err := l.Append(decisions.Proposal{Body: body}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := l.ProveInclusion(t.Context(), l.Size()-1, 0); err != nil {
		t.Fatal(err)
	}
}

func watch(t *testing.T, l *ledger.Ledger, s *httptest.Server, key string) *witness.Witness {
	t.Helper()
	w, err := witness.New(witness.Options{Log: l, URL: s.URL + "/w/", Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// R34: a witness signs each newer checkpoint, by a proof that another implementation
// checks; what it signed is kept, and a start goes on from it.
func TestWitness(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	l := openLog(t, dir)
	remote, s := newOther(t, l.VerifierKey())
	w := watch(t, l, s, remote.verifierKey())
	for _, n := range []int{1, 5, 300} {
		grow(t, l, n)
		if err := w.Update(t.Context()); err != nil || w.Size() != l.Size() || remote.size != l.Size() {
			t.Fatalf("%d entries: %v, signed for %d, it has seen %d", l.Size(), err, w.Size(), remote.size)
		}
	}
	asked := remote.asked
	if err := w.Update(t.Context()); err != nil || remote.asked != asked {
		t.Errorf("nothing new: %v, asked %d times more", err, remote.asked-asked)
	}
	kept, c, err := l.Cosigned()
	if err != nil || c.Size != l.Size() || strings.Count(string(kept), "\n— ") != 2 || !strings.Contains(string(kept), witnessName) {
		t.Errorf("kept is %q, %v", kept, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = openLog(t, dir)
	if w = watch(t, l, s, remote.verifierKey()); w.Size() != c.Size {
		t.Errorf("after a start: signed for %d, expected %d", w.Size(), c.Size)
	}
	grow(t, l, 1)
	if err := w.Update(t.Context()); err != nil || remote.asked != asked+1 || w.Failures() != 0 {
		t.Errorf("after a start: %v, asked %d times more", err, remote.asked-asked)
	}
}

// A witness that has seen another size than we know says which (409), and gets a proof
// from there; where it is more than the log has, the log was rolled back.
func TestWitnessConflict(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), "data"))
	remote, s := newOther(t, l.VerifierKey())
	grow(t, l, 3)
	if err := watch(t, l, s, remote.verifierKey()).Update(t.Context()); err != nil {
		t.Fatal(err)
	}
	grow(t, l, 3)
	if err := l.KeepCosigned(l.Checkpoint()); err != nil { // the log's own signature only
		t.Fatal(err)
	}
	forgetful := watch(t, l, s, remote.verifierKey())
	if forgetful.Size() != 0 {
		t.Errorf("a checkpoint that no witness signed counts for %d", forgetful.Size())
	}
	if err := forgetful.Update(t.Context()); err != nil || forgetful.Size() != l.Size() {
		t.Errorf("got %v, signed for %d", err, forgetful.Size())
	}
	remote.size = l.Size() + 10
	grow(t, l, 1)
	w := watch(t, l, s, remote.verifierKey())
	if err := w.Update(t.Context()); !errors.Is(err, witness.ErrAhead) || w.Failures() != 1 {
		t.Errorf("got %v, expected ErrAhead", err)
	}
}

// What a witness may answer, and what is made of it.
func TestWitnessAnswers(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), "data"))
	remote, s := newOther(t, l.VerifierKey())
	for name, c := range map[string]struct {
		status     int
		kind, body string
		want       error
	}{
		"unknown log":      {404, "", "", witness.ErrRefused},
		"unknown key":      {403, "", "", witness.ErrRefused},
		"another tree":     {409, "text/plain", "root", witness.ErrRefused},
		"the same size":    {409, "text/x.tlog.size", "0\n", witness.ErrRefused},
		"a size malformed": {409, "text/x.tlog.size", "012\n", witness.ErrRefused},
		"a longer log":     {409, "text/x.tlog.size", "99\n", witness.ErrAhead},
		"inconsistent":     {422, "", "", witness.ErrRefused},
		"out of order":     {500, "", "sorry", witness.ErrAway},
		"no signature":     {200, "", "", decisions.ErrCheckpoint},
		"another's":        {200, "", "— somebody.else AAAAAGFhYWE=\n", decisions.ErrCheckpoint},
		"a false one":      {200, "", "— " + witnessName + " " + base64.StdEncoding.EncodeToString(append(remote.hash(), make([]byte, 72)...)) + "\n", decisions.ErrCheckpoint},
	} {
		remote.answer = func(out http.ResponseWriter) bool {
			out.Header().Set("Content-Type", c.kind)
			out.WriteHeader(c.status)
			fmt.Fprint(out, c.body)
			return true
		}
		w := watch(t, l, s, remote.verifierKey())
		if err := w.Update(t.Context()); !errors.Is(err, c.want) || w.Size() != 0 || w.Failures() != 1 {
			t.Errorf("%s: got %v, expected %v", name, err, c.want)
		}
	}
	s.Close()
	if err := watch(t, l, s, remote.verifierKey()).Update(t.Context()); !errors.Is(err, witness.ErrAway) {
		t.Errorf("nobody there: got %v, expected ErrAway", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	watch(t, l, s, remote.verifierKey()).Run(ctx) // ends
}

func TestWitnessOptions(t *testing.T) {
	l := openLog(t, filepath.Join(t.TempDir(), "data"))
	remote, _ := newOther(t, l.VerifierKey())
	for name, o := range map[string]witness.Options{
		"no key":        {Log: l, URL: "https://w.example"},
		"a log's key":   {Log: l, URL: "https://w.example", Key: l.VerifierKey()},
		"another hash":  {Log: l, URL: "https://w.example", Key: strings.Replace(remote.verifierKey(), "+", "+0", 1)},
		"no address":    {Log: l, Key: remote.verifierKey()},
		"a file":        {Log: l, URL: "file:///w", Key: remote.verifierKey()},
		"not a witness": {Log: l, URL: "w.example", Key: remote.verifierKey()},
	} {
		if _, err := witness.New(o); !errors.Is(err, witness.ErrOptions) {
			t.Errorf("%s: got %v, expected ErrOptions", name, err)
		}
	}
}
