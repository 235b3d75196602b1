package ledger

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

const stranger = "../../clients/verify/verify.mjs"

// requireNode skips where a person has no node; CI must have it.
func requireNode(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(stranger); err != nil { // and go test's cache knows the file
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("node is not on the PATH, and CI=true: the verifier in another language needs it")
	}
	t.Skip("node is not on the PATH: install Node 20 to run the verifier in another language")
}

// byStranger verifies with the script, and returns what it printed on either stream.
func byStranger(t *testing.T, o Options, key string) (out, complaint string) {
	t.Helper()
	args := []string{stranger, o.Dir, key}
	if _, err := os.Stat(filepath.Join(o.Dir+".keys", "anchor")); err == nil {
		args = append(args, filepath.Join(o.Dir+".keys", "anchor"))
	}
	cmd := exec.CommandContext(t.Context(), "node", args...) //nolint:gosec // our own script
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if (err == nil) != (stderr.Len() == 0) {
		t.Fatalf("exit %v, and it says %q", err, &stderr)
	}
	return stdout.String(), stderr.String()
}

func publicKey(t *testing.T, o Options) string {
	t.Helper()
	key, err := ReadVerifierKey(VerifyOptions{Dir: o.Dir})
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// docs/ledger-format.md suffices: a verifier in another language, which shares no code
// with this one, finds in a log what Verify finds.
func TestAnotherLanguageVerifies(t *testing.T) {
	requireNode(t)
	o := stored(t)
	want := verifyTest(t, o)
	out, complaint := byStranger(t, o, publicKey(t, o))
	if complaint != "" {
		t.Fatal(complaint)
	}
	var got struct {
		LogID                    string `json:"log_id"`
		Entries, Batches, Signed uint64
		Segments, Checkpoints    int
		Root                     string
		Torn                     bool
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.LogID != want.LogID || got.Entries != want.Entries || got.Batches != want.Batches || got.Segments != want.Segments ||
		got.Checkpoints != want.Checkpoints || got.Signed != want.Signed || got.Root != hex.EncodeToString(want.Root[:]) || got.Torn {
		t.Errorf("got %+v, Verify found %+v", got, want)
	}
}

// It also verifies a log that is being written.
func TestAnotherLanguageVerifiesWhileRunning(t *testing.T) {
	requireNode(t)
	l := openTest(t, testOptions(t))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if _, err := l.Append(call{tool: "t", filler: 2000}.proposal(t)); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for range 3 {
		if _, complaint := byStranger(t, l.opts, l.VerifierKey()); complaint != "" {
			t.Error(complaint)
		}
	}
	cancel()
	<-done
}

var namedEntry = regexp.MustCompile(`entry (\d+)`)

// In a damaged copy it names the same entry as Verify does.
func TestAnotherLanguageFindsDamage(t *testing.T) {
	requireNode(t)
	o := stored(t)
	key := publicKey(t, o)
	const first, last = "log/00000000.seg", "log/00000003.seg"
	for name, c := range map[string]struct {
		file   string
		change func([]byte) []byte
	}{
		"segment header":     {first, flipAt(20)},
		"header's zeros":     {first, flipAt(segmentHeader - 1)},
		"batch header":       {first, flipAt(segmentHeader + 30)},
		"checksum":           {first, flipAt(segmentHeader + crcAt)},
		"first entry":        {first, flipAt(segmentHeader + frameHeader + 10)},
		"within the log":     {first, flipAt(100_000)},
		"rewritten":          {first, rewritten},
		"rewritten at last":  {last, rewritten},
		"behind the last":    {first, func(b []byte) []byte { b[len(b)-1] = 1; return b }},
		"last batch":         {last, flipLast},
		"last batch gone":    {last, func(b []byte) []byte { return append(b[:segmentHeader], make([]byte, len(b)-segmentHeader)...) }},
		"checkpoint":         {"checkpoint", flipAt(50)},
		"its signature":      {"checkpoint", flipAt(170)},
		"sealed checkpoint":  {"log/00000000.checkpoint", flipAt(50)},
		"checkpoint emptied": {"checkpoint", func([]byte) []byte { return nil }},
		"anchor":             {"../data.keys/anchor", flipAt(50)},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, o)
			edit(t, filepath.Join(o.Dir, c.file), c.change)
			_, err := Verify(context.Background(), VerifyOptions{Dir: o.Dir})
			if err == nil {
				t.Fatal("Verify finds nothing: this case proves nothing")
			}
			_, complaint := byStranger(t, o, key)
			if want, got := namedEntry.FindString(err.Error()), namedEntry.FindString(complaint); complaint == "" || got != want {
				t.Errorf("it says %q, Verify: %v", complaint, err)
			}
		})
	}
}

// rewritten changes what an entry says, and puts checksums and chain right up to the
// segment's end.
func rewritten(b []byte) []byte {
	before, after, _ := bytes.Cut(b, []byte("Because t"))
	b = slices.Concat(before, []byte("Becausee "), after)
	h, _ := parseHeader(b)
	prev := h.prev
	for offset := segmentHeader; ; {
		size, err := frameSize(b[offset:], h.mark)
		if err != nil {
			return b
		}
		raw := b[offset : offset+size]
		sealFrame(raw, h.mark, beUint64(raw[16:]), int(beUint32(raw[12:])), prev)
		f, _ := parseFrame(raw, h.mark)
		entries, _ := f.entries(nil)
		var leaves []decisions.Hash
		for _, e := range entries {
			leaves = append(leaves, decisions.LeafHash(e))
		}
		prev = batchHash(f.head, leaves)
		offset += size
	}
}

// An old copy, a foreign key, and a missing segment.
func TestAnotherLanguageRefuses(t *testing.T) {
	requireNode(t)
	o := stored(t)
	other := testOptions(t)
	closeTest(t, openTest(t, other))
	for name, c := range map[string]struct {
		key, without, says string
	}{
		"another log's key": {publicKey(t, other), "", "no signature"},
		"no key":            {"nonsense", "", "verifier key"},
		"a segment gone":    {publicKey(t, o), "log/00000001.seg", "segment 1 is missing"},
		"the log gone":      {publicKey(t, o), "log", "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			o := copyOf(t, o)
			if c.without != "" {
				if err := os.RemoveAll(filepath.Join(o.Dir, c.without)); err != nil {
					t.Fatal(err)
				}
			}
			if _, complaint := byStranger(t, o, c.key); !strings.Contains(complaint, c.says) {
				t.Errorf("it says %q, expected %q", complaint, c.says)
			}
		})
	}
}
