package fetch

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
)

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
		line, err := from.ReadBytes('\n')
		switch text := bytes.TrimSpace(line); {
		case len(text) == 0:
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
