package ledger

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/dgraph-io/badger/v4"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Options of a ledger. The zero value of every field but Dir works.
type Options struct {
	// Dir holds log, blobs, index and checkpoint; made where there is none.
	Dir string
	// KeyDir holds the signing key and the digest key, which belong on another
	// volume than the data. Default: Dir + ".keys".
	KeyDir string
	// Anchor is the file that holds a second copy of the latest checkpoint, so that
	// an old copy of Dir is noticed. Default: "anchor" in KeyDir.
	Anchor string
	// SegmentBytes is the size of a log file. Default 64 MiB, at least 512 KiB.
	SegmentBytes int64
	// A checkpoint is due after this much time or this many entries; but never sooner
	// than a quarter of the time after the one before, since its syncs compete with
	// the log's for the disk. Default: 1 s, 1,000.
	CheckpointInterval time.Duration
	CheckpointEntries  uint64
	// ReserveBytes of free space, below which nothing is appended. Default 256 MiB, and
	// never less than the 96 MiB that the index may need.
	ReserveBytes uint64
	// Retention says what is pruned. The zero value keeps everything.
	Retention Retention
	// NoScrub leaves out the verification of the whole log beside the answers. It is for
	// tests that count what the disk is asked.
	NoScrub bool
	// Version of the program, for the log.
	Version string
	Logger  *slog.Logger
	// Now is the clock. Default time.Now.
	Now func() time.Time
	// FS is the disk. Default: the operating system's.
	FS FS

	// restored is what a log that is begun now goes on from; Restore sets it.
	restored *ledgerv1.Restored
	// tuneIndex changes how Badger is opened: a simulation keeps it in memory.
	tuneIndex func(badger.Options) badger.Options
}

const minSegmentBytes = 512 << 10

func (o Options) withDefaults() (Options, error) {
	if o.Dir == "" {
		return o, fmt.Errorf("%w: Dir is empty: name a data directory", ErrOptions)
	}
	o.SegmentBytes = defaulted(o.SegmentBytes, 64<<20)
	if o.SegmentBytes < minSegmentBytes || o.SegmentBytes > 1<<32 {
		return o, fmt.Errorf("%w: SegmentBytes is %d: choose %d to %d", ErrOptions, o.SegmentBytes, minSegmentBytes, int64(1)<<32)
	}
	if err := o.Retention.check(); err != nil {
		return o, err
	}
	o.Dir = filepath.Clean(o.Dir)
	o.KeyDir = defaulted(o.KeyDir, o.Dir+".keys")
	o.Anchor = defaulted(o.Anchor, filepath.Join(o.KeyDir, anchorFile))
	o.CheckpointInterval = defaulted(o.CheckpointInterval, time.Second)
	o.CheckpointEntries = defaulted(o.CheckpointEntries, 1000)
	o.ReserveBytes = max(defaulted(o.ReserveBytes, 256<<20), indexNeeds)
	o.Version = defaulted(o.Version, "unknown")
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.FS == nil {
		o.FS = osFS{}
	}
	return o, nil
}

func defaulted[T comparable](value, otherwise T) T {
	var zero T
	if value == zero {
		return otherwise
	}
	return value
}

// Names below Dir.
func (o Options) logDir() string     { return filepath.Join(o.Dir, "log") }
func (o Options) blobDir() string    { return filepath.Join(o.Dir, "blobs") }
func (o Options) indexDir() string   { return filepath.Join(o.Dir, "index") }
func (o Options) checkpoint() string { return filepath.Join(o.Dir, "checkpoint") }
func (o Options) lockFile() string   { return filepath.Join(o.Dir, "LOCK") }
func (o Options) cleanFile() string  { return filepath.Join(o.Dir, "clean") }
