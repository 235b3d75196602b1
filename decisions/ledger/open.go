package ledger

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

func newLedger(o Options) *Ledger {
	l := &Ledger{opts: o, done: make(chan struct{})}
	l.scrubbing, l.stopScrub = context.WithCancel(context.Background())
	l.queue.wake = make(chan struct{}, 1)
	l.checkpointer.l, l.checkpointer.stop = l, make(chan struct{})
	l.indexer = indexer{l: l, due: make(chan struct{}, 1), stop: make(chan struct{})}
	l.fields.l = l
	l.space = space{l: l, stop: make(chan struct{}), due: make(chan struct{}, 1)}
	l.pruner = pruner{l: l, due: make(chan struct{}, 1)}
	l.writer.l, l.writer.turn, l.writer.blank = l, make(chan struct{}, 1), make(chan prepared, 1)
	l.writer.batch.limit = int(min(maxFrame, o.SegmentBytes/4))
	return l
}

// open takes the directory, recovers, and starts the goroutines. On an error nothing
// stays open.
func (l *Ledger) open(ctx context.Context) (err error) {
	var opened []func() error
	defer func() {
		if err != nil {
			for i := len(opened) - 1; i >= 0; i-- {
				err = errors.Join(err, opened[i]())
			}
		}
	}()
	if err := durableDir(l.opts.FS, l.opts.Dir); err != nil {
		return err
	}
	if l.lock, err = l.opts.FS.Lock(l.opts.lockFile()); err != nil {
		return err
	}
	opened = append(opened, l.lock.Close)
	if err := l.servable(); err != nil {
		return err
	}
	if err := l.makeDirs(); err != nil {
		return err
	}
	from, err := readOrigin(l.opts.FS, l.opts.logDir())
	if err != nil {
		return err
	}
	l.beginning.Store(&from)
	begun, blank, err := openSegments(l.opts.FS, l.opts.logDir(), readWrite, from)
	if err != nil {
		return err
	}
	l.segments.all = begun
	opened = append(opened, func() error { return closeSegments(l.segments.view()) })
	if err := l.openLog(begun); err != nil {
		return err
	}
	opened = append(opened, l.items.close, l.index.close)
	found, err := l.recover(ctx)
	if err != nil {
		return err
	}
	if err := l.checkFound(found); err != nil {
		return err
	}
	l.beginning.Store(&origin{place: from.place, pruned: from.pruned}) // the rest was for this
	return l.start(found, blank)
}

// checkFound checks where the recovered log begins, and by which keys it goes on. Then
// what its entries erased is erased, whatever a crash left of it.
func (l *Ledger) checkFound(found recovered) error {
	if err := l.checkOrigin(); err != nil {
		return err
	}
	if err := l.settleKeys(); err != nil {
		return err
	}
	if err := l.checkKeys(found); err != nil {
		return err
	}
	return l.items.destroyAgain(&l.erased)
}

// servable refuses a backup, and a directory that is not whole but for who completes it.
func (l *Ledger) servable() error {
	if l.opts.restored != nil {
		return nil
	}
	return checkServable(l.opts.FS, l.opts.Dir)
}

// checkKeys compares the digest key with the one that the log began with, and writes
// the public key again where it went missing: it follows from the signing key.
func (l *Ledger) checkKeys(found recovered) error {
	if err := l.keys.keepPublic(l.opts.FS, l.opts.KeyDir, l.signing.Load().ring); err != nil {
		return err
	}
	if found.size == 0 {
		l.epochs = earlier(l.opts.restored)
		return l.carry(l.created())
	}
	created, err := l.entryZero()
	if err != nil {
		return err
	}
	l.epochs = earlier(created.GetRestored())
	if check := created.GetDigestKeyCheck(); !bytes.Equal(check, l.keys.digestCheck()) {
		return fmt.Errorf("%w: %s in %s is not the key that log %s began with: restore it from a backup", ErrKeys, digestFile, l.opts.KeyDir, l.keys.logID)
	}
	return nil
}

func (l *Ledger) makeDirs() error {
	for _, dir := range []string{l.opts.logDir(), l.opts.blobDir(), l.opts.KeyDir, filepath.Dir(l.opts.Anchor)} {
		if err := durableDir(l.opts.FS, dir); err != nil {
			return err
		}
	}
	return nil
}

