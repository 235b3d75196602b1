//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// widthOf is the terminal's, or 80 where w is none.
func widthOf(w io.Writer) int {
	if p, ok := w.(*printed); ok {
		w = p.to
	}
	f, ok := w.(*os.File)
	if !ok {
		return unknownWidth
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ) //nolint:gosec // a file descriptor
	if err != nil || size.Col == 0 {
		return unknownWidth
	}
	return int(size.Col)
}
