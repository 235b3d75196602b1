package ledger

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// guard turns a panic of Badger's, and a fault in a file that it maps into memory (cut
// short, or on a disk that can't read it), into an error. It reaches the calling
// goroutine only: what Badger does in its own, space.forIndex keeps from being begun.
func (x *index) guard(do func() error) (err error) {
	if x.faulted.Load() {
		return fmt.Errorf("index %s: its files can't be read: start again, it will be rebuilt", x.dir)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		x.broken.Store(true)
		if _, ok := p.(runtime.Error); ok {
			x.faulted.Store(true)
		}
		err = fmt.Errorf("index %s: %v: start again, it will be rebuilt", x.dir, p)
	}()
	return do()
}

// close deletes the index where it has failed, so that the next start rebuilds it.
// Where it faulted it is not closed first: closing would touch the same files.
func (x *index) close() error {
	if x.faulted.Load() {
		return os.RemoveAll(x.dir)
	}
	err := errors.Join(x.db.Close(), x.entries.close())
	if x.broken.Load() {
		err = errors.Join(err, os.RemoveAll(x.dir))
	}
	if err != nil { // in Badger's words, which hide the cause from errors.Is
		err = fmt.Errorf("closing the index %s: %w: look after the disk and its free space, then start again: what it lacks is taken from the log", x.dir, err)
	}
	return err
}
