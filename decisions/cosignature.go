package decisions

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// ErrCosigner says that a text is no witness's verifier key.
var ErrCosigner = errors.New("not a witness's verifier key")

const (
	algCosignature = 4 // C2SP signed-note: timestamped Ed25519 cosignature
	timestampSize  = 8
)

// Cosigner checks a witness's cosignatures of checkpoints (C2SP tlog-cosignature, the
// Ed25519 kind). It is a note.Verifier.
type Cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

// NewCosigner reads a witness's verifier key: name, 8 hex digits of its hash, and base64
// of the byte 4 and the Ed25519 public key, with + between them. Errors: ErrCosigner.
func NewCosigner(key string) (*Cosigner, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(key), "+")
	digits, encoded, _ := strings.Cut(rest, "+")
	raw, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(raw) != 1+ed25519.PublicKeySize || raw[0] != algCosignature || name == "" || strings.ContainsAny(name, " \n") {
		return nil, fmt.Errorf("%w: %.120q: expected name+hash+key of the Ed25519 cosignature kind, whose key begins with B", ErrCosigner, key)
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
	c := &Cosigner{name: name, hash: binary.BigEndian.Uint32(sum[:]), key: raw[1:]}
	if want := fmt.Sprintf("%08x", c.hash); digits != want {
		return nil, fmt.Errorf("%w: %.120q: its hash is %s, not %.8s", ErrCosigner, key, want, digits)
	}
	return c, nil
}

// Name is the witness's.
func (c *Cosigner) Name() string { return c.name }

// KeyHash is the first 4 bytes of the key's hash.
func (c *Cosigner) KeyHash() uint32 { return c.hash }

// Verify says whether a signature, a timestamp in seconds and an Ed25519 signature over
// it and the checkpoint's text, is the witness's.
func (c *Cosigner) Verify(text, signature []byte) bool {
	if len(signature) != timestampSize+ed25519.SignatureSize {
		return false
	}
	seconds := binary.BigEndian.Uint64(signature)
	return seconds <= math.MaxInt64 && ed25519.Verify(c.key, cosigned(text, seconds), signature[timestampSize:])
}

// cosigned is what a witness signs.
func cosigned(text []byte, seconds uint64) []byte {
	return append([]byte("cosignature/v1\ntime "+strconv.FormatUint(seconds, 10)+"\n"), text...)
}

// Cosign adds to a checkpoint those of the signature lines that are a cosigner's, and
// checks them. Others are left out. Errors: ErrCheckpoint where none is.
func Cosign(checkpoint, lines []byte, c *Cosigner) ([]byte, error) {
	whole := append(bytes.Clone(checkpoint), lines...)
	n, err := note.Open(whole, note.VerifierList(c))
	if err != nil {
		return nil, fmt.Errorf("%w: no cosignature of %s in it holds: %w", ErrCheckpoint, c.name, err)
	}
	for _, s := range n.Sigs {
		checkpoint = fmt.Appendf(checkpoint[:len(checkpoint):len(checkpoint)], "— %s %s\n", s.Name, s.Base64)
	}
	return checkpoint, nil
}
