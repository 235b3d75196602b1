package ledger

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
)

const (
	simSector = 512 // what a power cut keeps or loses as a whole
	simPage   = 4096
)

// simPageBytes is a page of a file. It is never changed, so that copies of a disk share it; nil
// is a page of zeros.
type simPageBytes = [simPage]byte

// inode is a file's content as processes see it, and as the disk has it.
type inode struct {
	dir    bool
	size   int
	pages  []*simPageBytes
	stored []*simPageBytes
	// storedSize is the size that the disk has.
	storedSize int
	// dirty are the pages that the next sync writes. A page can be clean and not stored:
	// after a sync that failed, as on Linux.
	dirty map[int]bool
}

func at(pages []*simPageBytes, i int) *simPageBytes {
	if i < len(pages) {
		return pages[i]
	}
	return nil
}

func set(pages []*simPageBytes, i int, p *simPageBytes) []*simPageBytes {
	for len(pages) <= i {
		pages = append(pages, nil)
	}
	pages[i] = p
	return pages
}

func (n *inode) write(b []byte, offset int) {
	n.size = max(n.size, offset+len(b))
	for len(b) > 0 {
		i, from := offset/simPage, offset%simPage
		part := b[:min(len(b), simPage-from)]
		b, offset = b[len(part):], offset+len(part)
		old := at(n.pages, i)
		if old == nil && allZero(part) && at(n.stored, i) == nil {
			continue // zeros over zeros
		}
		var fresh simPageBytes
		if old != nil {
			fresh = *old
		}
		copy(fresh[from:], part)
		n.pages = set(n.pages, i, &fresh)
		n.touch(i)
	}
}

func (n *inode) touch(i int) {
	if n.dirty == nil {
		n.dirty = map[int]bool{}
	}
	n.dirty[i] = true
}

func (n *inode) truncate() {
	n.size, n.pages = 0, nil
	for i := range n.stored {
		n.touch(i)
	}
}

func (n *inode) sync() {
	for i := range n.dirty {
		n.stored = set(n.stored, i, at(n.pages, i))
	}
	n.dirty, n.storedSize = nil, n.size
}

// failedSync stores some pages or none, and forgets that the others are not stored.
func (n *inode) failedSync(r *rand.Rand) {
	how := r.IntN(4)
	if how == 0 {
		return // as before
	}
	for _, i := range slices.Sorted(maps.Keys(n.dirty)) {
		if how == 1 && r.IntN(2) == 0 {
			n.stored = set(n.stored, i, at(n.pages, i))
		}
	}
	n.dirty = nil
}

// afterPowerCut is what the disk has: of a dirty page nothing (0), all (1), what lies
// before some place (2), or some sectors (3).
func (n *inode) afterPowerCut(r *rand.Rand, how int) *inode {
	kept := &inode{dir: n.dir, size: n.storedSize, pages: slices.Clone(n.stored)}
	if n.size != n.storedSize && r.IntN(2) == 0 {
		kept.size = n.size
	}
	until := r.IntN(n.size/simSector + 1)
	for _, i := range slices.Sorted(maps.Keys(n.dirty)) {
		var mixed, now simPageBytes
		if p := at(n.stored, i); p != nil {
			mixed = *p
		}
		if p := at(n.pages, i); p != nil {
			now = *p
		}
		for s := 0; s < simPage; s += simSector {
			if how == 1 || how == 2 && i*simPage+s < until*simSector || how == 3 && r.IntN(2) == 0 {
				copy(mixed[s:s+simSector], now[s:])
			}
		}
		kept.pages = set(kept.pages, i, &mixed)
	}
	kept.clip()
	kept.stored, kept.storedSize = slices.Clone(kept.pages), kept.size
	return kept
}

// clip drops what lies behind the end of the file.
func (n *inode) clip() {
	for i, p := range n.pages {
		if end := n.size - i*simPage; p != nil && end < simPage {
			fresh := *p
			clear(fresh[max(end, 0):])
			n.pages[i] = &fresh
		}
	}
}

// afterExit is the same inode for the next process.
func (n *inode) afterExit(r *rand.Rand, copies map[*inode]*inode) *inode {
	if copies[n] != nil {
		return copies[n]
	}
	kept := &inode{dir: n.dir, size: n.size, storedSize: n.storedSize, pages: slices.Clone(n.pages), stored: slices.Clone(n.stored), dirty: maps.Clone(n.dirty)}
	pressed := r.IntN(2) == 0 // for memory: clean pages go
	for i, p := range kept.pages {
		if pressed && p != at(n.stored, i) && !n.dirty[i] && r.IntN(2) == 0 {
			kept.pages[i] = at(n.stored, i)
		}
	}
	copies[n] = kept
	return kept
}

func (n *inode) read(b []byte, offset int) int {
	b = b[:max(0, min(len(b), n.size-offset))]
	for done := 0; done < len(b); {
		i, from := (offset+done)/simPage, (offset+done)%simPage
		part := b[done:min(len(b), done+simPage-from)]
		if p := at(n.pages, i); p != nil {
			copy(part, p[from:])
		} else {
			clear(part)
		}
		done += len(part)
	}
	return len(b)
}

// simFile is an open file of a simDisk.
type simFile struct {
	d    *simDisk
	name string
	n    *inode
}

func (f *simFile) ReadAt(b []byte, offset int64) (n int, err error) {
	err = f.d.ask(simOp{kind: "read", name: f.name, offset: offset, size: len(b), reads: true, do: func() error {
		if n = f.n.read(b, int(offset)); n < len(b) {
			return io.EOF
		}
		return nil
	}})
	return n, err
}

func (f *simFile) WriteAt(b []byte, offset int64) (int, error) {
	part := func(r *rand.Rand) { f.n.write(b[:r.IntN(len(b)+1)], int(offset)) }
	if err := f.d.ask(simOp{kind: "write", name: f.name, offset: offset, size: len(b), torn: part, do: func() error {
		f.n.write(b, int(offset))
		return nil
	}}); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (f *simFile) Sync() error     { return f.flush("sync") }
func (f *simFile) Datasync() error { return f.flush("datasync") }

func (f *simFile) flush(kind string) error {
	return f.d.ask(simOp{kind: kind, name: f.name, failed: f.n.failedSync, do: func() error { f.n.sync(); return nil }})
}

func (f *simFile) Truncate(int64) error {
	return fmt.Errorf("simulated disk: nobody truncates: %s", f.name)
}

func (f *simFile) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(f.n.size), nil
}

func (f *simFile) Close() error { return nil }
