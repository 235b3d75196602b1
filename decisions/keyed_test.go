package decisions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// The sum is HMAC-SHA-256 of the standard library over length-prefixed parts.
func TestKeyedSumIsHMAC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var key DigestKey
		copy(key[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key"))
		domain := rapid.String().Draw(t, "domain")
		parts := rapid.SliceOf(rapid.SliceOfN(rapid.Byte(), 0, 300)).Draw(t, "parts")

		twin := hmac.New(sha256.New, key[:])
		for _, part := range append([][]byte{[]byte(domain)}, parts...) {
			var size [4]byte
			binary.BigEndian.PutUint32(size[:], uint32(len(part)))
			twin.Write(size[:])
			twin.Write(part)
		}
		want := twin.Sum(nil)
		if got := key.Sum(domain, parts...); string(got[:]) != string(want) {
			t.Fatalf("%x is not the HMAC", got)
		}
		texts := make([]string, len(parts))
		for i, part := range parts {
			texts[i] = string(part)
		}
		if got := key.SumText(domain, texts...); string(got[:]) != string(want) {
			t.Fatalf("%x is not the HMAC of the texts", got)
		}
	})
}

// R35: equal values in different places, and parts cut differently, do not meet.
func TestKeyedSumSeparates(t *testing.T) {
	var key, other DigestKey
	other[0] = 1
	seen := map[Hash]string{}
	for name, sum := range map[string]Hash{
		"arguments ab c": key.Sum("arguments", []byte("ab"), []byte("c")),
		"arguments a bc": key.Sum("arguments", []byte("a"), []byte("bc")),
		"arguments abc":  key.Sum("arguments", []byte("abc")),
		"target abc":     key.Sum("target", []byte("abc")),
		"arguments":      key.Sum("arguments"),
		"arguments ''":   key.Sum("arguments", nil),
		"another key":    other.Sum("arguments", []byte("abc")),
	} {
		if twin, ok := seen[sum]; ok {
			t.Errorf("%s and %s have one sum", name, twin)
		}
		seen[sum] = name
	}
}
