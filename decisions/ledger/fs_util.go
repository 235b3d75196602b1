package ledger

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// mkdirAll makes a directory and its parents, each durable in its own parent. One that
// is there already is left as it is.
func mkdirAll(disk FS, dir string) error {
	err := disk.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	parent := filepath.Dir(dir)
	if errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err = mkdirAll(disk, parent); err == nil {
			err = disk.Mkdir(dir, 0o700)
		}
	}
	if err != nil {
		return err
	}
	return disk.SyncDir(parent)
}

// durableDir is mkdirAll, but that one which is there already is durable too: who made
// it may have died before it was.
func durableDir(disk FS, dir string) error {
	if err := mkdirAll(disk, dir); err != nil {
		return err
	}
	return syncNames(disk, filepath.Dir(dir))
}

// syncNames makes names durable that are there already. A directory that can't be
// synced at all, or that this process may not read, has no names of its making.
func syncNames(disk FS, dir string) error {
	err := disk.SyncDir(dir)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EROFS) {
		return nil
	}
	return err
}

// replaceFile writes a file atomically and durably: a temporary name, its content
// synced, renamed, and the directory synced.
func replaceFile(disk FS, name string, content []byte) error {
	temporary := name + ".tmp"
	if err := writeFile(disk, temporary, content); err != nil {
		return err
	}
	if err := disk.Rename(temporary, name); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(name))
}

func writeFile(disk FS, name string, content []byte) error {
	f, err := disk.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// readFile returns a whole file of at most limit bytes.
func readFile(disk FS, name string, limit int64) ([]byte, error) {
	f, err := disk.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("%s has %d bytes, expected at most %d", name, size, limit)
	}
	content := make([]byte, size)
	if _, err := f.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}
