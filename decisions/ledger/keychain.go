package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// chainFile, in the data directory, has the statements of all key changes, one after
// the other. The entries have them too; the file saves reading the whole log to know who
// signs what.
const (
	chainFile  = "keychain"
	chainLimit = 1 << 20
)

// readRing returns the keys of a log by one of them that is trusted: that one alone
// where the directory has no key chain. Errors: ErrKeys.
func readRing(disk FS, dir, key string) (decisions.KeyRing, error) {
	name := filepath.Join(dir, chainFile)
	raw, err := readFile(disk, name, chainLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return decisions.KeyRing{}, err
	}
	ring, err := decisions.NewKeyRing(key, decisions.SplitKeyChain(raw)...)
	if err != nil {
		err = fmt.Errorf("%w: by %s: %w", ErrKeys, name, err)
	}
	return ring, err
}

// ReadKeyRing returns the keys that a log in a directory had, by one of them that is
// trusted. Errors: ErrKeys.
func ReadKeyRing(dir, key string) (decisions.KeyRing, error) { return readRing(osFS{}, dir, key) }

// writeChain keeps the statements of a log's key changes in a directory.
func writeChain(disk FS, dir string, ring decisions.KeyRing) error {
	name, chain := filepath.Join(dir, chainFile), bytes.Join(ring.Statements(), nil)
	had, err := readFile(disk, name, chainLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if bytes.Equal(had, chain) {
		return nil
	}
	return replaceFile(disk, name, chain)
}

// readSigned returns what signs a log: its keys, by one of them that is trusted, and its
// signed heads. Where the key chain does not account for them, the log's own entries
// give it. Errors: ErrKeys, ErrDamaged, the disk's.
func readSigned(o Options, key string, files ...string) (decisions.KeyRing, *heads, error) {
	ring, err := readRing(o.FS, o.Dir, key)
	var signed *heads
	if err == nil {
		signed, err = readHeads(o.FS, ring, o.logDir(), files...)
	}
	if err == nil {
		err = checkFirstKey(o, ring)
	}
	if !unsound(err) {
		return ring, signed, err
	}
	scanned, again := scanRing(o, key)
	if again == nil {
		signed, again = readHeads(o.FS, scanned, o.logDir(), files...)
	}
	switch {
	case again == nil:
		return scanned, signed, nil
	case unsound(again):
		return ring, nil, err // what the caller's own directory says
	}
	return ring, nil, again
}

// unsound says that what was read is wrong, and not that the disk could not read it.
func unsound(err error) bool { return errors.Is(err, ErrKeys) || errors.Is(err, ErrDamaged) }

// checkFirstKey compares the first key with the one that the log says it began with. A
// log whose beginning can't be read says nothing here.
func checkFirstKey(o Options, ring decisions.KeyRing) error {
	from, segments, err := openForReading(o.FS, o.logDir())
	if err != nil {
		return nil // whoever walks the log says what is wrong with it
	}
	defer closeSegments(segments) //nolint:errcheck // opened for reading
	var first decisions.Envelope
	if s := from.snapshot; s != nil {
		first, err = decisions.ParseEnvelope(s.Entries[0])
	} else {
		w := walker{segments: segments, at: from.place}
		var b *batch
		if b, err = w.next(); err == nil {
			first = b.envelopes[0]
		}
	}
	if err != nil || first.Kind != decisions.KindLogCreated {
		return nil
	}
	return checkCreated(first.Body, ring)
}

func checkCreated(body []byte, ring decisions.KeyRing) error {
	var c ledgerv1.LogCreated
	if err := proto.Unmarshal(body, &c); err != nil {
		return err
	}
	if c.GetLogId() != ring.LogID() || c.GetVerifierKey() != ring.First() {
		return fmt.Errorf("%w: the log is %s and began with key %s, the first one known is %s's: %s", ErrKeys, c.GetLogId(), c.GetVerifierKey(), ring.LogID(), ring.First())
	}
	return nil
}

// scanRing returns the keys that the log's own entries name, by one that is trusted. It
// ends where the log is damaged. Errors: ErrKeys, the disk's.
func scanRing(o Options, key string) (decisions.KeyRing, error) {
	from, segments, err := openForReading(o.FS, o.logDir())
	if err != nil {
		return decisions.KeyRing{}, err
	}
	defer closeSegments(segments) //nolint:errcheck // opened for reading
	var statements [][]byte
	note := func(e decisions.Envelope) {
		if e.Kind != decisions.KindKeyChanged {
			return
		}
		if _, statement, err := decisions.EntryKeyChange(e); err == nil {
			statements = append(statements, bytes.Clone(statement))
		}
	}
	if from.snapshot != nil {
		for _, raw := range from.snapshot.Entries {
			if e, err := decisions.ParseEnvelope(raw); err == nil {
				note(e)
			}
		}
	}
	w := walker{segments: segments, at: from.place}
	b, err := w.next()
	for ; err == nil; b, err = w.next() {
		for _, e := range b.envelopes {
			note(e)
		}
	}
	if !errors.Is(err, errEnd) && !errors.Is(err, ErrDamaged) {
		return decisions.KeyRing{}, err
	}
	ring, err := decisions.NewKeyRing(key, statements...)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrKeys, err)
	}
	return ring, err
}

// replayKey takes a KeyChanged entry in: one that the ring has, or one more. Errors:
// ErrDamaged.
func replayKey(ring decisions.KeyRing, e decisions.Envelope) (decisions.KeyRing, error) {
	_, statement, err := decisions.EntryKeyChange(e)
	if err == nil && bytes.Equal(statement, ring.Statement(e.Sequence)) {
		return ring, nil
	}
	if err == nil {
		ring, err = ring.Add(statement)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return ring, err
}

// checkChanges has every change of the key, below a size, be one that an entry said.
func checkChanges(ring decisions.KeyRing, said map[uint64]bool, size uint64) error {
	for _, n := range ring.Changes() {
		if n < size && !said[n] {
			return fmt.Errorf("%w: the log's key was changed by entry %d, as %s says, but that entry does not say so: %s", ErrDamaged, n, chainFile, restore)
		}
	}
	return nil
}
