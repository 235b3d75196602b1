package catalog

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// Bounds of a catalogue's directory. A tool list is bounded by its parser.
const (
	maxFiles    = 20_000
	maxYAML     = 1 << 20
	maxToolSet  = 16 << 20
	maxAllFiles = 512 << 20
)

// directories are the places of documents, and what their names end in.
func directories() map[string]string {
	return map[string]string{
		"actions":    ".yaml",
		"releases":   ".yaml",
		"reviews":    ".yaml",
		"superseded": ".yaml",
		"toolsets":   ".json",
	}
}

// directory returns the first element of a path.
func directory(file string) string {
	dir, _, _ := strings.Cut(file, "/")
	return dir
}

// read returns the catalogue's documents, sorted by path. What looks like a
// document in a place where nobody would read it is a finding; hidden files and
// other kinds are not part of a catalogue.
func (l *loader) read(fsys fs.FS) []File {
	var files []File
	total := 0
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.unreadable(name, err)
		case strings.HasPrefix(path.Base(name), ".") && name != ".":
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && l.belongs(name):
			data, ok := l.readFile(fsys, name)
			if ok {
				files = append(files, File{name, data})
			}
			if total += len(data); len(files) > maxFiles || total > maxAllFiles {
				return fmt.Errorf("more than %d files or %d bytes", maxFiles, maxAllFiles)
			}
		}
		return nil
	})
	if err != nil {
		l.add(Finding{File: ".", Code: codeTooLarge, Message: err.Error(), Fix: "split the catalogue"})
	}
	return files
}

// belongs reports whether a file is a document of the catalogue.
func (l *loader) belongs(name string) bool {
	ext := path.Ext(name)
	if want, known := directories()[directory(name)]; known && ext == want && strings.Contains(name, "/") {
		return true
	}
	switch ext {
	case ".yaml", ".yml", ".json":
		l.add(Finding{File: name, Code: codeMisplaced, Message: "nothing reads this file",
			Fix: "move it to actions/, releases/, reviews/ or superseded/ (.yaml) or toolsets/ (.json)"})
	}
	return false
}

func (l *loader) readFile(fsys fs.FS, name string) ([]byte, bool) {
	limit := maxYAML
	if path.Ext(name) == ".json" {
		limit = maxToolSet
	}
	info, err := fs.Stat(fsys, name)
	if err != nil {
		l.unreadable(name, err)
		return nil, false
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait for who writes it
		l.add(Finding{File: name, Code: codeUnreadable, Message: "is " + modeWords(info.Mode()), Fix: "put a regular file, or a link to one, in its place"})
		return nil, false
	}
	f, err := fsys.Open(name)
	if err != nil {
		l.unreadable(name, err)
		return nil, false
	}
	defer f.Close() //nolint:errcheck // Opened for reading; a failed close loses nothing.
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		l.unreadable(name, err)
		return nil, false
	}
	if len(data) > limit {
		l.add(Finding{File: name, Code: codeTooLarge, Message: fmt.Sprintf("the file is larger than %d bytes", limit), Fix: "split it, or leave out what no release uses"})
		return nil, false
	}
	return data, true
}

func (l *loader) unreadable(name string, err error) {
	l.add(Finding{File: name, Code: codeUnreadable, Message: err.Error(), Fix: "make the file readable"})
}

// modeWords says what a name stands for where it is no regular file.
func modeWords(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeDir:
		return "a directory"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	}
	return "a device"
}
