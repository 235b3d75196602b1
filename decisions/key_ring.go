package decisions

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// KeyRing is the public keys of a log, each for the trees that it signs. The zero value
// has no key and accepts nothing. A KeyRing is not changed once it is made.
type KeyRing struct {
	logID string
	keys  []ringKey // in order
}

// ringKey signs trees of so many entries or more, up to the next one's.
type ringKey struct {
	from      uint64
	text      string
	verifier  note.Verifier
	statement []byte // nil for the first
}

// NewKeyRing is of one key, as in C2SP signed-note, and of those before and after it by
// the statements of key changes, which are in order. Given any one key that is trusted,
// the others follow. Errors: ErrKeyChange, also where key is none of the statements'.
func NewKeyRing(key string, statements ...[]byte) (KeyRing, error) {
	first := key
	if len(statements) > 0 {
		change, err := ParseKeyChange(statements[0])
		if err != nil {
			return KeyRing{}, err
		}
		first = change.Old
	}
	v, err := logVerifier("", first)
	if err != nil {
		return KeyRing{}, fmt.Errorf("%w: %w", ErrKeyChange, err)
	}
	r := KeyRing{logID: LogIDOf(v.Name()), keys: []ringKey{{text: first, verifier: v}}}
	for _, s := range statements {
		if r, err = r.Add(s); err != nil {
			return KeyRing{}, err
		}
	}
	if !r.Has(key) {
		return KeyRing{}, fmt.Errorf("%w: the key %.120s is none of those that log %s had: %s", ErrKeyChange, key, r.logID, r)
	}
	return r, nil
}

// Add returns a ring with one more key. Errors: ErrKeyChange where the statement does
// not hold, or does not continue the ring.
func (r KeyRing) Add(statement []byte) (KeyRing, error) {
	change, err := ParseKeyChange(statement)
	if err != nil {
		return KeyRing{}, err
	}
	v, err := logVerifier(r.logID, change.New)
	if err != nil {
		return KeyRing{}, fmt.Errorf("%w: %w", ErrKeyChange, err)
	}
	if change.Old != r.Present() || change.Size < r.keys[len(r.keys)-1].from || r.byHash(v.KeyHash()) != nil {
		return KeyRing{}, fmt.Errorf("%w: the one at entry %d, from %s to %s, does not continue the keys %s", ErrKeyChange, change.Size, change.Old, change.New, r)
	}
	next := ringKey{from: change.Size + 1, text: change.New, verifier: v, statement: slices.Clone(statement)}
	return KeyRing{logID: r.logID, keys: append(slices.Clip(r.keys), next)}, nil
}

// LogID is the log's, or empty in the zero ring.
func (r KeyRing) LogID() string { return r.logID }

// First is the verifier key that the log began with, as far as is known.
func (r KeyRing) First() string {
	if len(r.keys) == 0 {
		return ""
	}
	return r.keys[0].text
}

// Present is the verifier key that signs now.
func (r KeyRing) Present() string {
	if len(r.keys) == 0 {
		return ""
	}
	return r.keys[len(r.keys)-1].text
}

// Has says whether a verifier key is one of them.
func (r KeyRing) Has(key string) bool {
	return slices.ContainsFunc(r.keys, func(k ringKey) bool { return k.text == key })
}

// At is the key that signs trees of a size, nil in the zero ring.
func (r KeyRing) At(size uint64) note.Verifier {
	after := sort.Search(len(r.keys), func(i int) bool { return r.keys[i].from > size })
	if after == 0 {
		return nil
	}
	return r.keys[after-1].verifier
}

// Statement returns the one of the change at an entry, nil where there was none.
func (r KeyRing) Statement(sequence uint64) []byte {
	for _, k := range r.keys {
		if k.from == sequence+1 {
			return k.statement
		}
	}
	return nil
}

// Changes are the entries that changed the key, in order.
func (r KeyRing) Changes() []uint64 {
	var entries []uint64
	for _, k := range r.keys[min(1, len(r.keys)):] {
		entries = append(entries, k.from-1)
	}
	return entries
}

// Statements returns those of all changes, in order.
func (r KeyRing) Statements() [][]byte {
	var all [][]byte
	for _, k := range r.keys {
		if k.statement != nil {
			all = append(all, k.statement)
		}
	}
	return all
}

// ParseCheckpoint reads a signed checkpoint and checks its signature by the key that
// signs trees of its size, and no other. Errors: ErrCheckpoint.
func (r KeyRing) ParseCheckpoint(msg []byte) (Checkpoint, error) {
	if len(r.keys) == 0 {
		return Checkpoint{}, fmt.Errorf("%w: there is no key to check it by", ErrCheckpoint)
	}
	text, _, _ := strings.Cut(string(msg), "\n\n")
	claimed, err := parseBody(text + "\n")
	if err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	c, err := ParseCheckpoint(msg, r.At(claimed.Size))
	if err != nil {
		err = fmt.Errorf("%w%s", err, r.otherSigner(msg, claimed.Size))
	}
	return c, err
}

// otherSigner says whose the signature is, where it is another one of the ring's.
func (r KeyRing) otherSigner(msg []byte, size uint64) string {
	for _, k := range r.keys {
		if _, err := ParseCheckpoint(msg, k.verifier); err == nil {
			return fmt.Sprintf(": it is signed by the key %08x, but trees of %d entries are signed by %08x", k.verifier.KeyHash(), size, r.At(size).KeyHash())
		}
	}
	return ""
}

func (r KeyRing) byHash(hash uint32) note.Verifier {
	for _, k := range r.keys {
		if k.verifier.KeyHash() == hash {
			return k.verifier
		}
	}
	return nil
}

// String names the keys by their hashes, each with the smallest tree that it signs.
func (r KeyRing) String() string {
	var parts []string
	for _, k := range r.keys {
		parts = append(parts, fmt.Sprintf("%08x from %d entries on", k.verifier.KeyHash(), k.from))
	}
	return strings.Join(parts, ", ")
}
