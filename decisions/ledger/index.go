package ledger

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/writ-dev/writ/decisions"
)

// index is what can be computed from the log and is kept so that it need not be:
// tree hashes, places, idempotency keys, and what entries can be found by. It stands at a multiple of tileWidth
// entries, behind the log; it is not synced; deleted, it is rebuilt.
//
//	"p"                       form of the index, log id, place of the last entry's
//	                          batch, frontier
//	"o"                       first entry that has a record; absent: 0
//	"t" tile number           place of the batch that holds the tile's first entry,
//	                          checksum of its records in the file of entries
//	"n" level, number         root of a complete subtree of 2^level leaves, level ≥ 8
//	"k" key digest            key record
//	"s" first sequence, epoch key digest
//	"f" segment, field, number chunk of the field's values (chunks.go)
//	"r" segment               its mark, and where each chunk begins
//
// Numbers are big-endian.
type index struct {
	dir     string
	logID   string
	logger  *slog.Logger
	tune    func(badger.Options) badger.Options // nil: as they are
	db      *badger.DB
	entries entriesFile
	bitmaps bitmaps

	// Owned by whoever calls commit.
	frontier decisions.Frontier
	last     place  // of the batch that holds the last entry; start() while empty
	cursor   []byte // where the sweep for expired keys goes on
	// oldest is the first entry that has a record: others were pruned before the index
	// was rebuilt. A multiple of tileWidth.
	oldest uint64

	broken  atomic.Bool // a read or write failed: rebuild at the next start
	faulted atomic.Bool // its files can't be touched any more
}

// openIndex opens the index, and begins anew where it is damaged or another log's.
func openIndex(o Options, logID string) (*index, error) {
	dir, logger := o.indexDir(), o.Logger
	x := &index{dir: dir, logID: logID, logger: logger, tune: o.tuneIndex}
	err := x.open()
	if err == nil {
		return x, nil
	}
	logger.Warn("index unusable, rebuilding it from the log", "dir", dir, "error", err)
	return x, x.reset()
}

func (x *index) size() uint64 { return x.frontier.Size() }

func (x *index) open() (err error) {
	defer func() {
		if p := recover(); p != nil { // Badger panics on some damage
			err = fmt.Errorf("badger: %v", p)
		}
	}()
	options := indexOptions(x.dir, x.logger)
	if x.tune != nil {
		options = x.tune(options)
	}
	if err = os.MkdirAll(x.dir, 0o700); err != nil {
		return err
	}
	err = opening(x.dir, func() (err error) { x.db, err = badger.Open(options); return err })
	if err != nil {
		x.db = nil // Badger returns one that is half open
		return err
	}
	if err = x.load(); err == nil {
		err = x.entries.open(x.dir)
	}
	if err != nil {
		return errors.Join(err, x.db.Close())
	}
	return nil
}

// checkEntries reads all records of entries, and begins anew where some are not what
// was written: nothing here is synced, so a power cut may have left any part behind.
func (x *index) checkEntries() error {
	var records tileRecords
	for number := x.oldest / tileWidth; number < x.size()/tileWidth; number++ {
		var err error
		if records, err = x.tile(number, records); err != nil {
			x.logger.Warn("index unusable, rebuilding it from the log", "dir", x.dir, "error", err)
			x.broken.Store(false)
			return x.reset()
		}
	}
	return nil
}

// reset deletes the index and opens an empty one.
func (x *index) reset() error {
	if x.db != nil {
		if err := x.db.Close(); err != nil {
			x.logger.Warn("closing the old index", "error", err)
		}
		x.entries.close() //nolint:errcheck,gosec // it is deleted next
	}
	x.frontier, x.last, x.cursor, x.oldest = decisions.Frontier{}, start(), nil, 0
	err := os.RemoveAll(x.dir)
	if err == nil {
		err = x.open()
	}
	if err != nil {
		return fmt.Errorf("beginning the index %s anew: %w: look after the disk and its free space, then start again", x.dir, err)
	}
	return nil
}

