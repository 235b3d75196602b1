package ledger

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

const killDir = "WRIT_LEDGER_KILL_DIR"

// R31 with a real process and a real disk: a child appends and says what was
// acknowledged; killed at any moment, also within recovery, all of that is there.
func TestKill(t *testing.T) {
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	o := testOptions(t)
	r := rand.New(rand.NewPCG(1, 1))
	said := map[uint64]string{}
	for round := range rounds {
		lines := 1 + r.IntN(400)
		if round%3 == 2 {
			lines = 0 // before or within recovery
		}
		runChild(t, o.Dir, lines, said)
		r := verifyTest(t, o)
		if r.Entries < uint64(len(said)) {
			t.Fatalf("round %d: %d entries, but %d were acknowledged", round, r.Entries, len(said))
		}
	}
	l := openTest(t, o)
	for sequence, leaf := range said {
		got, err := l.Entry(sequence)
		if err != nil || hex.EncodeToString(got.Leaf[:]) != leaf {
			t.Errorf("acknowledged entry %d: %x, %v, expected %s", sequence, got.Leaf, err, leaf)
		}
	}
}

// runChild starts the child, reads so many acknowledgements, and kills it.
func runChild(t *testing.T, dir string, lines int, said map[uint64]string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestKillChild$") //nolint:gosec // this very test
	child.Env = append(os.Environ(), killDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	for range lines {
		if !scanner.Scan() {
			break
		}
		var sequence uint64
		var leaf string
		if _, err := fmt.Sscan(scanner.Text(), &sequence, &leaf); err != nil {
			t.Errorf("the child said %q", scanner.Text())
		}
		said[sequence] = leaf
	}
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	for scanner.Scan() { // what it still said was acknowledged too
		var sequence uint64
		var leaf string
		if n, _ := fmt.Sscan(scanner.Text(), &sequence, &leaf); n == 2 && len(leaf) == 64 {
			said[sequence] = leaf
		}
	}
	if err := child.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("the child ended with %v", err)
	}
}

// TestKillChild is the child: it appends until it is killed.
func TestKillChild(t *testing.T) {
	dir := os.Getenv(killDir)
	if dir == "" {
		t.Skip("TestKill's child")
	}
	l, err := Open(context.Background(), Options{Dir: dir, SegmentBytes: minSegmentBytes, ReserveBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for writer := range 16 {
		wg.Go(func() {
			for i := 0; ; i++ {
				c := call{tool: "t", key: fmt.Sprint(writer, i%7), request: fmt.Sprint(i % 2), outcome: decisions.Run, life: 3600e9, filler: 500}
				r, err := l.Append(c.proposal(t))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				fmt.Printf("%d %x\n", r.Sequence, r.Leaf)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
