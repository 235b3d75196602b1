package main

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dataSync is fdatasync: it leaves out times that nobody needs.
func dataSync(file *os.File) error { return unix.Fdatasync(int(file.Fd())) }

// taken is the space that a file takes, in bytes: holes take none. st_blocks counts in
// units of 512 bytes, whatever the file system's are (stat(2)).
func taken(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(max(0, stat.Blocks)) * 512
	}
	return uint64(max(0, info.Size()))
}
