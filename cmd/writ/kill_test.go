package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// soakKills is how many times a long run kills the service under load.
const soakKills = 1000

// R27, R31 with the real binary, disk and network: killed at any moment, a third of the
// times while it recovers too, the service has every entry that was answered, and no key
// is new twice.
func TestKill(t *testing.T) { killRounds(t, 4) }

// The same, a thousand times over one log.
func TestSoakKill(t *testing.T) {
	if os.Getenv("WRIT_SOAK") == "" {
		t.Skip("runs in make soak")
	}
	killRounds(t, soakKills)
}

func killRounds(t *testing.T, rounds int) {
	r := rand.New(rand.NewPCG(1, uint64(rounds)))
	v, k := newVictim(t), newKept()
	began, inRecovery, sound := time.Now(), 0, uint64(0)
	takes := 50 * time.Millisecond // to start
	for round := range rounds {
		if round%2 == 1 {
			v.start()
			v.killWithin(time.Duration(r.Int64N(int64(takes))))
			inRecovery++
		}
		begins := time.Now()
		v.start()
		if !v.ready() {
			t.Fatalf("round %d: it did not start: %v\n%s", round, v.err, v.said)
		}
		takes = time.Since(begins)
		size, err := k.check(t.Context(), v, sound)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		sound = size
		if round%100 == 99 {
			t.Logf("%d rounds, %d answers", round, k.size())
		}
		k.load(v, round, 200+r.IntN(200), v.kill)
	}
	v.start()
	if !v.ready() {
		t.Fatalf("at last it did not start: %v\n%s", v.err, v.said)
	}
	size, err := k.check(t.Context(), v, 0)
	if err != nil {
		t.Error(err)
	}
	if err := v.stop(); err != nil {
		t.Errorf("at last: %v\n%s", err, v.said)
	}
	if out, err := exec.Command(v.writ, "log", "verify", v.path("data")).CombinedOutput(); err != nil { //nolint:gosec // our own binary
		t.Errorf("%v\n%s", err, out)
	}
	if k.size() < 200*rounds {
		t.Errorf("%d answers in %d rounds: this proves too little", k.size(), rounds)
	}
	t.Logf("%d rounds, and %d kills more while it started: %d answers under %d keys, %d entries, in %v", rounds, inRecovery, k.size(), len(k.ids), size, time.Since(began).Round(time.Second))
}

// killWithin kills it after a while, wherever it is by then.
func (v *victim) killWithin(d time.Duration) {
	select {
	case <-time.After(d):
	case <-v.gone:
	}
	v.kill()
}

// Two services on one directory: the second is refused, and says which process to stop.
func TestSecondService(t *testing.T) {
	v := newVictim(t)
	v.start()
	if !v.ready() {
		t.Fatalf("%v\n%s", v.err, v.said)
	}
	second := exec.Command(v.writ, "serve", "--listen", "unix:"+v.path("other"), "--data", v.path("data")) //nolint:gosec // our own binary
	out, err := second.CombinedOutput()
	want := fmt.Sprintf("process %d holds %s", v.cmd.Process.Pid, v.path("data/LOCK"))
	if err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v, expected %q:\n%s", err, want, out)
	}
	if err := v.stop(); err != nil {
		t.Errorf("the first: %v\n%s", err, v.said)
	}
}