func indexOptions(dir string, logger *slog.Logger) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(badgerLogger{logger}).
		WithChecksumVerificationMode(options.OnTableRead).
		WithMemTableSize(8 << 20). // three of them are in memory, and a compaction takes five and what they overlap
		WithNumMemtables(2).
		WithNumCompactors(2).
		WithBlockCacheSize(0). // what is neither compressed nor encrypted is read where it is mapped
		WithIndexCacheSize(32 << 20).
		WithValueLogFileSize(16 << 20).
		WithCompression(options.None).
		WithCompactL0OnClose(true).
		WithDetectConflicts(false).
		WithMetricsEnabled(false)
}

// indexForm changes with what a value means, so that an index of another form is
// rebuilt and not misread. 2: a key record's result tells a permit of which nothing is
// known from none (R28); without a form, neither was told. 3: a key record tells which
// epoch its first entry is of. 4: sealed segments' fields,
// and a file of entries.
const indexForm = 4

var (
	errForeign = errors.New("the index is another log's")
	errForm    = errors.New("the index is of another form")
)

// load reads the position.
func (x *index) load() error {
	x.last = start()
	return x.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get([]byte{'p'})
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := item.Value(x.parsePosition); err != nil {
			return err
		}
		return x.loadOldest(txn)
	})
}

func (x *index) loadOldest(txn *badger.Txn) error {
	item, err := txn.Get([]byte{'o'})
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return item.Value(func(b []byte) error {
		if len(b) != 8 {
			return fmt.Errorf("its oldest entry has %d bytes", len(b))
		}
		x.oldest = binary.BigEndian.Uint64(b)
		return nil
	})
}

func (x *index) parsePosition(b []byte) error {
	if len(b) < 1+16+placeSize {
		return fmt.Errorf("its position has %d bytes", len(b))
	}
	if b[0] != indexForm {
		return fmt.Errorf("%w: expected %d", errForm, indexForm)
	}
	b = b[1:]
	if id := hex.EncodeToString(b[:16]); id != x.logID {
		return fmt.Errorf("%w: %s, expected %s", errForeign, id, x.logID)
	}
	x.last = parsePlace(b[16:])
	return x.frontier.UnmarshalBinary(b[16+placeSize:])
}

func (x *index) position() ([]byte, error) {
	dst, err := hex.AppendDecode([]byte{indexForm}, []byte(x.logID))
	if err != nil {
		return nil, err
	}
	return x.frontier.AppendBinary(appendPlace(dst, x.last))
}

const placeSize = 8 + 4 + 8 + 8 + 32

func appendPlace(dst []byte, p place) []byte {
	dst = binary.BigEndian.AppendUint64(dst, p.first)
	dst = binary.BigEndian.AppendUint32(dst, p.segment)
	dst = binary.BigEndian.AppendUint64(dst, uint64(p.offset))
	dst = binary.BigEndian.AppendUint64(dst, uint64(p.before))
	return append(dst, p.prev[:]...)
}

func parsePlace(b []byte) place {
	return place{
		first:   binary.BigEndian.Uint64(b),
		segment: binary.BigEndian.Uint32(b[8:]),
		offset:  int64(binary.BigEndian.Uint64(b[12:])),
		before:  int64(binary.BigEndian.Uint64(b[20:])),
		prev:    decisions.Hash(b[28:placeSize]),
	}
}

// badgerLogger passes on what goes wrong; Badger's own progress is noise.
type badgerLogger struct{ *slog.Logger }

func (l badgerLogger) Errorf(f string, a ...any)   { l.Error(fmt.Sprintf("index: "+f, a...)) }
func (l badgerLogger) Warningf(f string, a ...any) { l.Warn(fmt.Sprintf("index: "+f, a...)) }
func (l badgerLogger) Infof(string, ...any)        {}
func (l badgerLogger) Debugf(string, ...any)       {}
