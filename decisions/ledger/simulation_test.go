package ledger

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dgraph-io/badger/v4"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// simulation is one schedule: a ledger on a simulated disk, with clients, a clock that
// jumps, disk errors and crashes, everything as a seed says. The same seed gives the
// same schedule.
type simulation struct {
	t      *testing.T
	seed   uint64
	r      *rand.Rand
	plan   simPlan
	broken brokenLedger
	o      Options
	clock  *clock
	disk   *simDisk
	gate   *simGate
	open   *Ledger
	told   *told
	// left is how many operations come before the next crash, of one kind where aim says.
	left  int
	aim   string
	steps int
	// trace is a hash of every step, but for what is random in names (keys, blobs).
	trace  uint64
	random *regexp.Regexp
}

// simPlan is what a schedule is made of.
type simPlan struct {
	sessions, clients, actions int
	faults                     bool // single operations fail
	full                       bool // the disk is full now and then
	brink                      bool // each session begins at a segment's end
	reads                      bool // reading is scheduled too
	large                      bool // entries that fill segments
	many                       bool // entries that fill tiles of the index
	index                      bool // on the real disk; it may survive a crash
	apart                      bool // the anchor is not among the keys
	rotate                     bool // the signing key changes between sessions
}

func newPlan(seed uint64, r *rand.Rand) simPlan {
	return simPlan{
		sessions: 1 + r.IntN(4), clients: 1 + r.IntN(5), actions: 2 + r.IntN(12),
		faults: r.IntN(3) == 0, full: r.IntN(8) == 0, brink: r.IntN(6) == 0, reads: r.IntN(12) == 0,
		large: r.IntN(6) == 0, many: r.IntN(16) == 0, index: seed%128 == 0,
		apart: r.IntN(4) == 0, rotate: r.IntN(10) == 0,
	}
}

// simulate runs a schedule in a bubble of its own. The error is the first thing that
// must never be.
func simulate(t *testing.T, seed uint64, broken brokenLedger) (s *simulation, err error) {
	dir, err := realDir()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	synctest.Test(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(seed, 1))
		s = &simulation{t: t, seed: seed, r: r, plan: newPlan(seed, r), broken: broken, clock: newClock(), told: newTold(), random: regexp.MustCompile("[0-9a-f]{8,}")}
		s.use(newSimDisk())
		s.o = Options{
			Dir: filepath.Join(dir, "data"), SegmentBytes: minSegmentBytes, ReserveBytes: 1, Version: "simulated",
			CheckpointInterval: time.Second, CheckpointEntries: uint64(1 + r.IntN(20)), NoScrub: r.IntN(10) > 0, Now: s.clock.now,
		}
		if s.plan.apart {
			s.o.Anchor = filepath.Join(dir, "elsewhere", "anchor")
		}
		if !s.plan.index {
			s.o.tuneIndex = inMemory
		}
		if s.o, err = s.o.withDefaults(); err == nil {
			err = s.run()
		}
	})
	return s, err
}

// realDir is a directory for what the index has on a disk of its own: in memory, where
// the system has such a place.
func realDir() (string, error) {
	if dir, err := os.MkdirTemp("/dev/shm", "writ"); err == nil {
		return dir, nil
	}
	return os.MkdirTemp("", "writ")
}

// inMemory keeps Badger off the disk, and small.
func inMemory(o badger.Options) badger.Options {
	return o.WithInMemory(true).WithDir("").WithValueDir("").WithMemTableSize(640 << 10).WithValueThreshold(1 << 15).
		WithBaseTableSize(1 << 18).WithNumMemtables(1).WithNumLevelZeroTables(1).WithNumCompactors(0).WithBlockCacheSize(0).WithIndexCacheSize(0)
}

func (s *simulation) use(disk *simDisk) {
	s.disk = disk
	s.gate = &simGate{r: s.r, reads: s.plan.reads}
	s.disk.gate, s.disk.alone = s.gate, !s.plan.index
}

