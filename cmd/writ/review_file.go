package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/writ-dev/writ/catalog"
)

// errNotInCatalog says that a file is not where a catalogue's reviews are.
var errNotInCatalog = errors.New("is not below the directory reviews of a catalogue: name a file like catalog/reviews/mail.yaml")

// reviewFile is a review that a command edits.
type reviewFile struct {
	// root is the catalogue's directory; name is the file's path in it, with slashes.
	root, name string
}

// inCatalog splits a path at the catalogue's directory.
func inCatalog(file string) (reviewFile, error) {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(file)), "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "reviews" {
			root := strings.Join(parts[:i], "/")
			if i == 0 {
				root = "."
			} else if root == "" {
				root = "/"
			}
			return reviewFile{filepath.FromSlash(root), path.Join(parts[i:]...)}, nil
		}
	}
	return reviewFile{}, fmt.Errorf("%s %w", file, errNotInCatalog)
}

// open reads the review and the list that it names.
func (f reviewFile) open(now time.Time) (*catalog.ReviewDraft, error) {
	return catalog.OpenReviewDraft(os.DirFS(f.root), f.name, now)
}

// path is where a file of the catalogue lies.
func (f reviewFile) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

// change replaces a file as a whole: a reader sees the old text or the new one, and what
// someone else has written meanwhile is not lost.
func (f reviewFile) change(name string, before, after []byte) error {
	target, err := filepath.EvalSymlinks(f.path(name))
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	part, err := writePart(target, after, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer os.Remove(part) //nolint:errcheck // After the renaming there is nothing to remove.
	now, err := os.ReadFile(target)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, before) {
		return fmt.Errorf("%s was changed meanwhile, so nothing is written: run the command again", target)
	}
	return os.Rename(part, target)
}

// create writes a file that is not there yet, whole or not at all, and reports whether it
// was needed: one that is there with the same content is left alone.
func (f reviewFile) create(name string, data []byte) (created bool, err error) {
	target := f.path(name)
	there, err := os.ReadFile(target)
	switch {
	case err == nil && bytes.Equal(there, data):
		return false, nil
	case err == nil:
		return false, fmt.Errorf("%s is there with another content: name another file", target)
	case !errors.Is(err, fs.ErrNotExist):
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil { //nolint:gosec // documents that a person edits and shares
		return false, err
	}
	part, err := writePart(target, data, 0o644)
	if err != nil {
		return false, err
	}
	defer os.Remove(part) //nolint:errcheck // After the renaming there is nothing to remove.
	return true, os.Rename(part, target)
}

// writePart writes a hidden file beside its target, which catalogues leave alone.
func writePart(target string, data []byte, mode fs.FileMode) (name string, err error) {
	part, err := os.CreateTemp(filepath.Dir(target), ".part-*")
	if err != nil {
		return "", err
	}
	_, err = part.Write(data)
	err = errors.Join(err, part.Chmod(mode), part.Sync(), part.Close())
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return part.Name(), err
}
