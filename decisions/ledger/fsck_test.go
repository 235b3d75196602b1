package ledger

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/writ-dev/writ/decisions"
)

const fsck = "../../.bin/fsck"

// requireFsck skips where a person has not built the tool; CI must have it.
func requireFsck(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(fsck); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not there, and CI=true: make test builds it", fsck)
	}
	t.Skipf("%s is not there: make tools builds it", fsck)
}

// tessera returns what Tessera's fsck says of an export. It exits 0 whatever it finds.
func tessera(t *testing.T, o Options, to string) string {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(publicKey(t, o)), 0o600); err != nil {
		t.Fatal(err)
	}
	// Each worker of its ends at a bad tile; without others left, it waits for ever.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, fsck, "-ui=false", "-N=16", "-storage_url=file://"+to, "-public_key="+key) //nolint:gosec // our own tool
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return out.String()
}

func plainCalls(t *testing.T, n int) []decisions.Proposal {
	t.Helper()
	proposals := make([]decisions.Proposal, n)
	for i := range proposals {
		proposals[i] = call{tool: fmt.Sprint(i)}.proposal(t)
	}
	return proposals
}

// R34: an export is C2SP tlog-tiles by another implementation, which recomputes it from
// the entries up; also after it was added to.
func TestTesseraAcceptsAnExport(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	requireFsck(t)
	l := openTest(t, testOptions(t))
	to := filepath.Join(t.TempDir(), "out")
	for _, n := range []int{1, 254, 1, 300, 66_000} {
		proposals := plainCalls(t, n)
		for len(proposals) > 0 {
			some := min(len(proposals), 2000)
			receipts, err := l.AppendAll(proposals[:some])
			if err != nil {
				t.Fatal(err)
			}
			proposals = proposals[some:]
			if _, _, err := l.ProveInclusion(t.Context(), receipts[some-1].Sequence, 0); err != nil { // a checkpoint covers it
				t.Fatal(err)
			}
		}
		r := exportTest(t, l.opts, to, 0)
		want := fmt.Sprintf("Successfully fsck'd log with size %d and root", r.Entries)
		if got := tessera(t, l.opts, to); !strings.Contains(got, want) || r.Entries != l.Size() {
			t.Fatalf("%d entries: it says %s", r.Entries, got)
		}
	}
	edit(t, filepath.Join(to, "tile/0/100"), flipAt(7))
	if got := tessera(t, l.opts, to); strings.Contains(got, "Successfully") {
		t.Errorf("a changed tile: it says %s", got)
	}
}
