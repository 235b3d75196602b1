package catalog

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// File is one document of a catalogue, as it was read.
type File struct {
	// Path is relative to the catalogue's directory, with slashes.
	Path string
	Data []byte
}

// Catalog is what people have reviewed and released, as one directory said it at
// one time. It is immutable and safe for concurrent use. The zero value is an
// empty catalogue: every call is unclassified and every server unpinned.
type Catalog struct {
	revision string
	files    []File
	warnings []Finding
	toolsets map[string]*ToolSet
	releases map[releaseKey]*released
	actions  map[actionKey]*action
}

type releaseKey struct{ workspace, automation, release string }

type actionKey struct{ workspace, method string }

// Revision names the catalogue's content: "sha256:" and 64 hex digits over the
// paths and bytes of all its files.
func (c *Catalog) Revision() string { return c.revision }

// Files returns every document of the catalogue, sorted by path. The caller must
// not change them.
func (c *Catalog) Files() []File { return c.files }

// Warnings returns what a person should know although it stops nothing.
func (c *Catalog) Warnings() []Finding { return c.warnings }

// ToolSet returns the list with this fingerprint, or nil when the catalogue holds
// none. It lets a refusal say in words what changed, and pins nothing (R14).
func (c *Catalog) ToolSet(fingerprint string) *ToolSet { return c.toolsets[fingerprint] }

// revision hashes each path and content behind its length, so that no two sets of
// files share a revision.
func revision(files []File) string {
	h := sha256.New()
	var length [8]byte
	write := func(b []byte) {
		binary.BigEndian.PutUint64(length[:], uint64(len(b)))
		h.Write(length[:])
		h.Write(b)
	}
	for _, f := range files {
		write([]byte(f.Path))
		write(f.Data)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
