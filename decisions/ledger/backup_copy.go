package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/writ-dev/writ/decisions"
)

// take takes hold of the backup's directory and looks at what it has.
func (b *backup) take() error {
	if err := b.directory(); err != nil {
		return err
	}
	if err := b.shorter(); err != nil {
		return err
	}
	return b.takeLog()
}

// takeLog opens what the backup has of the log. It may begin earlier than the log does
// by now; a new one begins where the log does.
func (b *backup) takeLog() error {
	begin, err := readOrigin(b.disk, b.to.logDir())
	if err != nil {
		return err
	}
	end, err := lastSegment(b.disk, b.to.logDir(), begin.segment)
	if err != nil {
		return err
	}
	if end == begin.segment {
		return b.copyBegin()
	}
	held, _, err := openSegments(b.disk, b.to.logDir(), readOnly, begin)
	if b.held = held; err != nil {
		return err
	}
	first, last := b.begin.segment, held[len(held)-1].number
	if end := first + uint32(len(b.walk.segments)); last >= end {
		return fmt.Errorf("%w: %s has segments up to %d, the log up to %d: keep the backup, and see writ log restore", ErrRolledBack, b.to.Dir, last, end-1)
	}
	if last < first || begin.segment > first {
		return fmt.Errorf("%w: %s has segments %d to %d, and the log begins with %d since it was pruned: keep the backup, and back up into another directory", ErrBackup, b.to.Dir, held[0].number, last, first)
	}
	for _, s := range held {
		if of := numbered(b.walk.segments, s.number); of != nil && s.header != of.header {
			return fmt.Errorf("%w: %s is not a copy of %s: back up into another directory", ErrDamaged, s.name, of.name)
		}
	}
	return nil
}

// shorter is ErrRolledBack where the backup has more than the log.
func (b *backup) shorter() error {
	if b.o.all {
		return nil
	}
	_, had, err := readCheckpoint(b.disk, b.to.checkpoint(), b.ring)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("is the backup of another log? %w", err)
	case had.Size > b.signed.Size:
		return fmt.Errorf("%w: %s has %d signed entries, the log %d: keep the backup, and see writ log restore", ErrRolledBack, b.to.Dir, had.Size, b.signed.Size)
	}
	return nil
}

