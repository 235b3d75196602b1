package ledger

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/RoaringBitmap/roaring/v2"
)

// What a sealed segment holds of a field is a table of its values in order, each with
// the bitmap of the entries that hold it, cut into chunks. A chunk is
//
//	length, bytes   the last value of the chunk before; empty in the first
//	for each value
//	length, bytes   the value
//	length, bytes   its bitmap (Roaring's portable format)
//
// with each length as a varint. A chunk stands under its own last value; the last one
// under 0xff, which no value begins with (they are UTF-8). So the first chunk at or
// behind a value is the one that has it, if any has: and since a chunk says where it
// begins, one that went missing is noticed.
const (
	chunkBytes = 16 << 10 // what a chunk is cut at
	lastChunk  = "\xff"
)

// errChunk says that a chunk is not as it was written, or is missing.
var errChunk = errors.New("what a segment holds of a field is damaged")

// chunker puts a table together; write is given each chunk with what it stands under,
// and must not keep it.
type chunker struct {
	write func(under string, chunk []byte) error
	buf   []byte
	last  string
}

func newChunker(write func(string, []byte) error) *chunker {
	return &chunker{write: write, buf: appendPiece(nil, nil)}
}

// add takes the next value.
func (c *chunker) add(value string, entries []uint32) error {
	bitmap := roaring.BitmapOf(entries...)
	bitmap.RunOptimize()
	encoded, err := bitmap.ToBytes()
	if err != nil {
		return err
	}
	if len(c.buf)+len(encoded) > chunkBytes && c.last != "" {
		if err := c.write(c.last, c.buf); err != nil {
			return err
		}
		c.buf = appendPiece(c.buf[:0], []byte(c.last))
	}
	c.buf = appendPiece(appendPiece(c.buf, []byte(value)), encoded)
	c.last = value
	return nil
}

// finish writes the last chunk; there is always one.
func (c *chunker) finish() error { return c.write(lastChunk, c.buf) }

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

// findInChunk returns the bitmap of a value; nil where no entry holds it. Errors: errChunk, also where the chunk begins behind the value.
func findInChunk(chunk []byte, value string) (*roaring.Bitmap, error) {
	after, rest, err := cutPiece(chunk)
	if err != nil {
		return nil, err
	}
	if len(after) > 0 && string(after) >= value {
		return nil, fmt.Errorf("%w: the chunk for %q begins behind %q", errChunk, value, after)
	}
	for len(rest) > 0 {
		var found, encoded []byte
		if found, rest, err = cutPiece(rest); err == nil {
			encoded, rest, err = cutPiece(rest)
		}
		if err != nil {
			return nil, err
		}
		if string(found) == value {
			return readBitmap(encoded)
		}
	}
	return nil, nil
}

// readBitmap copies: the chunk's memory is the database's, and ends with its reader.
func readBitmap(encoded []byte) (*roaring.Bitmap, error) {
	b := roaring.New()
	n, err := b.FromBuffer(bytes.Clone(encoded))
	if err == nil && n == int64(len(encoded)) {
		err = b.Validate()
	} else if err == nil {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a bitmap of %d bytes: %w", errChunk, len(encoded), err)
	}
	return b, nil
}
