package decisions

import (
	"crypto/sha256"
	"crypto/subtle"
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
	inner := appendSized(k.pad(space[:0], 0x36), domain)
	for _, part := range parts {
		inner = appendSized(inner, part)
	}
	return k.outer(inner)
}

// SumText is Sum of texts.
func (k *DigestKey) SumText(domain string, parts ...string) Hash {
	var space [512]byte
	inner := appendSized(k.pad(space[:0], 0x36), domain)
	for _, part := range parts {
		inner = appendSized(inner, part)
	}
	return k.outer(inner)
}

// outer is the second of HMAC's two sums.
func (k *DigestKey) outer(inner []byte) Hash {
	var space [sha256.BlockSize + sha256.Size]byte
	sum := sha256.Sum256(inner)
	return sha256.Sum256(append(k.pad(space[:0], 0x5c), sum[:]...))
}

// pad appends the key, filled up to a block with zeros, XORed with the pad byte.
func (k *DigestKey) pad(dst []byte, pad byte) []byte {
	var block [sha256.BlockSize]byte
	for i := range len(block) / 8 {
		binary.NativeEndian.PutUint64(block[8*i:], 0x0101010101010101*uint64(pad))
	}
	subtle.XORBytes(block[:], block[:], k[:])
	return append(dst, block[:]...)
}

// appendSized appends a value after its length as four bytes, big-endian.
func appendSized[T string | []byte](dst []byte, value T) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(value)))
	return append(dst, value...)
}
