package ledger

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// fillStep is how much is zero-filled between two looks at whether to stop.
const fillStep = 1 << 20

// errStopped says that a file was not prepared because the ledger closes.
var errStopped = errors.New("closing")

// prepared is a zero-filled segment file without a header, durable with its name, or
// why there is none.
type prepared struct {
	segment *segment
	err     error
}

// prepareSegment makes a segment file of zeros. Zeros are written, since a file that
// only reserves space must change its extents at each sync.
func prepareSegment(disk FS, dir string, number uint32, size int64, stop *atomic.Bool) prepared {
	s := &segment{header: header{number: number, size: uint64(size)}, name: segmentName(dir, number)}
	if err := disk.Remove(s.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return prepared{err: err}
	}
	f, err := disk.OpenFile(s.name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return prepared{err: err}
	}
	s.file = f
	err = fill(f, size, stop)
	if err == nil {
		err = disk.SyncDir(filepath.Dir(s.name))
	}
	if err != nil {
		return prepared{err: errors.Join(err, f.Close(), disk.Remove(s.name))}
	}
	return prepared{segment: s}
}

func fill(f File, size int64, stop *atomic.Bool) error {
	zeros := make([]byte, min(fillStep, size))
	for at := int64(0); at < size; at += int64(len(zeros)) {
		if stop.Load() {
			return errStopped
		}
		if _, err := f.WriteAt(zeros[:min(int64(len(zeros)), size-at)], at); err != nil {
			return err
		}
	}
	return f.Sync()
}
