package ledger

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/mod/sumdb/note"
	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// RotateKey gives a log that no service has open a new signing key (R33): an entry says
// so, signed by the old key and the new one, and every checkpoint with that entry is
// signed by the new one. Then the old one is gone. What it signed stays valid, for the
// trees up to that entry. Interrupted anywhere, the next start finishes it or undoes it.
// Errors: those of Open.
func RotateKey(ctx context.Context, o Options, actor *ledgerv1.Actor) (decisions.KeyChange, error) {
	o.NoScrub = true
	l, err := Open(ctx, o)
	if err != nil {
		return decisions.KeyChange{}, err
	}
	change, err := l.rotate(actor)
	if err != nil {
		err = fmt.Errorf("change the key of %s: %w", o.Dir, err)
	}
	return change, errors.Join(err, l.Close())
}

// rotate changes the key. Nobody else appends meanwhile.
func (l *Ledger) rotate(actor *ledgerv1.Actor) (decisions.KeyChange, error) {
	next, err := l.newKey()
	if err != nil {
		return decisions.KeyChange{}, err
	}
	before := l.signing.Load()
	change := decisions.KeyChange{LogID: l.keys.logID, Size: l.Size(), Old: l.keys.own.public, New: next.public}
	statement, err := change.Sign(l.keys.own.signer, next.signer)
	if err != nil {
		return change, err
	}
	ring, err := before.ring.Add(statement)
	if err != nil {
		return change, err
	}
	// Before the entry: no checkpoint with it may be signed by the old key.
	l.signing.Store(&signing{ring, append(before.signers, next.signer)})
	receipts, err := l.appendOwn([]*ledgerv1.Entry{{Body: &ledgerv1.Entry_KeyChanged{KeyChanged: &ledgerv1.KeyChanged{
		Actor: proto.CloneOf(actor), VerifierKey: next.public, Statement: statement,
	}}}})
	if err != nil {
		return change, err
	}
	if got := receipts[0].Sequence; got != change.Size {
		return change, l.fail(fmt.Errorf("the key's change is entry %d, its statement is of entry %d", got, change.Size))
	}
	if err := l.checkpointer.sign(); err != nil {
		return change, err
	}
	l.keys.next = &next
	return change, l.settleKeys()
}

// newKey makes a signing key and keeps it beside the one that signs now.
func (l *Ledger) newKey() (signingKey, error) {
	private, _, err := note.GenerateKey(rand.Reader, decisions.Origin(l.keys.logID))
	if err != nil {
		return signingKey{}, err
	}
	key, err := parseSigningKey(private)
	if err == nil {
		err = replaceFile(l.opts.FS, filepath.Join(l.opts.KeyDir, nextFile), []byte(private+"\n"))
	}
	return key, err
}

// settleKeys makes the files say what the log says: a change that has its entry is
// finished, one that has none is undone. Whatever is still to be signed by the old key
// must be signed before.
func (l *Ledger) settleKeys() error {
	ring, keys := l.signing.Load().ring, l.keys
	if err := writeChain(l.opts.FS, l.opts.Dir, ring); err != nil {
		return err
	}
	disk, next := l.opts.FS, filepath.Join(l.opts.KeyDir, nextFile)
	switch present := ring.Present(); {
	case present == keys.own.public:
		if keys.next == nil {
			return nil
		}
		if keys.next.public != present {
			l.opts.Logger.Warn("a change of the key was begun and not logged: it is undone", "file", next)
		}
	case keys.next != nil && present == keys.next.public:
		// Not renamed: until the new key is durable under its name, it is under this one.
		text, err := readFile(disk, next, keyFileLimit)
		if err == nil {
			err = replaceFile(disk, filepath.Join(l.opts.KeyDir, signingFile), text)
		}
		if err != nil {
			return err
		}
		keys.own = *keys.next
	default:
		return fmt.Errorf("%w: the log's key was changed, and %s in %s is one from before: restore the directory as it was after the change; its keys are %s", ErrKeys, signingFile, l.opts.KeyDir, ring)
	}
	if err := disk.Remove(next); err != nil {
		return err
	}
	keys.next = nil
	l.signing.Store(&signing{ring, keys.signers()})
	return errors.Join(disk.SyncDir(l.opts.KeyDir), keys.keepPublic(disk, l.opts.KeyDir, ring))
}

// replayKey takes a KeyChanged entry in that a start walks over.
func (l *Ledger) replayKey(e decisions.Envelope) error {
	s := l.signing.Load()
	ring, err := replayKey(s.ring, e)
	if err == nil {
		l.signing.Store(&signing{ring, s.signers})
	}
	return err
}

// signers are those private keys that are here.
func (k *Keys) signers() []note.Signer {
	signers := []note.Signer{k.own.signer}
	if k.next != nil {
		signers = append(signers, k.next.signer)
	}
	return signers
}
