package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Files that say what a directory is. That they are there is what counts; what they
// say is for people.
const (
	// backupMark is in every backup, so that nobody goes on with one as if it were the
	// log: what was answered after it would be gone without a word.
	backupMark = "backup"
	// unfinishedMark is there until the first copy into a directory is whole.
	unfinishedMark = "unfinished"
)

const backupWords = `This is a backup of a log. Verify it with writ log verify, add to it with writ log
backup, go on from it with writ log restore. No service starts on it.
`

func exists(disk FS, name string) (bool, error) {
	f, err := disk.OpenFile(name, readOnly, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

// checkFinished is ErrUnfinished where a copy into the directory was cut short.
func checkFinished(disk FS, dir string) error {
	unfinished, err := exists(disk, filepath.Join(dir, unfinishedMark))
	if err == nil && unfinished {
		err = fmt.Errorf("%w: %s: what was being copied there is not whole: run writ log backup or writ log restore again, whichever it was", ErrUnfinished, dir)
	}
	return err
}

// checkServable refuses directories that are no log to go on with.
func checkServable(disk FS, dir string) error {
	if err := checkFinished(disk, dir); err != nil {
		return err
	}
	marked, err := exists(disk, filepath.Join(dir, backupMark))
	if err == nil && marked {
		err = fmt.Errorf("%w: %s: what was answered after it is not in it, so it is not gone on with: begin a new epoch with writ log restore %s --data DIR", ErrBackup, dir, dir)
	}
	return err
}

// finish removes the word that a directory is not whole.
func finish(disk FS, dir string) error {
	err := disk.Remove(filepath.Join(dir, unfinishedMark))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, disk.SyncDir(dir))
}