func (s *simulation) run() error {
	for range s.plan.sessions {
		s.foresee()
		if err := s.rotate(); err != nil {
			return err
		}
		if err := s.session(); err != nil {
			return err
		}
		if err := s.told.stored(s.disk, s.o); err != nil {
			return err
		}
	}
	return s.last()
}

// rotate changes the signing key, up to a crash. On a full disk it would leave an index
// open that only the end of the process closes.
func (s *simulation) rotate() (err error) {
	if !s.plan.rotate || s.plan.full {
		return nil
	}
	o := s.o
	o.FS = s.disk
	if s.broken.disk != nil {
		o.FS = s.broken.disk(s.disk)
	}
	if up := s.step(func() { _, err = RotateKey(context.Background(), o, &ledgerv1.Actor{Name: "simulated"}) }); !up {
		s.foresee()
		err = nil
	} else if err != nil {
		err = s.excused(err)
	}
	s.told.inOrder = unknown
	return err
}

// foresee says when the session crashes: after so many operations, or at one of a kind.
func (s *simulation) foresee() {
	s.aim, s.left = "", 1+s.r.IntN(400)
	kinds := []string{"datasync", "sync", "write", "rename", "syncdir"}
	if n := s.r.IntN(3 * len(kinds)); s.plan.brink {
		s.aim, s.left = kinds[0], 1+s.r.IntN(16)
	} else if n < len(kinds) {
		s.aim, s.left = kinds[n], 1+s.r.IntN(40)
	}
}

// session opens, works and closes, up to a crash.
func (s *simulation) session() (err error) {
	var openErr, closeErr error
	up := s.step(func() { s.open, openErr = s.start() })
	s.told.opened(up && openErr == nil)
	switch {
	case openErr != nil && up:
		err = s.excused(openErr)
	case up:
		err = s.check()
	}
	if up && openErr == nil && err == nil {
		if up = s.step(s.work); up && s.r.IntN(3) == 0 {
			err = s.check()
		}
		if up && err == nil && s.r.IntN(2) == 0 {
			up = s.step(func() { closeErr = s.open.Close() })
			s.told.closed(up && closeErr == nil && s.open.Err() == nil)
		}
	}
	if up {
		done := make(chan struct{})
		close(done)
		s.kill(done)
	}
	return err
}

func (s *simulation) start() (*Ledger, error) {
	o := s.o
	o.FS = s.disk
	if s.broken.disk != nil {
		o.FS = s.broken.disk(s.disk)
	}
	l, err := Open(context.Background(), o)
	if err == nil && s.broken.ledger != nil {
		s.broken.ledger(l)
	}
	return l, err
}

// excused says whether a start may fail like this: the disk refused something.
func (s *simulation) excused(err error) error {
	for _, never := range []error{ErrDamaged, ErrRolledBack, ErrKeys, ErrNewer, ErrInUse} {
		if errors.Is(err, never) {
			return fmt.Errorf("a start after a crash: %w", err)
		}
	}
	if s.plan.faults && errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ENOSPC) || s.plan.full && errors.Is(err, ErrNoSpace) {
		return nil
	}
	return fmt.Errorf("a start without a disk error: %w", err)
}

// step does something, operation by operation, until it is done (true) or a crash is
// due (false).
func (s *simulation) step(do func()) bool {
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	for {
		synctest.Wait()
		s.watch()
		select {
		case <-done:
			return true
		default:
		}
		w := s.gate.next()
		if w == nil || s.aim == "" || s.aim == w.kind {
			s.left--
		}
		if s.left <= 0 {
			s.gate.back(w)
			s.kill(done)
			return false
		}
		s.advance(w)
	}
}

// advance lets one operation happen or fail, or time pass where all wait for it.
func (s *simulation) advance(w *simWaiter) {
	s.steps++
	s.weather()
	if w == nil {
		s.note("sleep")
		s.gate.sleep()
		return
	}
	s.note(w.kind, strings.TrimPrefix(w.name, filepath.Dir(s.o.Dir)), w.offset, w.size)
	if s.plan.faults && s.r.IntN(faultOdds(w.kind)) == 0 {
		s.note("fails")
		s.disk.interrupt(w.simOp, s.r, true)
		w.verdict <- []error{syscall.EIO, syscall.ENOSPC}[s.r.IntN(2)]
		return
	}
	w.verdict <- nil
}

