package ledger

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/writ-dev/writ/decisions"
)

// Files in the key directory.
const (
	signingFile  = "checkpoint.key"      // note signer key
	nextFile     = "checkpoint.key.next" // while the key is changed: the new one
	verifierFile = "checkpoint.pub"      // note verifier key, for auditors
	digestFile   = "digest.key"          // 32 bytes in hex
	anchorFile   = "anchor"              // newest checkpoint, unless it is kept elsewhere
	keyFileLimit = 4096
)

// Keys are a log's own. They live outside of its data directory: whoever can change
// the data can't sign for it.
type Keys struct {
	// Digest is the key of the keyed digests in entries (R35).
	Digest [32]byte

	logID string
	// own is the signing key; next the one that it is being changed to.
	own  signingKey
	next *signingKey
}

// loadKeys reads the keys. Errors: fs.ErrNotExist where there are none at all,
// ErrKeys where they are incomplete or malformed.
func loadKeys(disk FS, dir string) (*Keys, error) {
	signing, err := readFile(disk, filepath.Join(dir, signingFile), keyFileLimit)
	if err != nil {
		return nil, err
	}
	digest, err := readFile(disk, filepath.Join(dir, digestFile), keyFileLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w: restore the file from a backup", ErrKeys, err)
	}
	if err != nil {
		return nil, err
	}
	next, err := readFile(disk, filepath.Join(dir, nextFile), keyFileLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	keys, err := parseKeys(strings.TrimSpace(string(signing)), strings.TrimSpace(string(digest)))
	if err == nil && next != nil {
		err = keys.parseNext(strings.TrimSpace(string(next)))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: in %s: %w: restore the directory from a backup", ErrKeys, dir, err)
	}
	return keys, nil
}

// parseNext takes the key in that a change was begun to.
func (k *Keys) parseNext(text string) error {
	next, err := parseSigningKey(text)
	if err == nil && decisions.LogIDOf(next.signer.Name()) != k.logID {
		err = fmt.Errorf("the key is named %s, expected %s", next.signer.Name(), decisions.Origin(k.logID))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", nextFile, err)
	}
	k.next = &next
	return nil
}

// ReadVerifierKey returns a log's public key, as in C2SP signed-note, from its key
// directory. Errors: ErrKeys.
func ReadVerifierKey(o VerifyOptions) (string, error) {
	opts, err := Options{Dir: o.Dir, KeyDir: o.KeyDir, FS: o.FS}.withDefaults()
	if err != nil {
		return "", err
	}
	raw, err := readFile(opts.FS, filepath.Join(opts.KeyDir, verifierFile), keyFileLimit)
	if err != nil {
		return "", fmt.Errorf("%w: %w: give the public key", ErrKeys, err)
	}
	key := strings.TrimSpace(string(raw))
	if _, err := note.NewVerifier(key); err != nil {
		return "", fmt.Errorf("%w: %s in %s: %w: restore the file from a backup", ErrKeys, verifierFile, opts.KeyDir, err)
	}
	return key, nil
}

func parseKeys(signing, digest string) (*Keys, error) {
	own, err := parseSigningKey(signing)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", signingFile, err)
	}
	keys := &Keys{own: own, logID: decisions.LogIDOf(own.signer.Name())}
	if keys.Digest, err = parseDigestKey(digest); err != nil {
		return nil, fmt.Errorf("%s: %w", digestFile, err)
	}
	return keys, nil
}

func parseDigestKey(text string) (key [32]byte, err error) {
	raw, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != len(key) {
		return key, errors.New("expected 64 hex digits")
	}
	return [32]byte(raw), nil
}

// createKeys makes the keys of a new log. The signing key is written last: with it,
// the keys are complete.
func createKeys(disk FS, dir string) (*Keys, error) {
	var id [16]byte
	var digest [32]byte
	rand.Read(id[:]) // never fails
	rand.Read(digest[:])
	return writeKeys(disk, dir, id, digest)
}

// writeKeys makes a signing key and writes the keys of a log of this id.
func writeKeys(disk FS, dir string, id [16]byte, digest [32]byte) (*Keys, error) {
	signing, public, err := note.GenerateKey(rand.Reader, decisions.Origin(hex.EncodeToString(id[:])))
	if err != nil {
		return nil, err
	}
	for _, f := range []struct{ name, content string }{
		{digestFile, hex.EncodeToString(digest[:])},
		{verifierFile, public},
		{signingFile, signing},
	} {
		if err := replaceFile(disk, filepath.Join(dir, f.name), []byte(f.content+"\n")); err != nil {
			return nil, err
		}
	}
	return loadKeys(disk, dir)
}

// openKeys loads the keys, or creates them where there is no log yet.
func openKeys(o Options, logExists bool) (*Keys, error) {
	keys, err := loadKeys(o.FS, o.KeyDir)
	if err == nil { // who made them may have died before their names were durable
		return keys, syncNames(o.FS, o.KeyDir)
	}
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrKeys) {
		return nil, err
	}
	if logExists {
		return nil, fmt.Errorf("%w: %s holds a log, but its keys are not in %s: restore %s, %s and %s there, or name the directory that has them", ErrKeys, o.Dir, o.KeyDir, signingFile, digestFile, verifierFile)
	}
	return createKeys(o.FS, o.KeyDir)
}

// digestCheck tells one digest key from another without giving it away.
func (k *Keys) digestCheck() []byte {
	key := decisions.DigestKey(k.Digest)
	sum := key.Sum("digest-key", []byte(k.logID))
	return sum[:]
}

// keepPublic writes the public key where it is missing, or is the log's key from before
// a change. Anything else there is damage: auditors may have read it. Errors: ErrKeys.
func (k *Keys) keepPublic(disk FS, dir string, ring decisions.KeyRing) error {
	name := filepath.Join(dir, verifierFile)
	raw, err := readFile(disk, name, keyFileLimit)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	had := strings.TrimSpace(string(raw))
	switch {
	case err == nil && had == k.own.public:
		return nil
	case err == nil && !ring.Has(had):
		return fmt.Errorf("%w: %s in %s is not a key of log %s, whose key is %s: remove it, and a start writes it again; what was verified with it was not verified", ErrKeys, verifierFile, dir, k.logID, k.own.public)
	}
	return replaceFile(disk, name, []byte(k.own.public+"\n"))
}
