package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/RoaringBitmap/roaring/v2"
)

// What a sealed segment holds of a field is a table of its values in order, each with
// the bitmap of the entries that hold it, cut into chunks. A chunk is, for each value,
//
//	length, bytes   the value
//	length, bytes   its bitmap (Roaring's portable format)
//
// The directory of a segment says, for each field, how many chunks there are and, for
// each but the first, the first value in it. Lengths and numbers are varints.

// chunkBytes is what a chunk is cut at.
const chunkBytes = 4 << 10

// errChunk says that a chunk is not as it was written.
var errChunk = errors.New("what a segment holds of a field is damaged")

// chunker puts a table together; write is given each chunk, and must not keep it.
type chunker struct {
	write  func(number int, chunk []byte) error
	buf    []byte
	firsts []string // of each chunk but the first
}

// add takes the next value.
func (c *chunker) add(value string, entries []uint32) error {
	bitmap := roaring.BitmapOf(entries...)
	bitmap.RunOptimize()
	encoded, err := bitmap.ToBytes()
	if err != nil {
		return err
	}
	if len(c.buf)+len(encoded) > chunkBytes && len(c.buf) > 0 {
		if err := c.flush(); err != nil {
			return err
		}
		c.firsts = append(c.firsts, value)
	}
	c.buf = appendPiece(appendPiece(c.buf, []byte(value)), encoded)
	return nil
}

// flush writes a chunk; after the last value, the last one.
func (c *chunker) flush() error {
	err := c.write(len(c.firsts), c.buf)
	c.buf = c.buf[:0]
	return err
}

// appendDirectory appends what a segment's directory says of a field.
func appendDirectory(dst []byte, firsts []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(firsts)))
	for _, first := range firsts {
		dst = appendPiece(dst, []byte(first))
	}
	return dst
}

// chunkOf returns which of a field's chunks has a value, if any has. Errors: errChunk.
func chunkOf(directory []byte, field int, value string) (number int, err error) {
	for ; field >= 0; field-- {
		count, n := binary.Uvarint(directory)
		if n <= 0 {
			return 0, fmt.Errorf("%w: its directory ends", errChunk)
		}
		directory, number = directory[n:], 0
		for range count {
			var first []byte
			if first, directory, err = cutPiece(directory); err != nil {
				return 0, err
			}
			if string(first) <= value {
				number++
			}
		}
	}
	return number, nil
}

func appendPiece(dst, piece []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(piece))), piece...)
}

func cutPiece(b []byte) (piece, rest []byte, err error) {
	size, n := binary.Uvarint(b)
	if n <= 0 || size > uint64(len(b)-n) {
		return nil, nil, fmt.Errorf("%w: a length of %d in %d bytes", errChunk, size, len(b))
	}
	return b[n:][:size], b[n:][size:], nil
}

// findInChunk returns the bitmap of a value, sharing the chunk's memory; nil where no
// entry holds it. Errors: errChunk.
func findInChunk(chunk []byte, value string) (*roaring.Bitmap, error) {
	for len(chunk) > 0 {
		found, rest, err := cutPiece(chunk)
		if err != nil {
			return nil, err
		}
		encoded, rest, err := cutPiece(rest)
		if err != nil {
			return nil, err
		}
		if string(found) == value {
			return readBitmap(encoded)
		}
		chunk = rest
	}
	return nil, nil
}

func readBitmap(encoded []byte) (*roaring.Bitmap, error) {
	b := roaring.New()
	n, err := b.FromBuffer(encoded)
	if err == nil && n != int64(len(encoded)) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a bitmap of %d bytes: %w", errChunk, len(encoded), err)
	}
	return b, nil
}
