package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"github.com/writ-dev/writ/decisions"
)

// entriesFile is the part of the index that has a record of one size for each entry:
//
//	 0 32  leaf hash
//	32  4  offset of the entry's bytes in its segment's file
//	36  2  their number
//
// A tile's records have a checksum, which stands in the database with the tile. They
// are in a file of their own since the database maps its files into memory and copies
// them when it compacts: with the leaves in it, it held 500 MB of ten million entries.
type entriesFile struct{ file *os.File }

const (
	entryRecord = 32 + 4 + 2
	tileBytes   = tileWidth * entryRecord
)

// spot is where an entry's bytes stand in their segment's file.
type spot struct {
	offset uint32
	size   uint16
}

// tileRecords are the records of a tile's entries, checked.
type tileRecords []byte

func (t tileRecords) leaf(i uint64) decisions.Hash { return decisions.Hash(t[i*entryRecord:][:32]) }

func (t tileRecords) spot(i uint64) spot {
	b := t[i*entryRecord+32:]
	return spot{binary.BigEndian.Uint32(b), binary.BigEndian.Uint16(b[4:])}
}

func (e *entriesFile) open(dir string) (err error) {
	e.file, err = os.OpenFile(filepath.Join(dir, "entries"), os.O_RDWR|os.O_CREATE, 0o600)
	return err
}

// write writes a tile and returns its checksum.
func (e *entriesFile) write(number uint64, leaves []decisions.Hash, spots []spot) (uint32, error) {
	b := make([]byte, 0, tileBytes)
	for i, leaf := range leaves {
		b = append(b, leaf[:]...)
		b = binary.BigEndian.AppendUint32(b, spots[i].offset)
		b = binary.BigEndian.AppendUint16(b, spots[i].size)
	}
	_, err := e.file.WriteAt(b, int64(number)*tileBytes) //nolint:gosec // a file's size
	return crc32.Checksum(b, castagnoli()), err
}

// read returns a tile's records, in the memory of those that nobody needs any more.
func (e *entriesFile) read(number uint64, sum uint32, spare tileRecords) (tileRecords, error) {
	b := spare
	if b == nil {
		b = make([]byte, tileBytes)
	}
	if _, err := e.file.ReadAt(b, int64(number)*tileBytes); err != nil { //nolint:gosec // as above
		return nil, fmt.Errorf("tile %d: %w", number, err)
	}
	if got := crc32.Checksum(b, castagnoli()); got != sum {
		return nil, fmt.Errorf("tile %d: its checksum is %08x, expected %08x", number, got, sum)
	}
	return b, nil
}

// close makes what was written durable.
func (e *entriesFile) close() error {
	if e.file == nil {
		return nil
	}
	return errors.Join(e.file.Sync(), e.file.Close())
}
