package ledger

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

const (
	simSeed  = "WRIT_SIM_SEED"
	simTrace = "WRIT_SIM_TRACE"
	// simDose is how many schedules each run of the tests goes through, and soakSchedules
	// how many a long run does at least.
	simDose       = 300
	soakSchedules = 100_000
)

// R25, R27, R31, R34: whatever a crash loses, what was said holds after the next start.
// Each seed is one schedule of work, disk errors and crashes, also within recovery.
func TestSimulation(t *testing.T) {
	from, count := uint64(0), uint64(simDose)
	if testing.Short() {
		count = 60
	}
	if one := os.Getenv(simSeed); one != "" {
		var err error
		if from, err = strconv.ParseUint(one, 10, 64); err != nil {
			t.Fatalf("%s: %v", simSeed, err)
		}
		count = 1
	}
	var next atomic.Uint64
	next.Store(from)
	simulateAll(t, &next, func(seed uint64) bool { return seed < from+count })
}

// The same over at least 100,000 schedules that no run before has seen, and until the
// time is up that WRIT_SOAK gives.
func TestSoakSimulation(t *testing.T) {
	long := os.Getenv("WRIT_SOAK")
	if long == "" {
		t.Skip("runs in make soak")
	}
	duration, err := time.ParseDuration(long)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	from := uint64(began.Unix()) << 20
	t.Logf("seeds from %d on", from)
	var next atomic.Uint64
	next.Store(from)
	simulateAll(t, &next, func(seed uint64) bool {
		return seed-from < soakSchedules || time.Since(began) < duration
	})
}

// simulateAll takes seeds in order, on every core, as long as more says so.
func simulateAll(t *testing.T, next *atomic.Uint64, more func(seed uint64) bool) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // much garbage, little that lives
	began, from, steps := time.Now(), next.Load(), atomic.Int64{}
	t.Run("schedules", func(t *testing.T) {
		for range runtime.GOMAXPROCS(0) {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for seed := next.Add(1) - 1; more(seed) && !t.Failed(); seed = next.Add(1) - 1 {
					s, err := simulate(t, seed, brokenLedger{})
					steps.Add(int64(s.steps))
					if done := seed - from + 1; done%10_000 == 0 {
						t.Logf("%d schedules", done)
					}
					if err != nil {
						t.Errorf("seed %d: %v\nreplay it: %s", seed, err, replay(seed))
					}
				}
			})
		}
	})
	count := next.Load() - from - uint64(runtime.GOMAXPROCS(0))
	t.Logf("%d schedules, %d steps, %.0f schedules a second", count, steps.Load(), float64(count)/time.Since(began).Seconds())
}

// replay is the command that runs one schedule again, and says each step.
func replay(seed uint64) string {
	return fmt.Sprintf("%s=%d %s=1 go test ./decisions/ledger -run '^TestSimulation$' -v", simSeed, seed, simTrace)
}

// A seed that failed fails again: the same seed gives the same schedule.
func TestSimulationReplays(t *testing.T) {
	for seed := uint64(1); seed < 31; seed++ {
		first, err := simulate(t, seed, brokenLedger{})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := simulate(t, seed, brokenLedger{}); err != nil || again.trace != first.trace {
			t.Errorf("seed %d: %d steps of trace %x, and then %d of %x, %v", seed, first.steps, first.trace, again.steps, again.trace, err)
		}
	}
}