// copyBegin copies what a pruned log begins with: the blobs that it keeps, the signed
// head of what was pruned, and last the beginning itself.
func (b *backup) copyBegin() error {
	if b.begin.pruned == nil {
		return nil
	}
	for _, raw := range b.begin.snapshot.Entries {
		e, err := decisions.ParseEnvelope(raw)
		if err == nil {
			err = eachBlob(e, b.readBlob, b.copyBlob)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range []func(string) string{
		func(dir string) string { return sealedFile(dir, b.begin.segment-1) }, beginFile,
	} {
		content, err := readFile(b.disk, name(b.from.logDir()), beginLimit)
		if err == nil {
			err = replaceFile(b.disk, name(b.to.logDir()), content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *backup) readBlob(name string) ([]byte, error) {
	return readBlob(b.disk, b.from.blobDir(), name)
}

// directory makes the backup's directory, or takes an earlier backup's. A directory
// that holds another thing's log is refused.
func (b *backup) directory() (err error) {
	if err = mkdirAll(b.disk, b.to.Dir); err != nil {
		return err
	}
	mark := filepath.Join(b.to.Dir, backupMark)
	marked, err := exists(b.disk, mark)
	if err != nil {
		return err
	}
	if !marked {
		if taken, err := holdsLog(b.disk, b.to.Dir); taken || err != nil {
			return errors.Join(err, fmt.Errorf("%w: %s holds a log and is no backup: name another directory", ErrBackup, b.to.Dir))
		}
	}
	if b.lock, err = b.disk.Lock(b.to.lockFile()); err != nil {
		return err
	}
	if !marked {
		err = replaceFile(b.disk, filepath.Join(b.to.Dir, unfinishedMark), []byte("writ log backup was not finished: run it again.\n"))
		if err == nil {
			err = replaceFile(b.disk, mark, []byte(backupWords))
		}
	}
	for _, dir := range []string{b.to.logDir(), b.to.blobDir()} {
		if err == nil {
			err = durableDir(b.disk, dir)
		}
	}
	if err == nil { // what an earlier run left may not be durable
		err = b.disk.SyncDir(b.to.logDir())
	}
	return err
}

func holdsLog(disk FS, dir string) (bool, error) {
	files, err := disk.ReadDir(dir)
	for _, f := range files {
		if f.Name() == "log" || f.Name() == "checkpoint" {
			return true, err
		}
	}
	return false, err
}

// copyLog goes on from the last segment that the backup has, which may have grown, and
// stops behind the batch that holds the last entry of the checkpoint.
func (b *backup) copyLog(ctx context.Context) error {
	number := b.begin.segment
	if len(b.held) > 0 {
		number = b.held[len(b.held)-1].number
	}
	if s := numbered(b.walk.segments, number); s != nil {
		b.walk.at = place{first: s.first, segment: number, offset: segmentHeader, prev: s.prev}
	}
	b.end = segmentHeader
	for b.o.all || b.walk.at.first < b.signed.Size {
		if err := ctx.Err(); err != nil {
			return err
		}
		batch, err := b.walk.next()
		if errors.Is(err, errEnd) && b.o.all {
			break
		}
		if errors.Is(err, errEnd) {
			return fmt.Errorf("%w: the log has %d entries, %s is signed for %d: %s", ErrRolledBack, b.walk.at.first, b.from.checkpoint(), b.signed.Size, restore)
		}
		if err != nil {
			return err
		}
		for ; number < batch.place.segment; number++ {
			if err := b.copySegment(number); err != nil {
				return err
			}
		}
		if err := b.copyBlobs(batch); err != nil {
			return err
		}
		b.end = b.walk.at.offset
		if b.o.Progress != nil {
			b.o.Progress(b.walk.at.first)
		}
	}
	if numbered(b.walk.segments, number) == nil {
		return fmt.Errorf("%w: %s has no entry", ErrDamaged, b.from.logDir())
	}
	return b.copySegment(number)
}

// copySegment copies a segment up to b.end; zeros follow.
func (b *backup) copySegment(number uint32) error {
	s := numbered(b.walk.segments, number)
	if have := numbered(b.held, number); have != nil {
		if more, err := b.grew(have, s); err != nil || !more {
			return err
		}
	}
	b.report.Segments++
	return copyFile(b.disk, s.file, segmentName(b.to.logDir(), number), b.end, int64(s.size))
}

// grew says whether a segment has more than its copy, and checks that the copy is how
// it begins.
func (b *backup) grew(have, s *segment) (bool, error) {
	end, err := zeroFrom(have.file, segmentHeader, int64(have.size))
	if err != nil {
		return false, err
	}
	for at := int64(0); at < min(end, b.end); at += chunk {
		was, is := make([]byte, min(chunk, min(end, b.end)-at)), make([]byte, min(chunk, min(end, b.end)-at))
		if _, err := have.file.ReadAt(was, at); err != nil {
			return false, err
		}
		if _, err := s.file.ReadAt(is, at); err != nil {
			return false, err
		}
		if !bytes.Equal(was, is) {
			return false, fmt.Errorf("%w: %s is not how %s begins: verify both, and back up into another directory", ErrDamaged, have.name, s.name)
		}
	}
	return end < b.end, nil
}

// copyFile copies the first bytes of a file under a new name, which appears at once.
// The copy has a size of its own; zeros fill it.
func copyFile(disk FS, from File, name string, length, size int64) error {
	temporary := name + ".tmp"
	to, err := disk.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = copyBytes(to, from, length)
	if err == nil && length < size {
		_, err = to.WriteAt([]byte{0}, size-1)
	}
	if err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		_ = disk.Remove(temporary) // gives a full disk its room back
		return fmt.Errorf("copy to %s: %w", name, err)
	}
	if err := disk.Rename(temporary, name); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(name))
}

func copyBytes(to, from File, length int64) error {
	buf := make([]byte, min(length, fillStep))
	for at := int64(0); at < length; at += int64(len(buf)) {
		part := buf[:min(int64(len(buf)), length-at)]
		if n, err := from.ReadAt(part, at); n < len(part) {
			return errors.Join(err, io.ErrUnexpectedEOF)
		}
		if _, err := to.WriteAt(part, at); err != nil {
			return err
		}
	}
	return nil
}

func (b *backup) copyBlobs(batch *batch) error {
	for _, e := range batch.envelopes {
		if err := eachBlob(e, b.readBlob, b.copyBlob); err != nil {
			return fmt.Errorf("entry %d: %w", e.Sequence, err)
		}
	}
	return nil
}

// copyBlob copies a blob unless the backup has it, whole.
func (b *backup) copyBlob(name string) error {
	if b.blobs[name] {
		return nil
	}
	b.blobs[name] = true
	path := blobPath(b.to.blobDir(), name)
	if _, err := readBlob(b.disk, b.to.blobDir(), name); err == nil {
		return b.syncOnce(filepath.Dir(path))
	}
	content, err := readBlob(b.disk, b.from.blobDir(), name)
	if err != nil {
		return err
	}
	if err := durableDir(b.disk, filepath.Dir(path)); err != nil {
		return err
	}
	b.report.Blobs++
	return replaceFile(b.disk, path, content)
}

// syncOnce makes the names durable that an earlier run left in a directory.
func (b *backup) syncOnce(dir string) error {
	if b.synced[dir] {
		return nil
	}
	b.synced[dir] = true
	return b.disk.SyncDir(dir)
}

// copyHeads copies the checkpoints of segments that are whole in the backup, and last
// the one that the copy reaches.
func (b *backup) copyHeads() error {
	for _, s := range b.walk.segments[:b.walk.at.segment-b.begin.segment] {
		to := sealedFile(b.to.logDir(), s.number)
		if there, err := exists(b.disk, to); there || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		head, err := readFile(b.disk, sealedFile(b.from.logDir(), s.number), checkpointLimit)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is not signed yet
		}
		if err == nil {
			err = replaceFile(b.disk, to, head)
		}
		if err != nil {
			return err
		}
	}
	if err := b.copyChain(); err != nil {
		return err
	}
	return replaceFile(b.disk, b.to.checkpoint(), b.note)
}

// copyChain copies the statements of key changes, before a checkpoint needs them.
func (b *backup) copyChain() error {
	chain, err := readFile(b.disk, filepath.Join(b.from.Dir, chainFile), chainLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = replaceFile(b.disk, filepath.Join(b.to.Dir, chainFile), chain)
	}
	return err
}

// copyEpochs copies the logs that this one goes on from, which nobody writes any more.
func (b *backup) copyEpochs(ctx context.Context) error {
	all, err := b.disk.ReadDir(filepath.Join(b.from.Dir, epochsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range all {
		if err == nil {
			_, err = Backup(ctx, BackupOptions{
				Dir: filepath.Join(b.from.Dir, epochsDir, e.Name()), To: filepath.Join(b.epochs, e.Name()), FS: b.disk, all: true,
			})
		}
	}
	return err
}

// copyKeys copies the key directory without the anchor, which is of this moment: put
// back with old data, it would vouch for them.
func (b *backup) copyKeys() error {
	if err := mkdirAll(b.disk, b.o.KeysTo); err != nil {
		return err
	}
	names, err := keyFiles(b.disk, b.from.KeyDir)
	if err != nil {
		return err
	}
	for _, name := range names {
		from := filepath.Join(b.from.KeyDir, name)
		if from == b.from.Anchor {
			continue
		}
		if err := copyWhole(b.disk, from, filepath.Join(b.o.KeysTo, name)); err != nil {
			return err
		}
		b.report.Keys++
	}
	return nil
}
