package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

func exportTest(t testing.TB, o Options, to string, upTo uint64) ExportReport {
	t.Helper()
	r, err := Export(t.Context(), ExportOptions{Log: VerifyOptions{Dir: o.Dir, FS: o.FS}, To: to, UpTo: upTo})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func verifyArchiveTest(t testing.TB, o Options, to string, from uint64) ExportReport {
	t.Helper()
	r, err := VerifyArchive(t.Context(), archiveOptions(t, o, to), from)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func archiveOptions(t testing.TB, o Options, to string) VerifyOptions {
	t.Helper()
	key, err := ReadVerifierKey(VerifyOptions{Dir: o.Dir, FS: o.FS})
	if err != nil {
		t.Fatal(err)
	}
	return VerifyOptions{Dir: to, VerifierKey: key, FS: o.FS}
}

// activate appends a policy of which each file is a blob, and the list too.
func activate(t testing.TB, l *Ledger, files ...string) {
	t.Helper()
	var list ledgerv1.FileList
	for i, content := range files {
		blob, err := l.PutBlob([]byte(content))
		if err != nil {
			t.Fatal(err)
		}
		list.Files = append(list.Files, &ledgerv1.File{Path: fmt.Sprint(i, ".rego"), Sha256: blob})
	}
	raw, err := proto.Marshal(&list)
	if err != nil {
		t.Fatal(err)
	}
	name, err := l.PutBlob(raw)
	if err != nil {
		t.Fatal(err)
	}
	e := &ledgerv1.Entry{Body: &ledgerv1.Entry_PolicyActivated{PolicyActivated: &ledgerv1.PolicyActivated{FilesSha256: name}}}
	if _, err := l.Append(decisions.Proposal{Body: marshal(t, e)}); err != nil {
		t.Fatal(err)
	}
}

// contents reads every file below a directory.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// R34: a log is exported while it is written, up to a segment's end or to the newest
// checkpoint; the next export only adds; what was exported verifies by itself.
func TestExport(t *testing.T) {
	l := openTest(t, testOptions(t))
	to := filepath.Join(t.TempDir(), "out")
	activate(t, l, "a", "b")
	last := ExportReport{}
	before := map[string]string{}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if _, err := l.Append(call{tool: "t", filler: 900}.proposal(t)); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range 6 {
		activate(t, l, fmt.Sprint(i))
		upTo := last.Entries + 1
		if i%3 == 2 {
			upTo = 0
		}
		newest := appendN(t, l, 100)[99].Sequence
		if _, _, err := l.ProveInclusion(t.Context(), newest, 0); err != nil { // a checkpoint covers it
			t.Fatal(err)
		}
		r := exportTest(t, l.opts, to, upTo)
		if r.Entries <= last.Entries || r.Added != r.Entries-last.Entries || r.LogID != l.LogID() {
			t.Errorf("got %+v after %+v", r, last)
		}
		now := contents(t, to)
		for name, content := range before {
			if name != "checkpoint" && now[name] != content {
				t.Errorf("%s was there before and is another now", name)
			}
		}
		if v := verifyArchiveTest(t, l.opts, to, 0); v.Root != r.Root || v.Entries != r.Entries || v.Added != r.Entries {
			t.Errorf("verified: %+v, exported: %+v", v, r)
		}
		if v := verifyArchiveTest(t, l.opts, to, last.Entries); v.Root != r.Root || v.Added > r.Added+decisions.TileWidth {
			t.Errorf("verified from entry %d: %+v, exported: %+v", last.Entries, v, r)
		}
		last, before = r, now
	}
	cancel()
	wg.Wait()
	if v := verifyArchiveTest(t, l.opts, to, 0); v.Blobs < 10 { // 5 contents and at least as many lists
		t.Errorf("%d blobs were exported, expected more", v.Blobs)
	}
	for i, s := range l.segments.view()[1:] {
		out := filepath.Join(t.TempDir(), "segment")
		if r := exportTest(t, l.opts, out, s.first); r.Entries != s.first {
			t.Errorf("up to segment %d's end: %d entries, expected %d", i, r.Entries, s.first)
		}
	}
	if r := exportTest(t, l.opts, to, 1); r.Added != 0 || r.Entries != last.Entries {
		t.Errorf("what is exported already: got %+v, expected nothing added to %d", r, last.Entries)
	}
}

// Whatever a power cut loses, what the export's checkpoint covers is there, and the next
// export goes on.
func TestExportCrash(t *testing.T) {
	t.Parallel() // most of its time is the disk's
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		o := testOptions(t)
		disk := newSimDisk()
		o.FS = disk
		l, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "out")
		appendN(t, l, 300+r.IntN(300))
		activate(t, l, "a", "b")
		closeSim(t, l)
		for crashes := 0; ; crashes++ {
			disk.fault = powerCut(r)
			if crashes == 4 {
				disk.fault = nil
			}
			o.FS = disk
			_, err := Export(t.Context(), ExportOptions{Log: VerifyOptions{Dir: o.Dir, FS: disk}, To: to})
			if err == nil {
				break
			}
			if !errors.Is(err, syscall.EIO) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			disk.fault = nil
			disk = disk.crash(r)
			o.FS = disk
			if _, err := readFile(disk, filepath.Join(to, "checkpoint"), 1<<20); err == nil {
				verifyArchiveTest(t, o, to, 0)
			}
		}
		disk.fault = nil
		disk = disk.crash(r)
		o.FS = disk
		if v := verifyArchiveTest(t, o, to, 0); v.Entries != l.Size() {
			t.Fatalf("seed %d: %d entries, expected %d", seed, v.Entries, l.Size())
		}
	}
}

