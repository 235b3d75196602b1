package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// protocolLines passes on only lines that can be JSON-RPC. Some servers print a
// banner on standard output; it goes to beside, so that a person sees it.
func protocolLines(from io.Reader, beside io.Writer) *io.PipeReader {
	if beside == nil {
		beside = io.Discard
	}
	out, in := io.Pipe()
	go func() {
		r := bufio.NewReader(from)
		for {
			line, err := r.ReadBytes('\n')
			if text := bytes.TrimSpace(line); len(text) > 0 {
				if text[0] == '{' {
					_, werr := in.Write(append(text, '\n'))
					err = errors.Join(err, werr)
				} else {
					_, _ = fmt.Fprintf(beside, "not protocol: %q\n", text)
				}
			}
			if err != nil {
				_ = in.CloseWithError(io.EOF)
				return
			}
		}
	}()
	return out
}
