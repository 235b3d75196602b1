package ledger

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"golang.org/x/sys/unix"

	"github.com/writ-dev/writ/decisions"
)

// TestReading runs what TestSoakReading measures, on a small log, for its function.
func TestReading(t *testing.T) {
	o := testOptions(t)
	l := openTest(t, o)
	newTraffic(1).fill(t, l, 4_000)
	for _, c := range pages() {
		if page := read(t, l, c.query); len(page) != c.want && c.want >= 0 {
			t.Errorf("%s: %d entries, expected %d", c.name, len(page), c.want)
		}
	}
}

type pageCase struct {
	name  string
	query decisions.Query
	want  int // -1: whatever there is
}

// pages are lists that people ask for: what most entries match, what few do, what none
// does although each of its halves does, both ways, and within a time.
func pages() []pageCase {
	q := func(terms ...decisions.Term) decisions.Query {
		return decisions.Query{Filter: decisions.Filter{Terms: terms}, Start: 1 << 63, Limit: 50}
	}
	term := func(f decisions.Field, v string) decisions.Term { return decisions.Term{Field: f, Value: v} }
	oldest := q(term(decisions.FieldTool, "tool_7000"))
	oldest.OldestFirst, oldest.Start = true, 0
	return []pageCase{
		{"everything", q(), 50},
		{"decisions", q(term(decisions.FieldKind, "decision")), 50},
		{"REFUSE", q(term(decisions.FieldOutcome, "REFUSE")), 50},
		{"a busy tool that was refused", q(term(decisions.FieldTool, "tool_0"), term(decisions.FieldOutcome, "REFUSE")), -1},
		{"a rare tool", q(term(decisions.FieldTool, "tool_7000")), -1},
		{"a rare tool, oldest first", oldest, -1},
		{"a process", q(term(decisions.FieldProcess, "process-0000064")), -1},
		{"a session of the beginning", q(term(decisions.FieldSession, "session-000000000000")), -1},
		{"a session that is none", q(term(decisions.FieldSession, "session-none")), 0},
		{"two that never meet", q(term(decisions.FieldReason, "tool_unknown"), term(decisions.FieldOutcome, "RUN")), 0},
		{"a rare reason of a rare automation", q(term(decisions.FieldReason, "scope_missing"), term(decisions.FieldAutomation, "automation-900")), -1},
	}
}

func read(t *testing.T, l *Ledger, q decisions.Query) []Record {
	t.Helper()
	var page []Record
	for r, err := range l.Select(t.Context(), q) {
		if err != nil {
			t.Fatal(err)
		}
		page = append(page, r)
	}
	return page
}

// TestSoakReading writes WRIT_ENTRIES entries (10,000,000), or goes on with those in
// WRIT_ENTRIES_DIR, and measures pages by field, the start after a stop and after a
// kill, and memory. It needs about 650 bytes of disk an entry. It judges by the bounds
// that docs/architecture.md states.
func TestSoakReading(t *testing.T) {
	entries, _ := strconv.ParseUint(os.Getenv("WRIT_ENTRIES"), 10, 64)
	if entries == 0 && os.Getenv("WRIT_SOAK") == "" {
		t.Skip("WRIT_ENTRIES or WRIT_SOAK says how long")
	}
	entries = defaulted(entries, 10_000_000)
	dir := defaulted(os.Getenv("WRIT_ENTRIES_DIR"), filepath.Join(t.TempDir(), "data"))
	prepare(t, dir, entries)
	startTimed(t, dir, "after a stop", 2*time.Second)
	readPages(t, dir)
	kill(t, dir)
	startTimed(t, dir, "after a kill", 5*time.Second)
}

