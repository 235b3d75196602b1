package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/writ-dev/writ/decisions"
)

// finishPrune deletes what stands before the log's beginning: first the blobs that only
// those segments name, as long as it can be read there which; then the segments, oldest
// first. Where it is cut short, the next start goes on.
func (l *Ledger) finishPrune(ctx context.Context, progress func(entries, of uint64)) error {
	from := l.origin()
	if from.pruned == nil {
		return nil
	}
	left, err := leftOver(l.opts.FS, l.opts.logDir(), from.segment)
	if err != nil || len(left) == 0 {
		return err
	}
	files, lists, err := l.namedBy(left)
	if err != nil {
		return err
	}
	if len(files)+len(lists) > 0 {
		if err := l.dropBlobs(ctx, progress, files, lists); err != nil {
			return err
		}
	}
	if err := l.dropFields(left); err != nil {
		return err
	}
	for _, name := range left {
		if err := l.opts.FS.Remove(name); err != nil {
			return fmt.Errorf("delete what was pruned: %w", err)
		}
	}
	return l.opts.FS.SyncDir(l.opts.logDir())
}

// dropFields forgets what the index has of segment files. Where the disk is full, it
// keeps that: nobody asks for it any more.
func (l *Ledger) dropFields(segments []string) error {
	for _, name := range segments {
		number, isSegment := segmentNumber(filepath.Base(name))
		if !isSegment || l.space.forIndex() != nil {
			continue
		}
		if err := l.index.guard(func() error { return l.index.dropFields(number) }); err != nil {
			return err
		}
	}
	return nil
}

// leftOver are the files of segments before a number, oldest first. The checkpoint at
// the end of the last one stays: it is signed for what was pruned.
func leftOver(disk FS, logDir string, number uint32) ([]string, error) {
	files, err := disk.ReadDir(logDir)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, f := range files {
		of, isSegment := segmentNumber(f.Name())
		signed, isSigned := fileNumber(f.Name(), ".checkpoint")
		if isSegment && of < number || isSigned && signed+1 < number {
			left = append(left, filepath.Join(logDir, f.Name()))
		}
	}
	slices.Sort(left)
	return left, nil
}

// namedBy are the blobs that entries of segment files name, and apart from them those
// that are lists of others. What can't be read is passed over: it was verified before.
func (l *Ledger) namedBy(segments []string) (blobs, lists map[string]bool, err error) {
	blobs, lists = map[string]bool{}, map[string]bool{}
	read := func(list string) ([]byte, error) {
		delete(blobs, list)
		lists[list] = true
		return l.Blob(list)
	}
	for _, name := range segments {
		if _, isSegment := segmentNumber(filepath.Base(name)); !isSegment {
			continue
		}
		err := l.eachEntry(name, func(e decisions.Envelope) error {
			return eachBlob(e, read, func(blob string) error { blobs[blob] = true; return nil })
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return blobs, lists, nil
}

// eachEntry visits the entries of a segment's file. A list of files that is deleted
// already names nothing any more.
func (l *Ledger) eachEntry(name string, visit func(decisions.Envelope) error) error {
	f, err := l.opts.FS.OpenFile(name, readOnly, 0)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	head := make([]byte, segmentHeader)
	if _, err := f.ReadAt(head, 0); err != nil {
		return err
	}
	h, err := parseHeader(head)
	if err != nil {
		return nil // nothing to read here
	}
	scan, offset := scanner{file: f}, int64(segmentHeader)
	for {
		frame, err := scan.frameAt(offset, h.mark)
		if errors.Is(err, errNoFrame) || errors.Is(err, errBadFrame) {
			return nil
		}
		if err != nil {
			return err
		}
		entries, _ := frame.entries(nil)
		for _, raw := range entries {
			e, err := decisions.ParseEnvelope(raw)
			if err != nil {
				continue
			}
			if err := visit(e); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		offset += frameHeader + int64(len(frame.payload))
	}
}

// dropBlobs deletes those blobs that nothing names that remains. The lists go durably
// after what they list, so that a start which goes on knows it.
func (l *Ledger) dropBlobs(ctx context.Context, progress func(entries, of uint64), all ...map[string]bool) error {
	release := l.recent.hold()
	defer release()
	kept, err := l.keptBlobs(ctx, progress)
	if err != nil {
		return err
	}
	for _, names := range all {
		maps.DeleteFunc(names, func(name string, _ bool) bool { return kept(name) })
		if err := l.dropEach(names); err != nil {
			return fmt.Errorf("delete what was pruned: %w", err)
		}
	}
	return nil
}

// dropEach deletes blobs, durably.
func (l *Ledger) dropEach(names map[string]bool) error {
	dirs := map[string]bool{}
	for name := range names {
		path := blobPath(l.opts.blobDir(), name)
		gone, err := l.recent.unless(name, func() error { return l.opts.FS.Remove(path) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if gone {
			dirs[filepath.Dir(path)] = true
		}
	}
	for dir := range dirs {
		if err := l.opts.FS.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
