package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/writ-dev/writ/decisions"
)

const (
	itemKeysFile = "items.keys"
	// slotChunk is how many slots the file grows by, filled with zeros: a key is written
	// into place, and its sync changes no metadata.
	slotChunk = 4096
)

// itemKeys is the file of slots, as its one writer sees it. Those who wait for keys at
// the same time share a sync. Until the first item there is no file.
type itemKeys struct {
	disk FS
	name string
	id   [16]byte

	mu      sync.Mutex
	flushed sync.Cond
	file    File
	room    uint64              // slots that the file has
	durable uint64              // keys of slots before it are
	waiting []decisions.ItemKey // of the slots from durable on
	writing int                 // how many of waiting are on their way
	err     error               // final
}

// openItemKeys opens the file where there is one. Errors: ErrKeys, the disk's.
func openItemKeys(o Options, id [16]byte) (*itemKeys, error) {
	k := &itemKeys{disk: o.FS, name: filepath.Join(o.KeyDir, itemKeysFile), id: id}
	k.flushed.L = &k.mu
	f, err := o.FS.OpenFile(k.name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, err
	}
	if err := k.adopt(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return k, nil
}

// adopt finds the first slot that was never used. The file grows only when it is full,
// so that stands in the last two chunks. A file that ends before its header does never
// had a durable key. What is found is made durable: a process that ended may have left
// an erasure that is written and not synced.
func (k *itemKeys) adopt(f File) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	head := make([]byte, slotSize)
	if _, err := f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	k.file = f
	if allZero(head) {
		return nil
	}
	if !bytes.Equal(head, slotHeader(k.id)) {
		return fmt.Errorf("%w: %s is not the item keys of log %x: restore it from a backup", ErrKeys, k.name, k.id)
	}
	k.room = uint64(size/slotSize - 1)
	first := k.room - min(k.room, 2*slotChunk)
	slots := make([]byte, (k.room-first)*slotSize)
	if _, err := f.ReadAt(slots, slotAt(first)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	k.durable = first
	for n := k.room; n > first; n-- {
		if at := (n - 1 - first) * slotSize; !allZero(slots[at : at+slotSize]) {
			k.durable = n
			break
		}
	}
	return f.Sync()
}

// reserve takes a key in and returns its slot. It is durable after sync.
func (k *itemKeys) reserve(key decisions.ItemKey) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting = append(k.waiting, key)
	return k.durable + uint64(len(k.waiting)) - 1
}

// sync returns when the keys of all slots before one are durable. Errors: ErrProposal
// where there are not so many; ErrNoSpace, which passes; others are final.
func (k *itemKeys) sync(before uint64) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if reserved := k.durable + uint64(len(k.waiting)); before > reserved {
		return fmt.Errorf("%w: it needs %d item keys, and there are %d", ErrProposal, before, reserved)
	}
	for k.durable < before && k.err == nil {
		if k.writing > 0 {
			k.flushed.Wait()
			continue
		}
		if err := k.flush(); errors.Is(err, ErrNoSpace) {
			return err
		}
	}
	return k.err
}

// flush writes what waits, without holding the lock meanwhile.
func (k *itemKeys) flush() error {
	first, keys := k.durable, k.waiting
	k.writing = len(keys)
	k.mu.Unlock()
	err := k.write(first, keys)
	k.mu.Lock()
	k.writing = 0
	k.flushed.Broadcast()
	switch {
	case err == nil:
		k.durable, k.waiting = first+uint64(len(keys)), k.waiting[len(keys):]
	case !errors.Is(err, ErrNoSpace):
		k.err = fmt.Errorf("item keys: %w", err)
	}
	return err
}

func (k *itemKeys) write(first uint64, keys []decisions.ItemKey) error {
	if err := k.grow(first + uint64(len(keys))); err != nil {
		if errors.Is(err, syscall.ENOSPC) {
			return fmt.Errorf("%w: %s: %w: free some space", ErrNoSpace, k.name, err)
		}
		return err
	}
	var b []byte
	for i, key := range keys {
		b = append(b, slot{state: slotKey, key: key}.encode(first+uint64(i))...)
	}
	if _, err := k.file.WriteAt(b, slotAt(first)); err != nil {
		return err
	}
	return k.file.Datasync()
}

// grow makes room for so many slots. The header comes last: without it the file is
// taken for a new one.
func (k *itemKeys) grow(slots uint64) error {
	if slots <= k.room {
		return nil
	}
	if k.file == nil {
		f, err := k.disk.OpenFile(k.name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		k.mu.Lock()
		k.file = f
		k.mu.Unlock()
	}
	room := (slots + slotChunk - 1) / slotChunk * slotChunk
	if _, err := k.file.WriteAt(make([]byte, (room-k.room)*slotSize), slotAt(k.room)); err != nil {
		return err
	}
	if err := k.file.Sync(); err != nil {
		return err
	}
	if k.room == 0 {
		if _, err := k.file.WriteAt(slotHeader(k.id), 0); err != nil {
			return err
		}
		if err := errors.Join(k.file.Sync(), k.disk.SyncDir(filepath.Dir(k.name))); err != nil {
			return err
		}
	}
	k.room = room
	return nil
}

// slot reads a slot; a free one where the file has none. Errors: errSlot, the disk's.
func (k *itemKeys) slot(number uint64) (slot, error) {
	k.mu.Lock()
	f := k.file
	k.mu.Unlock()
	if f == nil {
		return slot{}, nil
	}
	return readSlot(f, number)
}

func readSlot(f File, number uint64) (slot, error) {
	if number >= 1<<56 {
		return slot{}, nil // no file is that long
	}
	b := make([]byte, slotSize)
	if n, err := f.ReadAt(b, slotAt(number)); n < slotSize {
		if errors.Is(err, io.EOF) {
			return slot{}, nil
		}
		return slot{}, err
	}
	return parseSlot(b, number)
}

// erase overwrites slots on behalf of an Erased entry, durably. It does so again where
// it was done: what a crash left half done, and an old copy put back, are the same.
func (k *itemKeys) erase(slots []uint64, by uint64) error {
	if len(slots) == 0 {
		return nil
	}
	for _, n := range slots {
		if _, err := k.file.WriteAt(slot{state: slotErased, by: by}.encode(n), slotAt(n)); err != nil {
			return fmt.Errorf("erase slot %d of %s: %w", n, k.name, err)
		}
	}
	if err := k.file.Sync(); err != nil {
		return fmt.Errorf("erase in %s: %w", k.name, err)
	}
	return nil
}

// close lets a write finish; who waits for another gets ErrClosed.
func (k *itemKeys) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.writing > 0 {
		k.flushed.Wait()
	}
	k.err = ErrClosed
	k.flushed.Broadcast()
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
