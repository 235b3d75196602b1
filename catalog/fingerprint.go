package catalog

import (
	"crypto/sha256"
	"encoding/hex"
)

// The versions of the two formats; see the package comment.
const (
	fingerprintVersion = "fp1"
	proseVersion       = "pd1"
)

// ContractDocument returns the bytes that the fingerprint is taken over.
func (ts *ToolSet) ContractDocument() []byte {
	return ts.document(fingerprintVersion, func(t *Tool) []byte { return t.Contract })
}

// ProseDocument returns the bytes that the prose digest is taken over.
func (ts *ToolSet) ProseDocument() []byte {
	return ts.document(proseVersion, func(t *Tool) []byte { return t.Prose })
}

func (ts *ToolSet) document(version string, part func(*Tool) []byte) []byte {
	size := 64
	for i := range ts.Tools {
		size += len(ts.Tools[i].Name) + len(part(&ts.Tools[i])) + 8
	}
	dst := append(make([]byte, 0, size), `{"tools":{`...)
	for i := range ts.Tools {
		dst = append(quote(dst, ts.Tools[i].Name), ':')
		dst = append(append(dst, part(&ts.Tools[i])...), ',')
	}
	dst = append(closed(dst, '}'), `,"version":`...)
	return append(quote(dst, version), '}')
}

func digest(version string, document []byte) string {
	sum := sha256.Sum256(document)
	return version + ":" + hex.EncodeToString(sum[:])
}

// closed ends an array or object, whose last element left a comma behind.
func closed(dst []byte, end byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, end)
}
