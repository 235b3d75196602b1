package ledger

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/writ-dev/writ/decisions"
)

// errNoSigner says that the key which signs trees of a size is not here any more.
var errNoSigner = errors.New("its signing key is gone")

// signingKey is a log's key with its private half.
type signingKey struct {
	signer note.Signer
	public string // verifier key, as in C2SP signed-note
}

// parseSigningKey reads a note signer key that is named as a log's.
func parseSigningKey(text string) (signingKey, error) {
	signer, err := note.NewSigner(text)
	if err != nil {
		return signingKey{}, err
	}
	if decisions.LogIDOf(signer.Name()) == "" {
		return signingKey{}, fmt.Errorf("the key is named %q, expected %s", signer.Name(), decisions.Origin("<log id>"))
	}
	public, err := verifierKey(text)
	return signingKey{signer, public}, err
}

// verifierKey derives the public half of a note signer key, whose last part is
// base64 of the algorithm (1 is Ed25519) and the seed.
func verifierKey(signing string) (string, error) {
	parts := strings.SplitN(signing, "+", 5)
	if len(parts) != 5 {
		return "", errors.New("malformed signer key")
	}
	seed, err := base64.StdEncoding.DecodeString(parts[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return "", errors.New("malformed signer key")
	}
	public := ed25519.NewKeyFromSeed(seed[1:]).Public().(ed25519.PublicKey) //nolint:errcheck,forcetypeassert // documented type
	return note.NewEd25519VerifierKey(parts[2], public)
}

// signing is what signs checkpoints: the log's public keys, and those private ones that
// are here. It is not changed once it is made.
type signing struct {
	ring    decisions.KeyRing
	signers []note.Signer
}

// sign signs a tree with the key that signs trees of its size. Errors: errNoSigner.
func (s *signing) sign(c decisions.Checkpoint) ([]byte, error) {
	inForce := s.ring.At(c.Size)
	for _, signer := range s.signers {
		if inForce != nil && signer.KeyHash() == inForce.KeyHash() {
			return c.Sign(signer)
		}
	}
	return nil, fmt.Errorf("checkpoint of %d entries: %w", c.Size, errNoSigner)
}
