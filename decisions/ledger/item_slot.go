package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/writ-dev/writ/decisions"
)

// The keys of items stand in a file of slots in the key directory, items.keys. All
// numbers are big-endian. It begins with 64 bytes:
//
//	 0  8  "WRITKEY\n"
//	 8  4  format, 1
//	12 16  log id
//	28  4  checksum (CRC32C) of bytes 0 to 27
//
// and slot n stands at 64 * (n+1):
//
//	 0  4  state: 0 free, 1 holds a key, 2 erased
//	 4  4  checksum of the state, n in eight bytes, and bytes 8 to 47
//	 8 32  the key; zeros once erased
//	40  8  sequence of the Erased entry
//	48 16  zeros
//
// Slots are used in order and once. A free slot is all zeros.
const (
	slotSize      = 64
	itemKeyFormat = 1
	slotKey       = 1
	slotErased    = 2
)

var errSlot = errors.New("the slot is damaged")

// slot is what stands in a slot: a key, or who erased it. The zero value is free.
type slot struct {
	state uint32
	key   decisions.ItemKey
	// by is the sequence of the Erased entry.
	by uint64
}

func (s slot) encode(number uint64) []byte {
	b := make([]byte, slotSize)
	binary.BigEndian.PutUint32(b, s.state)
	copy(b[8:], s.key[:])
	binary.BigEndian.PutUint64(b[40:], s.by)
	binary.BigEndian.PutUint32(b[4:], slotCRC(b, number))
	return b
}

// parseSlot reads a slot. Errors: errSlot.
func parseSlot(b []byte, number uint64) (slot, error) {
	if len(b) != slotSize {
		return slot{}, fmt.Errorf("%w: it has %d bytes", errSlot, len(b))
	}
	if allZero(b) {
		return slot{}, nil
	}
	s := slot{
		state: binary.BigEndian.Uint32(b),
		key:   decisions.ItemKey(b[8:40]),
		by:    binary.BigEndian.Uint64(b[40:]),
	}
	whole := s.state == slotKey && s.by == 0 || s.state == slotErased && s.key == decisions.ItemKey{}
	if !whole || !allZero(b[48:]) || binary.BigEndian.Uint32(b[4:]) != slotCRC(b, number) {
		return slot{}, fmt.Errorf("%w: slot %d", errSlot, number)
	}
	return s, nil
}

func slotCRC(b []byte, number uint64) uint32 {
	sum := crc32.Checksum(b[:4], castagnoli())
	sum = crc32.Update(sum, castagnoli(), binary.BigEndian.AppendUint64(nil, number))
	return crc32.Update(sum, castagnoli(), b[8:48])
}

func slotAt(number uint64) int64 { return slotSize * (int64(number) + 1) }

// slotHeader begins the file of a log.
func slotHeader(id [16]byte) []byte {
	b := make([]byte, slotSize)
	copy(b, "WRITKEY\n")
	binary.BigEndian.PutUint32(b[8:], itemKeyFormat)
	copy(b[12:], id[:])
	binary.BigEndian.PutUint32(b[28:], crc32.Checksum(b[:28], castagnoli()))
	return b
}