// faultOdds is one in how many operations of a kind fails.
func faultOdds(kind string) int {
	switch kind {
	case "client": // asks nothing of the disk
		return math.MaxInt
	case "datasync": // is final, and what it leaves is the worst
		return 20
	}
	return 100
}

// weather is what comes from outside: the clock and other users of the disk.
func (s *simulation) weather() {
	s.clock.advance(time.Duration(s.r.IntN(int(200 * time.Millisecond))))
	if s.r.IntN(100) == 0 {
		s.clock.advance(time.Duration(s.r.Int64N(int64(48*time.Hour))) - 24*time.Hour)
	}
	if s.plan.full && s.r.IntN(20) == 0 {
		s.disk.setFree([]uint64{0, indexNeeds - 1, 1 << 40}[s.r.IntN(3)])
	}
}

func (s *simulation) note(what ...any) {
	h := fnv.New64a()
	fmt.Fprint(h, s.trace, s.random.ReplaceAllString(fmt.Sprint(what...), "…"))
	s.trace = h.Sum64()
	if os.Getenv(simTrace) != "" {
		s.t.Log(s.steps, what)
	}
}

// watch keeps the checkpoints that were shown.
func (s *simulation) watch() {
	if s.open != nil {
		s.told.shown(s.open.checkpointer.latest.Load().Checkpoint)
	}
}

// kill is the end of the process, or of the power: what is under way may happen or not.
// It returns when nothing runs any more.
func (s *simulation) kill(done <-chan struct{}) {
	killed := s.gate.kill(syscall.EIO)
	for _, w := range killed {
		s.disk.interrupt(w.simOp, s.r, false)
	}
	power := s.r.IntN(2) == 0
	if s.open != nil && s.open.Err() != nil { // what the next process makes of it counts
		power = s.r.IntN(4) == 0
	}
	s.note("killed", power)
	next := s.disk.exit(s.r)
	if power {
		next = s.disk.crash(s.r)
	}
	lost := s.r.IntN(2) == 0
	for _, w := range killed {
		w.verdict <- syscall.EIO
	}
	<-done
	if s.open != nil {
		_ = s.open.Close() // nothing that it does reaches the next disk
		s.letGo()
	}
	if s.plan.index && lost {
		_ = os.RemoveAll(s.o.indexDir()) // what is left is an index too
	}
	s.open = nil
	s.use(next)
}

// letGo ends an index that a stop on a full disk left alone, as the process's end would.
func (s *simulation) letGo() {
	if db := s.open.index.db; !db.IsClosed() {
		_ = db.Close()
	}
}

// last is a start on a sound disk: it must succeed, have everything, and take more.
func (s *simulation) last() (err error) {
	s.gate.set(true)
	if s.open, err = s.start(); err != nil {
		return fmt.Errorf("the last start: %w", err)
	}
	s.told.opened(true)
	defer func() {
		closeErr := s.open.Close()
		s.letGo()
		if err == nil && closeErr != nil {
			err = fmt.Errorf("the last stop: %w", closeErr)
		}
		if err == nil {
			err = s.verify()
		}
	}()
	if err = s.told.check(s.open); err != nil {
		return err
	}
	s.client(0, 5, rand.New(s.r))
	s.watch()
	return s.told.check(s.open)
}

// verify checks what a power cut leaves of a ledger that was closed.
func (s *simulation) verify() error {
	size := s.open.Size()
	after := s.disk.crash(s.r)
	report, err := Verify(context.Background(), VerifyOptions{Dir: s.o.Dir, Anchor: s.o.Anchor, FS: after})
	if err != nil {
		return fmt.Errorf("verifying afterwards: %w", err)
	}
	if report.Entries != size || report.TornBytes != 0 {
		return fmt.Errorf("verifying afterwards: %d entries and %d torn bytes, expected %d and none", report.Entries, report.TornBytes, size)
	}
	return nil
}

func (s *simulation) check() (err error) {
	s.gate.unguarded(func() { err = s.told.check(s.open) })
	return err
}