// readPages measures on a log at rest: while Badger compacts, which it may for a second
// after a start, two cores have none left.
func readPages(t *testing.T, dir string) {
	t.Helper()
	l := opened(t, dir)
	indexed(t, l)
	began := time.Now()
	compacting := func() bool {
		return slices.ContainsFunc(l.index.db.Levels(), func(level badger.LevelInfo) bool { return level.Adjusted >= 1 })
	}
	for compacting() {
		runtime.Gosched()
	}
	t.Logf("nothing to compact after %v", time.Since(began))
	for _, c := range pages() {
		measure(t, l, c)
	}
	resident(t, "after the pages")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func opened(t *testing.T, dir string) *Ledger {
	t.Helper()
	l, err := Open(context.Background(), Options{Dir: dir, NoScrub: true})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// prepare writes what is missing and waits until every sealed segment is indexed.
func prepare(t *testing.T, dir string, entries uint64) {
	t.Helper()
	began := time.Now()
	l := opened(t, dir)
	t.Logf("opened %d entries in %v", l.Size(), time.Since(began))
	if size := l.Size(); size < entries {
		began = time.Now()
		newTraffic(size).fill(t, l, int(entries-size))
		t.Logf("wrote %d entries in %v", entries-size, time.Since(began))
	}
	indexed(t, l)
	resident(t, "having written")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%.1f bytes an entry in the log, %.1f in the index", perEntry(t, l.opts.logDir(), l.Size()), perEntry(t, l.opts.indexDir(), l.Size()))
}

func perEntry(t *testing.T, dir string, entries uint64) float64 {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		if info, err := f.Info(); err == nil {
			total += info.Size()
		}
	}
	return float64(total) / float64(entries)
}

func startTimed(t *testing.T, dir, when string, bound time.Duration) {
	t.Helper()
	began := time.Now()
	l := opened(t, dir)
	took := time.Since(began)
	t.Logf("start %s: %v (at most %v)", when, took, bound)
	if took > bound {
		t.Errorf("start %s took %v, at most %v are allowed", when, took, bound)
	}
	resident(t, "started "+when)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

const sizeDir = "WRIT_LEDGER_SIZE_DIR"

// TestSizeChild writes until it is killed.
func TestSizeChild(t *testing.T) {
	dir := os.Getenv(sizeDir)
	if dir == "" {
		t.Skip("not a child")
	}
	l := opened(t, dir)
	for g := newTraffic(l.Size()); ; {
		g.fill(t, l, 10_000)
		fmt.Println("written", l.Stats().Behind)
	}
}

// kill has a child write a while and kills it.
func kill(t *testing.T, dir string) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestSizeChild$") //nolint:gosec // this very test
	child.Env = append(os.Environ(), sizeDir+"="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for n := 0; n < 30 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "written") {
			n++
		}
	}
	_ = child.Process.Kill()
	_ = child.Wait()
	t.Logf("killed: %s behind", lines.Text())
}

func measure(t *testing.T, l *Ledger, c pageCase) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const rounds = 500
	took, cpu, found := make([]time.Duration, rounds), make([]time.Duration, rounds), 0
	for i := range rounds {
		began, used := time.Now(), threadCPU(t)
		found = len(read(t, l, c.query))
		took[i], cpu[i] = time.Since(began), threadCPU(t)-used
	}
	first := took[0]
	slices.Sort(took)
	slices.Sort(cpu)
	p99 := took[rounds*99/100]
	t.Logf("%-36s %3d entries: p50 %v, p99 %v (CPU %v, %v), first %v", c.name, found, took[rounds/2], p99, cpu[rounds/2], cpu[rounds*99/100], first)
	if c.want >= 0 && found != c.want {
		t.Errorf("%s: %d entries, expected %d", c.name, found, c.want)
	}
	if p99 > 5*time.Millisecond {
		t.Errorf("%s: p99 is %v, at most 5ms are allowed", c.name, p99)
	}
}

// threadCPU is what the machine's other work does not change.
func threadCPU(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// resident says how much memory the process holds: its own, and pages of mapped files,
// which the system takes back when it needs them.
func resident(t *testing.T, when string) {
	t.Helper()
	debug.FreeOSMemory()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Log(err)
		return
	}
	var said []string
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmRSS") || strings.HasPrefix(line, "RssAnon") || strings.HasPrefix(line, "RssFile") || strings.HasPrefix(line, "VmHWM") {
			said = append(said, strings.Join(strings.Fields(line), " "))
		}
	}
	t.Logf("%s: %s", when, strings.Join(said, ", "))
}
