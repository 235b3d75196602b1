package ledger

import (
	"bytes"
	"errors"
	"io"
)

const chunk = 256 << 10

// scanner reads a file forwards through a buffer.
type scanner struct {
	file  File
	buf   []byte
	at    int64 // of buf in the file
	ahead int   // how much is read at once; 0: chunk
}

// peek returns n bytes at an offset; fewer only at the file's end. They are good
// until the next peek.
func (s *scanner) peek(offset int64, n int) ([]byte, error) {
	if offset >= s.at && offset+int64(n) <= s.at+int64(len(s.buf)) {
		return s.buf[offset-s.at:][:n], nil
	}
	size := max(n, defaulted(s.ahead, chunk))
	if cap(s.buf) < size {
		s.buf = make([]byte, size)
	}
	got, err := s.file.ReadAt(s.buf[:size], offset)
	s.buf, s.at = s.buf[:got], offset
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return s.buf[:min(n, got)], nil
}

// forget drops the buffer, so that the next peek sees what was written since.
func (s *scanner) forget() { s.buf = s.buf[:0] }

// frameAt reads the frame at an offset. Errors: errNoFrame, errBadFrame, the disk's.
func (s *scanner) frameAt(offset int64, m mark) (frame, error) {
	head, err := s.peek(offset, frameHeader)
	if err != nil {
		return frame{}, err
	}
	size, err := frameSize(head, m)
	if err != nil {
		return frame{}, err
	}
	whole, err := s.peek(offset, size)
	if err != nil {
		return frame{}, err
	}
	return parseFrame(whole, m)
}

// zeroFrom returns the lowest offset from which all bytes up to size are zero.
func zeroFrom(f File, from, size int64) (int64, error) {
	s, end := scanner{file: f}, from
	for at := from; at < size; {
		b, err := s.peek(at, int(min(chunk, size-at)))
		if err != nil {
			return 0, err
		}
		if len(b) == 0 {
			break
		}
		if !allZero(b) {
			end = at + int64(len(bytes.TrimRight(b, "\x00")))
		}
		at += int64(len(b))
	}
	return end, nil
}

// findMark returns the offset of the first mark at or after an offset, or -1.
func findMark(f File, m mark, from, size int64) (int64, error) {
	s := scanner{file: f}
	for at := from; at+markSize <= size; at += chunk - markSize + 1 {
		b, err := s.peek(at, int(min(chunk, size-at)))
		if err != nil {
			return 0, err
		}
		if i := bytes.Index(b, m[:]); i >= 0 {
			return at + int64(i), nil
		}
	}
	return -1, nil
}

func allZero(b []byte) bool {
	var zeros [4096]byte
	for len(b) > len(zeros) {
		if !bytes.Equal(b[:len(zeros)], zeros[:]) {
			return false
		}
		b = b[len(zeros):]
	}
	return bytes.Equal(b, zeros[:len(b)])
}
