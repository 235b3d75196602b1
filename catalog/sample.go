package catalog

import (
	"embed"
	"io/fs"
)

//go:embed sample
var sampleFiles embed.FS

// Sample returns the catalogue that "writ demo" starts with: workspace demo.
func Sample() (fs.FS, error) { return fs.Sub(sampleFiles, "sample") }
