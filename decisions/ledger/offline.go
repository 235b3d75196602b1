package ledger

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// ReadEntry reads one entry from a log's files, without the service and beside it. Its
// batch's checksum was checked, and nothing else: Verify says whether the log holds. By
// is the decision id or, in decimal, the sequence. Errors: ErrNotFound, ErrPruned, ErrDamaged,
// decisions.ErrDecisionID, the disk's.
func ReadEntry(ctx context.Context, o VerifyOptions, by string) (Record, error) {
	opts, err := Options{Dir: o.Dir, KeyDir: o.KeyDir, FS: o.FS}.withDefaults()
	if err != nil {
		return Record{}, err
	}
	from, segments, err := openForReading(opts.FS, opts.logDir())
	if err != nil {
		return Record{}, err
	}
	defer closeSegments(segments) //nolint:errcheck // opened for reading
	if len(segments) == 0 {
		return Record{}, fmt.Errorf("%w: no log in %s", ErrNotFound, o.Dir)
	}
	sequence, err := sequenceOf(by, segments[0].log())
	if err != nil {
		return Record{}, err
	}
	if sequence < from.first {
		return Record{}, from.gone(sequence)
	}
	return readEntry(ctx, segments, sequence)
}

// sequenceOf reads a decision id of the log, or a sequence.
func sequenceOf(by, logID string) (uint64, error) {
	var sequence uint64
	if _, err := fmt.Sscanf(by, "%d", &sequence); err == nil && fmt.Sprint(sequence) == by {
		return sequence, nil
	}
	prefix, sequence, err := decisions.ParseDecisionID(by)
	if err == nil && decisions.DecisionID(logID, sequence) != by {
		err = fmt.Errorf("%w: decision %s is of log %s…, this is log %s", ErrNotFound, by, prefix, logID)
	}
	return sequence, err
}

func readEntry(ctx context.Context, segments []*segment, sequence uint64) (Record, error) {
	after := sort.Search(len(segments), func(i int) bool { return segments[i].first > sequence })
	s := segments[after-1]
	w := walker{segments: segments, at: place{first: s.first, segment: s.number, offset: segmentHeader, prev: s.prev}, loose: true}
	for ctx.Err() == nil {
		b, err := w.next()
		if errors.Is(err, errEnd) {
			return Record{}, fmt.Errorf("%w: entry %d: the log has %d", ErrNotFound, sequence, w.at.first)
		}
		if err != nil {
			return Record{}, err
		}
		if i := sequence - b.place.first; i < uint64(len(b.entries)) {
			return record(sequence, b.leaves[i], append([]byte(nil), b.entries[i]...))
		}
	}
	return Record{}, ctx.Err()
}

// ReadItem decrypts an item of an entry of a log with the keys in the key directory.
// Errors as Ledger.Item, and the disk's.
func ReadItem(o VerifyOptions, item *ledgerv1.Item) ([]byte, error) {
	opts, err := Options{Dir: o.Dir, KeyDir: o.KeyDir, FS: o.FS}.withDefaults()
	if err != nil {
		return nil, err
	}
	f, err := opts.FS.OpenFile(filepath.Join(opts.KeyDir, itemKeysFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %w: name the directory that has it", decisions.ErrItemKey, err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // opened for reading
	head := make([]byte, slotSize)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", decisions.ErrItemKey, itemKeysFile, err)
	}
	logID, err := slotHeaderLog(head)
	if err != nil {
		return nil, fmt.Errorf("%w: %s in %s: %w", decisions.ErrItemKey, itemKeysFile, opts.KeyDir, err)
	}
	return openItem(opts, logID, item, func(n uint64) (slot, error) { return readSlot(f, n) })
}

// slotHeaderLog returns the log that a file of item keys is of.
func slotHeaderLog(head []byte) (string, error) {
	id := [16]byte(head[12:28])
	if string(head) != string(slotHeader(id)) {
		return "", errors.New("it does not begin as item keys do: restore the newest copy of the file")
	}
	return hex.EncodeToString(id[:]), nil
}
