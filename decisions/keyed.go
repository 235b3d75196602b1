package decisions

import (
	"crypto/sha256"
	"encoding/binary"
)

// DigestKey is a log's digest key. The log keeps keyed digests of what it must not
// show: a plain hash of an amount or an address is a dictionary away from it (R35).
type DigestKey [32]byte

// Sum returns HMAC-SHA-256 (RFC 2104) over the domain and the parts, each preceded by
// its length as four bytes, big-endian. The domain ("arguments", "target") keeps equal
// values in different places from having equal digests; the lengths keep ("ab", "c")
// from ("a", "bc"). Up to about 400 bytes it does not allocate.
//
// Safe for concurrent use.
func (k *DigestKey) Sum(domain string, parts ...[]byte) Hash {
	var space [512]byte
	inner := k.pad(space[:0], 0x36)
	inner = appendSized(inner, domain)
	for _, part := range parts {
		inner = appendSized(inner, part)
	}
	sum := sha256.Sum256(inner)

	outer := k.pad(space[:0], 0x5c)
	return sha256.Sum256(append(outer, sum[:]...))
}

// pad appends the key, filled up to a block with zeros, XORed with the pad byte.
func (k *DigestKey) pad(dst []byte, pad byte) []byte {
	for _, b := range k {
		dst = append(dst, b^pad)
	}
	for range sha256.BlockSize - len(k) {
		dst = append(dst, pad)
	}
	return dst
}

// appendSized appends a value after its length as four bytes, big-endian.
func appendSized[T string | []byte](dst []byte, value T) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	return append(dst, value...)
}