func closeSim(t *testing.T, l *Ledger) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestExportRefuses(t *testing.T) {
	o := stored(t)
	other := stored(t)
	out := func(t *testing.T) string {
		to := filepath.Join(t.TempDir(), "out")
		exportTest(t, o, to, 0)
		return to
	}
	for name, c := range map[string]struct {
		from Options
		to   func(t *testing.T) string
		upTo uint64
		want error
	}{
		"another log's export": {other, out, 0, ErrDamaged},
		"a data directory":     {o, func(*testing.T) string { return o.Dir }, 0, ErrOptions},
		"no directory":         {o, func(*testing.T) string { return "" }, 0, ErrOptions},
		"more than is signed":  {o, out, 1 << 40, ErrUncovered},
		"a partial tile gone": {o, func(t *testing.T) string {
			to := out(t)
			for name := range contents(t, to) {
				if strings.HasPrefix(name, "tile/0/") && strings.Contains(name, ".p/") {
					remove(t, filepath.Join(to, name))
				}
			}
			return to
		}, 0, ErrDamaged},
		"a partial tile changed": {o, func(t *testing.T) string {
			to := out(t)
			for name := range contents(t, to) {
				if strings.HasPrefix(name, "tile/0/") && strings.Contains(name, ".p/") {
					edit(t, filepath.Join(to, name), flipAt(3))
				}
			}
			return to
		}, 0, ErrDamaged},
		"more in the export than in the log": {o, func(t *testing.T) string {
			o := copyOf(t, o)
			l, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			appendN(t, l, 3)
			closeTest(t, l)
			to := filepath.Join(t.TempDir(), "out")
			exportTest(t, o, to, 0)
			return to
		}, 0, ErrRolledBack},
	} {
		t.Run(name, func(t *testing.T) {
			to := c.to(t)
			_, err := Export(t.Context(), ExportOptions{Log: VerifyOptions{Dir: c.from.Dir}, To: to, UpTo: c.upTo})
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, expected %v", err, c.want)
			}
		})
	}
	to := out(t)
	held, err := osFS{}.Lock(filepath.Join(to, archiveLockName))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if _, err := Export(t.Context(), ExportOptions{Log: VerifyOptions{Dir: o.Dir}, To: to}); !errors.Is(err, ErrInUse) {
		t.Errorf("beside another export: got %v, expected ErrInUse", err)
	}
}

func remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// A byte of any exported file that changed, and any file that is gone, is found.
func TestArchiveDamage(t *testing.T) {
	o := testOptions(t)
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	activate(t, l, "a", "b")
	appendN(t, l, 600)
	closeTest(t, l)
	to := filepath.Join(t.TempDir(), "out")
	exportTest(t, o, to, 300)
	exportTest(t, o, to, 0)
	files := contents(t, to)
	delete(files, archiveLockName)
	for name := range maps.Clone(files) { // left over from the export before: nobody reads them
		if strings.Contains(name, ".p/") && !strings.HasSuffix(name, fmt.Sprint("/", l.Size()%256)) && !strings.HasPrefix(name, "tile/1") {
			delete(files, name)
		}
	}
	for name, content := range files {
		path := filepath.Join(to, name)
		for what, spoil := range map[string]func(){
			"flipped": func() { edit(t, path, flipAt(len(content)/2)) },
			"gone":    func() { remove(t, path) },
			"longer":  func() { edit(t, path, func(b []byte) []byte { return append(b, 'x') }) },
		} {
			spoil()
			if _, err := VerifyArchive(t.Context(), archiveOptions(t, o, to), 0); !errors.Is(err, ErrDamaged) {
				t.Errorf("%s %s: got %v, expected ErrDamaged", name, what, err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	verifyArchiveTest(t, o, to, 0)
}
