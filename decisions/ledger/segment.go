package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/writ-dev/writ/decisions"
)

const (
	segmentMagic  = "WRITSEG\n"
	segmentFormat = 1
	segmentHeader = 128
	segmentCRCAt  = 88
)

var (
	errHeader    = errors.New("no segment header")
	errBlank     = fmt.Errorf("%w: it is blank", errHeader)
	errBadHeader = fmt.Errorf("%w: it is damaged", errHeader)
)

// header begins a segment file.
type header struct {
	number uint32
	logID  [16]byte
	first  uint64
	size   uint64
	prev   decisions.Hash
	mark   mark
}

func (h header) encode() []byte {
	b := make([]byte, segmentHeader)
	copy(b, segmentMagic)
	binary.BigEndian.PutUint32(b[8:], segmentFormat)
	binary.BigEndian.PutUint32(b[12:], h.number)
	copy(b[16:], h.logID[:])
	binary.BigEndian.PutUint64(b[32:], h.first)
	binary.BigEndian.PutUint64(b[40:], h.size)
	copy(b[48:], h.prev[:])
	copy(b[80:], h.mark[:])
	binary.BigEndian.PutUint32(b[segmentCRCAt:], crc32.Checksum(b[:segmentCRCAt], castagnoli()))
	return b
}

// parseHeader reads a segment's header. The magic, the format and the checksum stay
// where they are in every later format. Errors: errBlank, errBadHeader, ErrNewer.
func parseHeader(b []byte) (header, error) {
	if len(b) < segmentHeader {
		return header{}, fmt.Errorf("%w: %d bytes of %d", errBadHeader, len(b), segmentHeader)
	}
	if allZero(b[:segmentHeader]) {
		return header{}, errBlank
	}
	if string(b[:8]) != segmentMagic {
		return header{}, fmt.Errorf("%w: it begins with %q, expected %q", errBadHeader, b[:8], segmentMagic)
	}
	if got, want := crc32.Checksum(b[:segmentCRCAt], castagnoli()), binary.BigEndian.Uint32(b[segmentCRCAt:]); got != want {
		return header{}, fmt.Errorf("%w: its checksum is %08x, stored is %08x", errBadHeader, got, want)
	}
	if format := binary.BigEndian.Uint32(b[8:]); format != segmentFormat {
		return header{}, fmt.Errorf("%w: format %d, this version reads up to %d: start a newer version", ErrNewer, format, segmentFormat)
	}
	if rest := b[segmentCRCAt+4 : segmentHeader]; !allZero(rest) {
		return header{}, fmt.Errorf("%w: bytes %d to %d are not zeros", errBadHeader, segmentCRCAt+4, segmentHeader-1)
	}
	return header{
		number: binary.BigEndian.Uint32(b[12:]),
		logID:  [16]byte(b[16:32]),
		first:  binary.BigEndian.Uint64(b[32:]),
		size:   binary.BigEndian.Uint64(b[40:]),
		prev:   decisions.Hash(b[48:80]),
		mark:   mark(b[80:88]),
	}, nil
}

// segment is an open log file.
type segment struct {
	header
	name string
	file File
	// directory of the fields in the index, once it was read.
	directory atomic.Pointer[[]byte]
}

// numbered returns the segment of a number, nil where it is not among these. They stand
// in order, without a gap; the first need not be 0.
func numbered(segments []*segment, number uint32) *segment {
	if len(segments) == 0 || number < segments[0].number || number-segments[0].number >= uint32(len(segments)) {
		return nil
	}
	return segments[number-segments[0].number]
}

func segmentName(dir string, number uint32) string {
	return filepath.Join(dir, fmt.Sprintf("%08d.seg", number))
}

// openSegment opens a file and reads its header; on a header error the segment is
// returned too, open.
func openSegment(disk FS, dir string, number uint32, flag int) (*segment, error) {
	s := &segment{name: segmentName(dir, number)}
	f, err := disk.OpenFile(s.name, flag, 0)
	if err != nil {
		return nil, err
	}
	s.file = f
	return s, s.read(number)
}

// read reads the header.
func (s *segment) read(number uint32) error {
	head := make([]byte, segmentHeader)
	n, err := s.file.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	s.header, err = parseHeader(head[:n])
	if err == nil && s.number != number {
		err = fmt.Errorf("%w: it is segment %d's", errBadHeader, s.number)
	}
	return err
}

