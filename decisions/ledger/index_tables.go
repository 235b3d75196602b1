package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errCrashed says that the process ended while Badger opened the index.
var errCrashed = errors.New("the process ended while the index was opened")

// opening does what opens the index. Badger reads its tables in goroutines of its own,
// and a panic there ends the process, at each start again; so a mark beside the index
// stands while that lasts, and an index that has one is not opened.
func opening(dir string, open func() error) error {
	mark := dir + ".opening"
	if _, err := os.Stat(mark); err == nil {
		return errors.Join(errCrashed, os.Remove(mark))
	}
	if err := checkTables(dir); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		return err
	}
	return errors.Join(open(), os.Remove(mark))
}

// checkTables looks at what Badger's reader takes on trust: a table ends with an index,
// its length in 4 bytes, a checksum, and its length in 4 bytes.
func checkTables(dir string) error {
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	for _, name := range tables {
		if err == nil {
			err = checkTable(name)
		}
	}
	return err
}

func checkTable(name string) error {
	f, err := os.Open(name) //nolint:gosec // in the data directory
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := info.Size()
	for _, part := range []string{"checksum", "index"} {
		var length [4]byte
		if end -= 4; end < 0 {
			return fmt.Errorf("%w: %s is cut short", fs.ErrInvalid, name)
		}
		if _, err := f.ReadAt(length[:], end); err != nil {
			return err
		}
		if end -= int64(binary.BigEndian.Uint32(length[:])); end < 0 {
			return fmt.Errorf("%w: the %s of %s is longer than the file", fs.ErrInvalid, part, name)
		}
	}
	return nil
}
