package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/writ-dev/writ/decisions"
)

// Sizes in bytes; the package comment says what stands where.
const (
	markSize    = 8
	frameHeader = 60
	crcAt       = 56
	maxFrame    = 1 << 20
	// maxBatch bounds how many entries are answered by one sync.
	maxBatch = 4096
)

var (
	errNoFrame  = errors.New("no batch begins here")
	errBadFrame = errors.New("the batch is damaged")
)

// mark begins every batch of a segment. It is random, so that nothing that a caller
// puts into an entry can look like a batch.
type mark = [markSize]byte

// frame is one stored batch.
type frame struct {
	first   uint64
	count   uint32
	prev    decisions.Hash
	payload []byte
	head    []byte // the header's bytes
}

// castagnoli returns the table of CRC32C; the library keeps one.
func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// appendHeader begins a frame in an empty buffer; seal completes it.
func appendHeader(dst []byte) []byte { return append(dst, make([]byte, frameHeader)...) }

// openEntry makes room for an entry's length and returns where it stands.
func openEntry(dst []byte) ([]byte, int) { return append(dst, 0, 0), len(dst) }

// closeEntry writes the length of the entry that was appended since openEntry, and
// returns its leaf hash. Until then a zero stands before the entry, which is just what
// a leaf's hash begins with: no copy, no allocation.
func closeEntry(dst []byte, at int) decisions.Hash {
	leaf := sha256.Sum256(dst[at+1:])
	binary.BigEndian.PutUint16(dst[at:], uint16(len(dst)-at-2))
	return leaf
}

// sealFrame fills the header of a frame whose payload is complete.
func sealFrame(b []byte, m mark, first uint64, count int, prev decisions.Hash) {
	copy(b, m[:])
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-frameHeader))
	binary.BigEndian.PutUint32(b[12:], uint32(count))
	binary.BigEndian.PutUint64(b[16:], first)
	copy(b[24:], prev[:])
	binary.BigEndian.PutUint32(b[crcAt:], frameCRC(b))
}

func frameCRC(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(b[:crcAt], castagnoli()), castagnoli(), b[frameHeader:])
}

// frameSize returns the whole size that a header claims. Errors: errNoFrame where
// the mark is missing, errBadFrame where the claim is impossible.
func frameSize(head []byte, m mark) (int, error) {
	if len(head) < frameHeader || !bytes.Equal(head[:markSize], m[:]) {
		return 0, errNoFrame
	}
	payload, count := binary.BigEndian.Uint32(head[8:]), binary.BigEndian.Uint32(head[12:])
	if payload > maxFrame-frameHeader || count == 0 || count > maxBatch {
		return 0, fmt.Errorf("%w: it claims %d entries in %d bytes", errBadFrame, count, payload)
	}
	return frameHeader + int(payload), nil
}

// parseFrame reads a whole frame. It shares b's memory. Errors: errNoFrame,
// errBadFrame.
func parseFrame(b []byte, m mark) (frame, error) {
	size, err := frameSize(b, m)
	if err != nil {
		return frame{}, err
	}
	if len(b) < size {
		return frame{}, fmt.Errorf("%w: %d bytes of %d", errBadFrame, len(b), size)
	}
	b = b[:size]
	if got, want := frameCRC(b), binary.BigEndian.Uint32(b[crcAt:]); got != want {
		return frame{}, fmt.Errorf("%w: its checksum is %08x, stored is %08x", errBadFrame, got, want)
	}
	return frame{
		first:   binary.BigEndian.Uint64(b[16:]),
		count:   binary.BigEndian.Uint32(b[12:]),
		prev:    decisions.Hash(b[24:56]),
		payload: b[frameHeader:],
		head:    b[:frameHeader],
	}, nil
}

// entries splits the payload, appending to dst. Errors: errBadFrame.
func (f *frame) entries(dst [][]byte) ([][]byte, error) {
	rest := f.payload
	for range f.count {
		if len(rest) < 2 {
			return dst, fmt.Errorf("%w: fewer than %d entries", errBadFrame, f.count)
		}
		size := int(binary.BigEndian.Uint16(rest))
		if rest = rest[2:]; len(rest) < size {
			return dst, fmt.Errorf("%w: an entry is cut short", errBadFrame)
		}
		dst, rest = append(dst, rest[:size]), rest[size:]
	}
	if len(rest) > 0 {
		return dst, fmt.Errorf("%w: more than %d entries", errBadFrame, f.count)
	}
	return dst, nil
}

// batchHash is what the next batch names as its predecessor: SHA-256 over the
// header from payload length to previous hash, and the leaf hashes.
func batchHash(head []byte, leaves []decisions.Hash) decisions.Hash {
	h := sha256.New()
	h.Write(head[markSize:crcAt])
	for i := range leaves {
		h.Write(leaves[i][:])
	}
	var sum decisions.Hash
	h.Sum(sum[:0])
	return sum
}
