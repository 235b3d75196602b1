//go:build !linux

package main

import (
	"io/fs"
	"os"
)

func dataSync(file *os.File) error { return file.Sync() }

func taken(info fs.FileInfo) uint64 { return uint64(max(0, info.Size())) }
