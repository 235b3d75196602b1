package ledger

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// brokenLedger is a ledger that is broken on purpose, by what stands around it.
type brokenLedger struct {
	disk   func(FS) FS
	ledger func(*Ledger)
}

// What proves something can fail: each of these faults is found within so many seeds.
func TestSimulationFindsFaults(t *testing.T) {
	const within = 500
	for name, broken := range map[string]brokenLedger{
		"an answer before the sync": {disk: func(d FS) FS {
			return lyingFS{FS: d, datasync: func(name string) bool { return strings.HasSuffix(name, ".seg") }}
		}},
		"no directory is synced": {disk: func(d FS) FS {
			return lyingFS{FS: d, syncDir: func(string) bool { return true }}
		}},
		"a torn batch is left": {disk: func(d FS) FS {
			return lyingFS{FS: d, write: func(f *lyingFile, b []byte, _ int64) bool { return f.existed && allZero(b) }}
		}},
		"a start believes what it reads": {disk: func(d FS) FS {
			return lyingFS{FS: d, sync: func(f *lyingFile) bool { return f.existed && strings.HasSuffix(f.name, ".seg") }, write: (*lyingFile).rewrites}
		}},
		"a failed sync is tried again, no more": {disk: func(d FS) FS {
			return lyingFS{FS: d, write: (*lyingFile).rewrites}
		}},
		"a checkpoint is shown before it is durable": {disk: func(d FS) FS {
			return lyingFS{FS: d, sync: func(f *lyingFile) bool { return strings.HasSuffix(f.name, "checkpoint.tmp") }}
		}},
		"a checkpoint is shown before the anchor is": {disk: func(d FS) FS {
			return lyingFS{FS: d, rename: func(name string) bool { return filepath.Base(name) == "anchor" }}
		}},
		"a start forgets the keys": {ledger: func(l *Ledger) {
			l.writer.state.Keys = &decisions.MemoryKeys{}
		}},
		"the condition is not checked": {ledger: func(l *Ledger) {
			l.writer.state.Keys = forgetfulKeys{}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(within) {
				if _, err := simulate(t, seed, broken); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("not found in %d schedules", within)
		})
	}
}

// lyingFS says that something was done which was not.
type lyingFS struct {
	FS
	datasync func(name string) bool
	sync     func(f *lyingFile) bool
	syncDir  func(name string) bool
	rename   func(name string) bool
	write    func(f *lyingFile, b []byte, offset int64) bool
}

func (l lyingFS) SyncDir(name string) error {
	if l.syncDir != nil && l.syncDir(name) {
		return nil
	}
	return l.FS.SyncDir(name)
}

func (l lyingFS) Rename(oldname, newname string) error {
	if l.rename != nil && l.rename(newname) {
		return l.Remove(oldname)
	}
	return l.FS.Rename(oldname, newname)
}

func (l lyingFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := l.FS.OpenFile(name, flag, perm)
	return &lyingFile{File: f, l: l, name: name, existed: flag&os.O_CREATE == 0}, err
}

type lyingFile struct {
	File
	l       lyingFS
	name    string
	existed bool // before it was opened
}

func (f *lyingFile) Datasync() error {
	if f.l.datasync != nil && f.l.datasync(f.name) {
		return nil
	}
	return f.File.Datasync()
}

func (f *lyingFile) Sync() error {
	if f.l.sync != nil && f.l.sync(f) {
		return nil
	}
	return f.File.Sync()
}

func (f *lyingFile) WriteAt(b []byte, offset int64) (int, error) {
	if f.l.write != nil && f.l.write(f, b, offset) {
		return len(b), nil
	}
	return f.File.WriteAt(b, offset)
}

// rewrites says whether the bytes are there already, as a read shows them.
func (f *lyingFile) rewrites(b []byte, offset int64) bool {
	there := make([]byte, len(b))
	_, err := f.ReadAt(there, offset)
	return err == nil && f.existed && bytes.Equal(there, b)
}

// forgetfulKeys knows no key.
type forgetfulKeys struct{}

func (forgetfulKeys) Key(decisions.Hash) (decisions.KeyRecord, bool, error) {
	return decisions.KeyRecord{}, false, nil
}
func (forgetfulKeys) KeyOf(decisions.EntryRef) (decisions.Hash, bool, error) {
	return decisions.Hash{}, false, nil
}
func (forgetfulKeys) SetKey(decisions.Hash, decisions.KeyRecord, uint64) {}
