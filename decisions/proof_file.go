package decisions

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// MaxProofFile is how large a proof file may be, in bytes.
const MaxProofFile = 256 << 10

const proofHeader = "c2sp.org/tlog-proof@v1"

// ProofFile proves offline, to whoever has a log's public key, that an entry is in
// that log. As text it is a C2SP tlog-proof:
//
//	c2sp.org/tlog-proof@v1
//	extra CgZ0b29s…
//	index 1742
//	gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=
//	B95lDa8R83lS8n0eG+o0buTxRKQTYFi//1U8anccXmA=
//
//	writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab
//	1743
//	qIlIU3CkpdAI0rtRnYk4i9FMOlu2pj5VTXhA7ljBRWQ=
//
//	— writ.dev/log/5f3c09ab5f3c09ab5f3c09ab5f3c09ab wXyZ…
//
// The lines are the entry's bytes as stored (may be left out), its place, the hashes
// from the leaf's sibling to the root's child, and, after an empty line, the signed
// checkpoint. Base64 is the standard one.
type ProofFile struct {
	Index uint64
	// Entry is nil where the reader has the entry, or its leaf hash, from elsewhere.
	Entry      []byte
	Path       []Hash
	Checkpoint []byte
}

// Text returns the file's content.
func (p ProofFile) Text() []byte {
	var b bytes.Buffer
	b.WriteString(proofHeader + "\n")
	if len(p.Entry) > 0 {
		b.WriteString("extra " + base64.StdEncoding.EncodeToString(p.Entry) + "\n")
	}
	b.WriteString("index " + strconv.FormatUint(p.Index, 10) + "\n")
	for _, h := range p.Path {
		b.WriteString(base64.StdEncoding.EncodeToString(h[:]) + "\n")
	}
	b.WriteByte('\n')
	b.Write(p.Checkpoint)
	return b.Bytes()
}

// ParseProofFile reads what Text wrote. It proves nothing yet: Check does. Errors:
// ErrProof, with the line.
func ParseProofFile(text []byte) (ProofFile, error) {
	if len(text) > MaxProofFile {
		return ProofFile{}, fmt.Errorf("%w: %d bytes, expected at most %d", ErrProof, len(text), MaxProofFile)
	}
	head, checkpoint, found := strings.Cut(string(text), "\n\n")
	lines := strings.Split(head, "\n")
	if lines[0] != proofHeader {
		return ProofFile{}, fmt.Errorf("%w: line 1: %.64q, expected %s", ErrProof, lines[0], proofHeader)
	}
	if !found {
		return ProofFile{}, fmt.Errorf("%w: no empty line with a checkpoint after it", ErrProof)
	}
	p, at := ProofFile{Checkpoint: []byte(checkpoint)}, 1
	if extra, ok := strings.CutPrefix(lineAt(lines, at), "extra "); ok {
		entry, err := base64.StdEncoding.Strict().DecodeString(extra)
		if err != nil || len(entry) == 0 || len(entry) > MaxEntry {
			return ProofFile{}, fmt.Errorf("%w: line 2: expected an entry of at most %d bytes in base64", ErrProof, MaxEntry)
		}
		p.Entry, at = entry, at+1
	}
	digits, ok := strings.CutPrefix(lineAt(lines, at), "index ")
	index, err := strconv.ParseUint(digits, 10, 63)
	if !ok || err != nil || strconv.FormatUint(index, 10) != digits {
		return ProofFile{}, fmt.Errorf("%w: line %d: %.64q, expected index and the entry's place in decimal", ErrProof, at+1, lineAt(lines, at))
	}
	p.Index, at = index, at+1
	p.Path, err = parsePath(lines[at:], at)
	if err != nil {
		return ProofFile{}, err
	}
	return p, nil
}

func lineAt(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return ""
}

func parsePath(lines []string, before int) ([]Hash, error) {
	if len(lines) > maxPath {
		return nil, fmt.Errorf("%w: %d hashes, expected at most %d", ErrProof, len(lines), maxPath)
	}
	var path []Hash
	for i, line := range lines {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(h) != len(Hash{}) {
			return nil, fmt.Errorf("%w: line %d: %.64q, expected 32 bytes in base64", ErrProof, before+i+1, line)
		}
		path = append(path, Hash(h))
	}
	return path, nil
}

// Check checks the checkpoint's signature by the key for trees of its size, and that the leaf stands at Index in
// the tree that it is of, and returns the checkpoint. Errors: ErrCheckpoint, ErrProof.
func (p ProofFile) Check(leaf Hash, ring KeyRing) (Checkpoint, error) {
	c, err := ring.ParseCheckpoint(p.Checkpoint)
	if err != nil {
		return Checkpoint{}, err
	}
	if err := (Inclusion{Index: p.Index, Size: c.Size, Path: p.Path}).Check(leaf, c.Root); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}