// openLog loads the keys and the index of the log that the segments are of.
func (l *Ledger) openLog(begun []*segment) (err error) {
	if l.keys, err = openKeys(l.opts, len(begun) > 0); err != nil {
		return err
	}
	if len(begun) > 0 && begun[0].log() != l.keys.logID {
		return fmt.Errorf("%w: %s holds log %s, but the keys in %s are log %s's: name the directory that has its keys", ErrKeys, l.opts.Dir, begun[0].log(), l.opts.KeyDir, l.keys.logID)
	}
	if err = l.space.forIndex(); err != nil {
		return err
	}
	if _, err = hex.Decode(l.id[:], []byte(l.keys.logID)); err != nil {
		return err
	}
	if l.items, err = openItemKeys(l.opts, l.id); err != nil {
		return err
	}
	if l.index, err = openIndex(l.opts, l.keys.logID); err == nil {
		err = l.trustIndex()
	}
	if err != nil {
		err = errors.Join(err, l.items.close())
	}
	return err
}

// trustIndex believes what the writer before left behind, where it stopped in order.
func (l *Ledger) trustIndex() error {
	if _, err := readFile(l.opts.FS, l.opts.cleanFile(), 64); err == nil {
		return nil
	}
	if err := l.index.checkEntries(); err != nil {
		return errors.Join(err, l.index.close())
	}
	return nil
}

// start begins to write where the log ends: first this process's own entries, then a
// checkpoint, then whatever is asked.
func (l *Ledger) start(found recovered, blank uint32) error {
	clean, err := l.wasClean()
	if err != nil {
		return err
	}
	clean = clean || found.size == 0 // nobody wrote before
	w := &l.writer
	w.prepare(blank)
	l.writing.Go(w.run)
	if _, err = l.appendOwn(l.firstEntries(clean, found)); err == nil {
		err = l.checkpointer.sign()
	}
	if err != nil {
		l.queue.close(ErrClosed)
		l.writing.Wait()
		return err
	}
	l.space.check()
	l.background.Go(l.checkpointer.run)
	l.background.Go(l.indexer.run)
	l.background.Go(l.space.run)
	l.background.Go(func() { l.pruner.run(l.scrubbing) })
	if !l.opts.NoScrub {
		l.background.Go(func() { l.scrub(l.scrubbing) })
	}
	l.opts.Logger.Info("ledger open", "dir", l.opts.Dir, "log", l.keys.logID, "entries", l.Size(), "clean", clean, "dropped_bytes", found.dropped)
	return nil
}

// wasClean reads and removes the mark that Close leaves. It is gone durably before
// the first write.
func (l *Ledger) wasClean() (bool, error) {
	err := l.opts.FS.Remove(l.opts.cleanFile())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, errors.Join(err, l.opts.FS.SyncDir(l.opts.Dir))
}

// firstEntries are LogCreated in an empty log, and WriterStarted in every one.
func (l *Ledger) firstEntries(clean bool, found recovered) []*ledgerv1.Entry {
	started := &ledgerv1.Entry{Body: &ledgerv1.Entry_WriterStarted{WriterStarted: &ledgerv1.WriterStarted{
		Version: l.opts.Version, Clean: clean, DroppedBytes: uint64(found.dropped),
	}}}
	if found.size > 0 {
		return []*ledgerv1.Entry{started}
	}
	created := &ledgerv1.Entry{Body: &ledgerv1.Entry_LogCreated{LogCreated: l.created()}}
	return []*ledgerv1.Entry{created, started}
}

// created is entry 0 of a log that begins now.
func (l *Ledger) created() *ledgerv1.LogCreated {
	return &ledgerv1.LogCreated{
		LogId: l.keys.logID, Format: segmentFormat, VerifierKey: l.keys.own.public, DigestKeyCheck: l.keys.digestCheck(),
		Restored: l.opts.restored,
	}
}

// appendOwn appends entries that only the ledger writes, whatever space is left.
func (l *Ledger) appendOwn(entries []*ledgerv1.Entry) ([]decisions.Receipt, error) {
	r := newRequest(len(entries))
	for _, e := range entries {
		body, err := proto.Marshal(e)
		if err != nil {
			return nil, err
		}
		r.proposals = append(r.proposals, decisions.Proposal{Body: body})
		r.events = append(r.events, decisions.Event{})
	}
	err := l.writer.answer(r)
	return r.receipts, err
}
