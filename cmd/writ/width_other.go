//go:build !unix

package main

import "io"

func widthOf(io.Writer) int { return unknownWidth }
