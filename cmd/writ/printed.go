package main

import (
	"fmt"
	"io"
)

// printed is standard output. It remembers the first write that failed, so that a
// command whose words were lost does not end as if they had been read.
type printed struct {
	to  io.Writer
	err error
}

// Write writes nothing more once a write has failed: half a line is worse than none.
func (p *printed) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.to.Write(b)
	p.err = err
	return n, err
}

// complete is what a command ended with, or that its output is not all there.
func (p *printed) complete(err error) error {
	if p.err != nil {
		return fmt.Errorf("standard output: %w: what was printed is not complete; run the command again with room for its output", p.err)
	}
	return err
}
