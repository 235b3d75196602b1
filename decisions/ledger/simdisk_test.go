package ledger

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// simDisk is a disk in memory that forgets. Content is durable after Sync, names are
// durable after SyncDir; a crash keeps what is durable, and of the rest what its seed
// says, page by page and name by name. The operating system's directories, which the
// index needs, are made beside it.
type simDisk struct {
	mu      sync.Mutex
	now     map[string]*inode // by path
	durable map[string]*inode
	fault   func(op, name string) error // nil: none
	free    uint64
}

type inode struct {
	data   []byte // nil for a directory
	synced []byte
	dirty  []span // written since the last sync
	dir    bool
}

type span struct{ from, to int }

const simPage = 512

func newSimDisk() *simDisk {
	return &simDisk{now: map[string]*inode{}, durable: map[string]*inode{}, free: 1 << 40}
}

// crash loses what is not durable, as the seed says.
func (d *simDisk) crash(r *rand.Rand) *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	after := newSimDisk()
	names := maps.Clone(d.durable)
	for _, name := range slices.Sorted(maps.Keys(d.now)) {
		if d.durable[name] != d.now[name] && r.IntN(2) == 0 {
			names[name] = d.now[name]
		}
	}
	for name := range d.durable {
		if d.now[name] == nil && r.IntN(2) == 0 {
			delete(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		parent := filepath.Dir(name)
		if d.now[parent] != nil && after.now[parent] == nil {
			continue // what is in a lost directory is lost
		}
		kept := names[name].afterCrash(r)
		after.now[name], after.durable[name] = kept, kept
	}
	return after
}

func (n *inode) afterCrash(r *rand.Rand) *inode {
	kept := &inode{data: bytes.Clone(n.synced), dir: n.dir}
	for _, w := range n.dirty {
		for at := w.from; at < w.to; at += simPage - at%simPage {
			if end := min(at+simPage-at%simPage, w.to, len(n.data)); r.IntN(2) == 0 && at < end {
				kept.grow(end)
				copy(kept.data[at:end], n.data[at:end])
			}
		}
	}
	kept.synced = bytes.Clone(kept.data)
	return kept
}

func (n *inode) grow(size int) {
	if size > len(n.data) {
		n.data = append(n.data, make([]byte, size-len(n.data))...)
	}
}

func (d *simDisk) failing(op, name string) error {
	if d.fault == nil {
		return nil
	}
	if err := d.fault(op, name); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (d *simDisk) OpenFile(name string, flag int, _ fs.FileMode) (File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("open", name); err != nil {
		return nil, err
	}
	n := d.now[name]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n == nil:
		n = &inode{}
		d.now[name] = n
	case flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	if flag&os.O_TRUNC != 0 {
		n.data = nil
	}
	return &simFile{d, name, n}, nil
}

func (d *simDisk) Mkdir(name string, perm fs.FileMode) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("mkdir", name); err != nil {
		return err
	}
	if d.now[name] != nil {
		return &fs.PathError{Op: "mkdir", Path: name, Err: fs.ErrExist}
	}
	d.now[name] = &inode{dir: true}
	return os.MkdirAll(name, perm)
}

func (d *simDisk) ReadDir(name string) ([]fs.DirEntry, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var entries []fs.DirEntry
	for _, path := range slices.Sorted(maps.Keys(d.now)) {
		if filepath.Dir(path) == name {
			entries = append(entries, simEntry(filepath.Base(path)))
		}
	}
	return entries, nil
}

func (d *simDisk) Rename(oldname, newname string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("rename", newname); err != nil {
		return err
	}
	d.now[newname] = d.now[oldname]
	delete(d.now, oldname)
	return nil
}

func (d *simDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("remove", name); err != nil {
		return err
	}
	if d.now[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(d.now, name)
	return nil
}

func (d *simDisk) SyncDir(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failing("syncdir", name); err != nil {
		return err
	}
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
}

func (d *simDisk) Free(string) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.free, d.failing("free", "")
}

func (d *simDisk) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

type simFile struct {
	d    *simDisk
	name string
	n    *inode
}

func (f *simFile) ReadAt(b []byte, offset int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.failing("read", f.name); err != nil {
		return 0, err
	}
	if offset >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.n.data[offset:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *simFile) WriteAt(b []byte, offset int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.failing("write", f.name); err != nil {
		return 0, err
	}
	f.n.grow(int(offset) + len(b))
	copy(f.n.data[offset:], b)
	f.n.dirty = append(f.n.dirty, span{int(offset), int(offset) + len(b)})
	return len(b), nil
}

func (f *simFile) Sync() error     { return f.flush("sync") }
func (f *simFile) Datasync() error { return f.flush("datasync") }

func (f *simFile) flush(op string) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.failing(op, f.name); err != nil {
		return err
	}
	if len(f.n.synced) != len(f.n.data) {
		f.n.synced = bytes.Clone(f.n.data)
	}
	for _, w := range f.n.dirty {
		copy(f.n.synced[w.from:], f.n.data[w.from:w.to])
	}
	f.n.dirty = nil
	return nil
}

func (f *simFile) Truncate(size int64) error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if size > int64(len(f.n.data)) {
		return fmt.Errorf("simulated disk: truncate to more: %s", f.name)
	}
	f.n.data = f.n.data[:size]
	return nil
}

func (f *simFile) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.n.data)), nil
}

func (f *simFile) Close() error { return nil }

// simEntry is a name in a directory.
type simEntry string

func (e simEntry) Name() string             { return string(e) }
func (simEntry) IsDir() bool                { return false }
func (simEntry) Type() fs.FileMode          { return 0 }
func (simEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrInvalid }
