package decisions

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// ConsistencyHeader begins a ConsistencyFile.
const ConsistencyHeader = "writ.dev/consistency-proof"

// ConsistencyFile proves offline, to whoever has a log's public key, that a log only
// grew: that its first From entries, whose tree has the root FromRoot, are the beginning
// of those that the checkpoint is of. As text:
//
//	writ.dev/consistency-proof
//	from 1000 gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
//	B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
//
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab
//	1743
//	qIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWQ=
//
//	— writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab wXyZ…
//
// The lines are the smaller tree, the hashes of RFC 6962 §2.1.2, and, after an empty
// line, the signed checkpoint.
type ConsistencyFile struct {
	From       uint64
	FromRoot   Hash
	Path       []Hash
	Checkpoint []byte
}

// Text returns the file's content.
func (p ConsistencyFile) Text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nfrom %d %s\n", ConsistencyHeader, p.From, base64.StdEncoding.EncodeToString(p.FromRoot[:]))
	for _, h := range p.Path {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	b.WriteByte('\n')
	b.Write(p.Checkpoint)
	return b.Bytes()
}

// ParseConsistencyFile reads what Text wrote. It proves nothing yet: Check does. Errors:
// ErrProof, with the line.
func ParseConsistencyFile(text []byte) (ConsistencyFile, error) {
	if len(text) > MaxProofFile {
		return ConsistencyFile{}, fmt.Errorf("%w: %d bytes, expected at most %d", ErrProof, len(text), MaxProofFile)
	}
	head, checkpoint, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if lines[0] != ConsistencyHeader || !found {
		return ConsistencyFile{}, fmt.Errorf("%w: expected %s, and an empty line with a checkpoint after it", ErrProof, ConsistencyHeader)
	}
	from, ok := strings.CutPrefix(lineAt(lines, 1), "from ")
	digits, root, _ := strings.Cut(from, " ")
	size, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil || strconv.FormatUint(size, 10) != digits {
		return ConsistencyFile{}, fmt.Errorf("%w: line 2: %.64q, expected from, a tree's size and its root", ErrProof, lineAt(lines, 1))
	}
	roots, err := parsePath([]string{root}, 1)
	if err != nil {
		return ConsistencyFile{}, err
	}
	path, err := parsePath(lines[2:], 2)
	return ConsistencyFile{From: size, FromRoot: roots[0], Path: path, Checkpoint: []byte(checkpoint)}, err
}

// Check checks the checkpoint's signature by the key for trees of its size, and that the
// smaller tree is the beginning of the one that it is of, and returns the checkpoint.
// Errors: ErrCheckpoint, ErrProof.
func (p ConsistencyFile) Check(ring KeyRing) (Checkpoint, error) {
	c, err := ring.ParseCheckpoint(p.Checkpoint)
	if err != nil {
		return Checkpoint{}, err
	}
	if err := (Consistency{From: p.From, Size: c.Size, Path: p.Path}).Check(p.FromRoot, c.Root); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}
