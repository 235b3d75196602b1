package decisions_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"

	"github.com/writ-dev/writ/decisions"
)

// cosigner is a witness's key, and its verifier key.
func cosigner(t testing.TB) (ed25519.PrivateKey, string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	public := append([]byte{4}, key.Public().(ed25519.PublicKey)...)
	sum := sha256.Sum256(append([]byte("witness.example/w1\n"), public...))
	return key, fmt.Sprintf("witness.example/w1+%x+%s", sum[:4], base64.StdEncoding.EncodeToString(public))
}

// A cosignature is of a time and a whole checkpoint (C2SP tlog-cosignature); one bit of
// anything else is none.
func TestCosigner(t *testing.T) {
	key, public := cosigner(t)
	c, err := decisions.NewCosigner(public + "\n")
	if err != nil || c.Name() != "witness.example/w1" {
		t.Fatal(c, err)
	}
	const text = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
	sig := binary.BigEndian.AppendUint64(nil, 1679315147)
	sig = append(sig, ed25519.Sign(key, []byte("cosignature/v1\ntime 1679315147\n"+text))...)
	if !c.Verify([]byte(text), sig) {
		t.Error("a cosignature by the specification does not verify")
	}
	for i := range sig {
		sig[i] ^= 1
		if c.Verify([]byte(text), sig) {
			t.Errorf("byte %d flipped: it verifies", i)
		}
		sig[i] ^= 1
	}
	if c.Verify([]byte(text+"\n"), sig) || c.Verify([]byte(text), sig[8:]) || c.Verify([]byte(text), nil) {
		t.Error("another text, or no time: it verifies")
	}
	for _, key := range []string{"", "w", public[1:], public + "A", "witness.example/w1+00000000+" + public[28:]} {
		if _, err := decisions.NewCosigner(key); !errors.Is(err, decisions.ErrCosigner) {
			t.Errorf("%q: got %v, expected ErrCosigner", key, err)
		}
	}
}

func FuzzCosigner(f *testing.F) {
	_, public := cosigner(f)
	f.Add(public, []byte("x"))
	f.Fuzz(func(t *testing.T, key string, signature []byte) {
		c, err := decisions.NewCosigner(key)
		if err == nil && (c.Verify([]byte("text"), signature) || c.Name() == "") {
			t.Fatalf("%q signs anything", key)
		}
	})
}
