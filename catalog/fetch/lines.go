package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/writ-dev/writ/decisions"
)

// maxList bounds a list, all pages together, in bytes, as what reads it does, and so
// what one line of a server takes in memory: a page is one line.
const maxList = decisions.DefaultSize

// ErrTooLong says that a server printed more than a tool list may hold (R16).
var ErrTooLong = errors.New("the server said too much")

// filter passes on only lines that can be JSON-RPC. Some servers print a banner on
// standard output; it goes to beside, so that a person sees it.
type filter struct {
	*io.PipeReader
	done chan struct{} // closed when nothing is written to beside any more
}

func protocolLines(from io.Reader, beside io.Writer) *filter {
	out, in := io.Pipe()
	f := &filter{PipeReader: out, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		_ = in.CloseWithError(pass(bufio.NewReader(from), in, beside))
	}()
	return f
}

// pass ends with io.EOF or what stopped it.
func pass(from *bufio.Reader, in, beside io.Writer) error {
	for {
		line, err := readLine(from)
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0, errors.Is(err, ErrTooLong):
		case text[0] == '{':
			if _, werr := in.Write(append(text, '\n')); werr != nil {
				return werr
			}
		default:
			_, _ = fmt.Fprintf(beside, "not protocol: %q\n", text)
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns a line and its end, or what there is of it and why no more came.
func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := from.ReadSlice('\n')
		if len(line)+len(piece) > maxList {
			return nil, fmt.Errorf("%w: a line of its standard output is over %d bytes: expected JSON-RPC, one message a line, and lists of at most that size", ErrTooLong, maxList)
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// shared lets the server's own standard error and the filter write to one place.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

// Write is safe for concurrent use.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}
