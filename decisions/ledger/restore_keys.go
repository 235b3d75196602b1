package ledger

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// oldKeys are what is left of the keys of a log that is restored.
type oldKeys struct {
	dir      string
	digest   [32]byte
	verifier string
	heads    []signedHead // kept elsewhere than in the backup
}

// aside is where the old log's keys go.
func (r *restoring) aside() string { return filepath.Join(r.to.KeyDir, epochsDir, r.oldID) }

// findKeys reads the old log's digest key and public key: from where they are said to
// be, or where they were put aside, or where the new log's will be.
func (r *restoring) findKeys() (found oldKeys, err error) {
	found.dir = r.o.OldKeys
	if found.dir == "" {
		found.dir = r.to.KeyDir
		if away, err := exists(r.disk, filepath.Join(r.aside(), digestFile)); away || err != nil {
			found.dir = r.aside()
		}
	}
	raw, err := readFile(r.disk, filepath.Join(found.dir, digestFile), keyFileLimit)
	if err != nil {
		return found, fmt.Errorf("%w: %w: name the directory with the digest key of log %s, or a copy of it: without it the new log would know no repeat", ErrKeys, err, r.oldID)
	}
	if found.digest, err = parseDigestKey(string(raw)); err != nil {
		return found, fmt.Errorf("%w: %s in %s: %w", ErrKeys, digestFile, found.dir, err)
	}
	if found.verifier = r.o.VerifierKey; found.verifier == "" {
		if found.verifier, err = ReadVerifierKey(VerifyOptions{Dir: r.o.Backup, KeyDir: found.dir, FS: r.disk}); err != nil {
			return found, err
		}
	}
	return found, found.readHeads(r)
}

// readHeads reads anchors of the old log, which may be newer than the backup. One that
// is the new log's already says nothing.
func (k *oldKeys) readHeads(r *restoring) error {
	ring, err := readRing(r.disk, r.o.Backup, k.verifier)
	if err == nil && ring.LogID() != r.oldID {
		err = fmt.Errorf("it is log %s's", ring.LogID())
	}
	if err == nil {
		_, _, err = readCheckpoint(r.disk, filepath.Join(r.o.Backup, "checkpoint"), ring)
	}
	if err != nil {
		return fmt.Errorf("%w: the public key %.60q is not one that the backup knows of log %s: %w: where the key was changed after the backup, give the one from before the change", ErrKeys, k.verifier, r.oldID, err)
	}
	for _, file := range slices.Compact([]string{filepath.Join(k.dir, anchorFile), filepath.Join(r.aside(), anchorFile), r.to.Anchor}) {
		raw, err := readFile(r.disk, file, checkpointLimit)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if c, err := ring.ParseCheckpoint(raw); err == nil {
			k.heads = append(k.heads, signedHead{c, file, raw})
		}
	}
	return nil
}

// newest is the head of most entries.
func (k *oldKeys) newest() (newest signedHead) {
	for _, head := range k.heads {
		if head.Size > newest.Size {
			newest = head
		}
	}
	return newest
}

// check compares the digest key with the one that the old log began with.
func (k *oldKeys) check(v *verification) error {
	var first ledgerv1.Entry
	if err := proto.Unmarshal(v.log.Entries[0], &first); err != nil {
		return err
	}
	keys := Keys{Digest: k.digest, logID: v.log.LogID}
	if !bytes.Equal(first.GetLogCreated().GetDigestKeyCheck(), keys.digestCheck()) {
		return fmt.Errorf("%w: %s in %s is not the key that log %s began with: name the directory that has it", ErrKeys, digestFile, k.dir, v.log.LogID)
	}
	return nil
}

// keys makes the new log's: a signing key of its own, and the old digest key. Old keys
// are put aside first, whole, and only then taken away.
func (r *restoring) keys() error {
	now, err := loadKeys(r.disk, r.to.KeyDir)
	mine := err == nil && now.logID != r.oldID
	if mine && (!r.resumed || now.Digest != r.old.digest) {
		return fmt.Errorf("%w: %s has the keys of log %s: name another directory for the new log's", ErrKeys, r.to.KeyDir, now.logID)
	}
	if mine {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := r.putAside(); err != nil {
		return err
	}
	if err := r.eraseAgain(); err != nil {
		return err
	}
	id := unlike(append(r.entry.GetEarlierLogIds(), r.oldID), func(b []byte) { rand.Read(b) })
	_, err = writeKeys(r.disk, r.to.KeyDir, id, r.old.digest)
	return err
}

// unlike draws a log id that no decision id of earlier epochs is taken for.
func unlike(earlier []string, draw func([]byte)) (id [16]byte) {
	for {
		draw(id[:])
		short := decisions.Epoch(hex.EncodeToString(id[:]))
		if !slices.ContainsFunc(earlier, func(old string) bool { return decisions.Epoch(old) == short }) {
			return id
		}
	}
}

// putAside copies the old log's key directory and anchor below the new one's, and takes
// away what stands in the new one's place.
func (r *restoring) putAside() error {
	if err := mkdirAll(r.disk, r.aside()); err != nil {
		return err
	}
	var there []string // in the new log's place
	for _, dir := range []string{r.old.dir, r.to.KeyDir} {
		names, err := keyFiles(r.disk, dir)
		if err != nil {
			return err
		}
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		if dir == r.to.KeyDir {
			there = names
		}
		if err := r.copyAside(names); err != nil {
			return err
		}
	}
	if err := r.copyAside([]string{r.to.Anchor}); err != nil {
		return err
	}
	return r.remove(append(there, r.to.Anchor))
}

// eraseAgain erases what an old copy of the key directory brought back.
func (r *restoring) eraseAgain() error {
	id, err := hex.DecodeString(r.oldID)
	if err != nil {
		return err
	}
	items, err := openItemKeys(Options{KeyDir: r.aside(), FS: r.disk}, [16]byte(id))
	if err != nil {
		return err
	}
	if items.file == nil {
		return nil // there never was an item
	}
	return errors.Join(items.destroyAgain(&r.erased), items.close())
}

func (r *restoring) copyAside(names []string) error {
	for _, name := range names {
		to := filepath.Join(r.aside(), filepath.Base(name))
		if name == r.to.Anchor {
			to = filepath.Join(r.aside(), anchorFile)
		}
		if name == to {
			continue
		}
		if err := copyWhole(r.disk, name, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (r *restoring) remove(names []string) error {
	for _, name := range names {
		err := r.disk.Remove(name)
		if err == nil {
			err = r.disk.SyncDir(filepath.Dir(name))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// keyFiles lists what is in a key directory, but for earlier epochs and what was being
// written.
func keyFiles(disk FS, dir string) ([]string, error) {
	files, err := disk.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range files {
		if !f.IsDir() && f.Name() != epochsDir && !strings.HasSuffix(f.Name(), ".tmp") {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// copyWhole copies a file.
func copyWhole(disk FS, name, to string) error {
	from, err := disk.OpenFile(name, readOnly, 0)
	if err != nil {
		return err
	}
	defer from.Close() //nolint:errcheck // opened for reading
	size, err := from.Size()
	if err != nil {
		return err
	}
	return copyFile(disk, from, to, size, size)
}
