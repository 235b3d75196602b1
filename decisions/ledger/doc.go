// Package ledger is the durable log of decisions: one writer, one sync per batch,
// answers after it (R31), a Merkle tree over what is stored (R34).
//
// docs/ledger-format.md specifies the files; this is the summary. All numbers are
// big-endian, all checksums CRC32C.
//
//	DIR/log/00000000.seg         segments, zero-filled to their full size
//	DIR/log/00000000.checkpoint  signed tree head at the segment's end
//	DIR/checkpoint               latest signed tree head
//	DIR/keychain                 changes of the signing key, signed by both keys
//	DIR/blobs/ab/ab…             content-addressed blobs
//	DIR/index/                   Badger; deleted, it is rebuilt
//	DIR/LOCK, DIR/clean          who holds it; whether it was closed in order
//	DIR.keys/                    signing key, public key, digest key, anchor
//
// A segment begins with a header of 128 bytes:
//
//	 0  8  "WRITSEG\n"
//	 8  4  format, 1
//	12  4  segment number
//	16 16  log id
//	32  8  sequence of its first entry
//	40  8  its size in bytes
//	48 32  hash of the last batch before it
//	80  8  mark: random, begins each batch of this segment
//	88  4  checksum of bytes 0 to 87
//
// Batches follow without gaps; zeros follow the last. A batch is
//
//	 0  8  the segment's mark
//	 8  4  bytes of payload, n
//	12  4  number of entries
//	16  8  sequence of the first
//	24 32  hash of the batch before
//	56  4  checksum of bytes 0 to 55 and the payload
//	60  n  for each entry: its length in 2 bytes, and its bytes
//
// The hash of a batch is SHA-256 over its bytes 8 to 55 and the leaf hashes of its
// entries. A leaf hash is SHA-256 over 0x00 and the entry's bytes (RFC 6962 §2.1).
//
// A batch is written and synced before the next one is begun. So at a start, a bad
// batch behind which no mark stands is one that never became durable, and is dropped;
// a bad batch before another one is damage.
package ledger