// segmentNumber is the number in a segment file's name.
func segmentNumber(name string) (uint32, bool) { return fileNumber(name, ".seg") }

func fileNumber(name, extension string) (uint32, bool) {
	digits, found := strings.CutSuffix(name, extension)
	number, err := strconv.ParseUint(digits, 10, 32)
	return uint32(number), found && err == nil
}

// lastSegment returns the number behind the last segment file: from the first on they
// stand without a gap. Those before it are left over from a prune.
func lastSegment(disk FS, dir string, first uint32) (uint32, error) {
	files, err := disk.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	end := first
	for _, f := range files {
		number, isSegment := segmentNumber(f.Name())
		if !isSegment || number < first {
			continue
		}
		if number != end {
			return 0, fmt.Errorf("%w: %s is missing: %s", ErrDamaged, segmentName(dir, end), restore)
		}
		end++
	}
	return end, nil
}

// openSegments opens every segment that was begun, from the log's origin on. blank is
// the number of a prepared file after them that holds nothing, or would.
func openSegments(disk FS, dir string, flag int, from origin) (begun []*segment, blank uint32, err error) {
	end, err := lastSegment(disk, dir, from.segment)
	if err != nil {
		return nil, 0, err
	}
	if end == from.segment && from.pruned != nil {
		return nil, 0, fmt.Errorf("%w: %s is missing: %s", ErrDamaged, segmentName(dir, end), restore)
	}
	for number := from.segment; number < end; number++ {
		s, err := openSegment(disk, dir, number, flag)
		if s != nil {
			begun = append(begun, s)
		}
		if number == end-1 && errors.Is(err, errHeader) {
			unused, readErr := isUnused(s)
			if unused {
				return begun[:len(begun)-1], number, s.file.Close()
			}
			if err = readErr; err == nil { // a writer may have begun it since the first look
				err = s.read(number)
			}
		}
		if err == nil {
			err = checkSegment(begun, from)
		}
		if err != nil {
			return nil, 0, errors.Join(headerError(dir, number, err), closeSegments(begun))
		}
	}
	return begun, end, nil
}

func headerError(dir string, number uint32, err error) error {
	if !errors.Is(err, errHeader) {
		return fmt.Errorf("%s: %w", segmentName(dir, number), err)
	}
	return fmt.Errorf("%w: %s, offset 0: %w: %s", ErrDamaged, segmentName(dir, number), err, restore)
}

// checkSegment compares the last segment's header with its file and what stands before.
func checkSegment(segments []*segment, from origin) error {
	s := segments[len(segments)-1]
	size, err := s.file.Size()
	if err != nil {
		return err
	}
	if uint64(size) != s.size {
		return fmt.Errorf("%w: the file has %d bytes, its header says %d", errBadHeader, size, s.size)
	}
	if len(segments) == 1 {
		if s.first != from.first || s.prev != from.prev {
			return fmt.Errorf("%w: the log begins with entry %d and continues %x, expected %d and %x", errBadHeader, s.first, s.prev[:4], from.first, from.prev[:4])
		}
		return nil
	}
	before := segments[len(segments)-2]
	if s.logID != before.logID || s.first <= before.first {
		return fmt.Errorf("%w: log %x from entry %d does not continue log %x from entry %d", errBadHeader, s.logID, s.first, before.logID, before.first)
	}
	return nil
}

// isUnused tells a last segment in which nothing durable was ever written: its
// header is synced before the first batch, so a bad header with nothing behind it is
// one that never became durable.
func isUnused(s *segment) (bool, error) {
	size, err := s.file.Size()
	if err != nil {
		return false, err
	}
	blank, err := zeroFrom(s.file, segmentHeader, size)
	return blank == segmentHeader, err
}

func closeSegments(segments []*segment) error {
	var errs []error
	for _, s := range segments {
		errs = append(errs, s.file.Close())
	}
	return errors.Join(errs...)
}

func (h header) log() string { return hex.EncodeToString(h.logID[:]) }

const (
	readOnly  = os.O_RDONLY
	readWrite = os.O_RDWR
)
