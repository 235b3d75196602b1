package ledger

import (
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// simDisk is a disk in memory that forgets. Content is durable after Sync, names are
// durable after SyncDir. A power cut keeps what is durable, and of the rest what its
// seed says, sector by sector and name by name; the death of a process keeps all that
// it wrote, durable or not.
type simDisk struct {
	mu      sync.Mutex
	now     map[string]*inode // by path, as every process sees it
	durable map[string]*inode // by path, as after a power cut
	locked  map[string]bool
	free    uint64
	// fault refuses operations; nil: none.
	fault func(op, name string) error
	// gate lets one operation at a time happen; nil: they happen at once.
	gate *simGate
	// alone: the operating system's directories, which an index on the real disk needs,
	// are not made beside it.
	alone bool
}

func newSimDisk() *simDisk {
	return &simDisk{now: map[string]*inode{}, durable: map[string]*inode{}, locked: map[string]bool{}, free: 1 << 40}
}

// simOp is what a process asks of the disk.
type simOp struct {
	kind, name string
	offset     int64
	size       int
	reads      bool // and changes nothing
	do         func() error
	// torn is what an operation leaves that a crash or an error interrupted. nil: it was
	// done, or nothing was.
	torn func(r *rand.Rand)
	// failed is what it leaves when it fails. nil: as torn.
	failed func(r *rand.Rand)
}

// ask does an operation, when the gate opens.
func (d *simDisk) ask(op simOp) error {
	if err := d.gate.pass(op); err != nil {
		return &fs.PathError{Op: op.kind, Path: op.name, Err: err}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		if err := d.fault(op.kind, op.name); err != nil {
			return &fs.PathError{Op: op.kind, Path: op.name, Err: err}
		}
	}
	return op.do()
}

// interrupt leaves what an operation leaves that does not end.
func (d *simDisk) interrupt(op simOp, r *rand.Rand, failed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case op.reads:
	case failed && op.failed != nil:
		op.failed(r)
	case op.torn != nil:
		op.torn(r)
	case r.IntN(2) == 0:
		_ = op.do() // nobody is told
	}
}

// crash is a power cut: it loses what is not durable, as the seed says.
func (d *simDisk) crash(r *rand.Rand) *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	names := maps.Clone(d.durable)
	for _, name := range slices.Sorted(maps.Keys(d.now)) {
		if d.durable[name] != d.now[name] && r.IntN(2) == 0 {
			names[name] = d.now[name]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.durable)) {
		if d.now[name] == nil && r.IntN(2) == 0 {
			delete(names, name)
		}
	}
	after, how := d.successor(), r.IntN(4)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		parent := filepath.Dir(name)
		if d.now[parent] != nil && after.now[parent] == nil {
			continue // what is in a lost directory is lost
		}
		kept := names[name].afterPowerCut(r, how)
		after.now[name], after.durable[name] = kept, kept
	}
	return after
}

// exit is the death of every process: the page cache stays, but for clean pages, which
// may be read from the disk again.
func (d *simDisk) exit(r *rand.Rand) *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after, copies := d.successor(), map[*inode]*inode{}
	for _, name := range slices.Sorted(maps.Keys(d.now)) {
		after.now[name] = d.now[name].afterExit(r, copies)
	}
	for _, name := range slices.Sorted(maps.Keys(d.durable)) {
		after.durable[name] = d.durable[name].afterExit(r, copies)
	}
	return after
}

func (d *simDisk) successor() *simDisk {
	after := newSimDisk()
	after.alone = d.alone
	return after
}

// creates says whether an open changes the directory or the file.
func creates(flag int) bool { return flag&(os.O_CREATE|os.O_TRUNC) != 0 }

func (d *simDisk) OpenFile(name string, flag int, _ fs.FileMode) (f File, err error) {
	op := simOp{kind: "open", name: name, do: func() error {
		n := d.now[name]
		switch {
		case n == nil && flag&os.O_CREATE == 0:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		case n == nil:
			n = &inode{}
			d.now[name] = n
		case flag&os.O_EXCL != 0:
			return &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
		}
		if flag&os.O_TRUNC != 0 {
			n.truncate()
		}
		f = &simFile{d, name, n}
		return nil
	}}
	if !creates(flag) {
		op.reads = true
	}
	if err := d.ask(op); err != nil {
		return nil, err
	}
	return f, nil
}

func (d *simDisk) Mkdir(name string, perm fs.FileMode) error {
	return d.ask(simOp{kind: "mkdir", name: name, do: func() error {
		if d.now[name] != nil {
			return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
		}
		d.now[name] = &inode{dir: true}
		if d.alone {
			return nil
		}
		return os.MkdirAll(name, perm)
	}})
}

func (d *simDisk) ReadDir(name string) (entries []fs.DirEntry, err error) {
	err = d.ask(simOp{kind: "readdir", name: name, reads: true, do: func() error {
		for _, path := range slices.Sorted(maps.Keys(d.now)) {
			if filepath.Dir(path) == name {
				entries = append(entries, simEntry(filepath.Base(path)))
			}
		}
		return nil
	}})
	return entries, err
}

func (d *simDisk) Rename(oldname, newname string) error {
	return d.ask(simOp{kind: "rename", name: newname, do: func() error {
		if d.now[oldname] == nil {
			return &fs.PathError{Op: "rename", Path: oldname, Err: fs.ErrNotExist}
		}
		d.now[newname] = d.now[oldname]
		delete(d.now, oldname)
		return nil
	}})
}

func (d *simDisk) Remove(name string) error {
	return d.ask(simOp{kind: "remove", name: name, do: func() error {
		if d.now[name] == nil {
			return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
		}
		delete(d.now, name)
		return nil
	}})
}

func (d *simDisk) SyncDir(name string) error {
	return d.ask(simOp{kind: "syncdir", name: name, do: func() error {
		for path := range d.durable {
			if filepath.Dir(path) == name && d.now[path] == nil {
				delete(d.durable, path)
			}
		}
		for path, n := range d.now {
			if filepath.Dir(path) == name {
				d.durable[path] = n
			}
		}
		return nil
	}})
}

func (d *simDisk) Free(string) (free uint64, err error) {
	err = d.ask(simOp{kind: "free", reads: true, do: func() error { free = d.free; return nil }})
	return free, err
}

func (d *simDisk) Lock(name string) (io.Closer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.locked[name] {
		return nil, ErrInUse
	}
	d.locked[name] = true
	return simLock{d, name}, nil
}

type simLock struct {
	d    *simDisk
	name string
}

func (l simLock) Close() error {
	l.d.mu.Lock()
	defer l.d.mu.Unlock()
	delete(l.d.locked, l.name)
	return nil
}

// failOn makes one kind of operation fail on files with a suffix.
func (d *simDisk) failOn(op, suffix string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = nil
	if err == nil {
		return
	}
	d.fault = func(o, name string) error {
		if o == op && strings.HasSuffix(name, suffix) {
			return err
		}
		return nil
	}
}

func (d *simDisk) setFree(bytes uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = bytes
}

// simEntry is a name in a directory.
type simEntry string

func (e simEntry) Name() string             { return string(e) }
func (simEntry) IsDir() bool                { return false }
func (simEntry) Type() fs.FileMode          { return 0 }
func (simEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
