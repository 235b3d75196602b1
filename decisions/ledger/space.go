package ledger

import (
	"fmt"
	"sync/atomic"
	"time"
)

const (
	spaceInterval = time.Second
	// spaceBytes of entries are written at most between two looks at the disk.
	spaceBytes = 8 << 20
	// indexNeeds is what the index may touch of its files, which are mapped into
	// memory: a page that the disk has no room for would end the process.
	indexNeeds = 96 << 20
)

// space knows whether there is room. It asks the disk in the background, so that an
// append only looks at a flag.
type space struct {
	l    *Ledger
	stop chan struct{}
	due  chan struct{} // 1 deep
	low  atomic.Bool

	written int64 // since the last look that was asked for; the writer's
}

// wrote is told of each batch.
func (s *space) wrote(bytes int) {
	if s.written += int64(bytes); s.written < spaceBytes {
		return
	}
	s.written = 0
	select {
	case s.due <- struct{}{}:
	default:
	}
}

// forIndex is ErrNoSpace where the index could not be opened or closed safely.
func (s *space) forIndex() error {
	free, err := s.l.opts.FS.Free(s.l.opts.Dir)
	if err != nil || free >= indexNeeds {
		return nil //nolint:nilerr // a disk that can't say is not known to be full
	}
	return fmt.Errorf("%w: the index needs %d MiB, and %d are free below %s: free some space and start again",
		ErrNoSpace, indexNeeds>>20, free>>20, s.l.opts.Dir)
}

func (s *space) run() {
	ticker := time.NewTicker(spaceInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.check()
		case <-s.due:
			s.check()
		case <-s.stop:
			return
		}
	}
}

// check asks the disk. What can't be asked is taken for full: nothing is answered
// that might not be kept.
func (s *space) check() {
	free, err := s.l.opts.FS.Free(s.l.opts.Dir)
	if err != nil {
		s.l.opts.Logger.Error("free space unknown", "dir", s.l.opts.Dir, "error", err)
	}
	s.set(err != nil || free < s.l.opts.ReserveBytes)
}

func (s *space) set(low bool) {
	if s.low.Swap(low) == low {
		return
	}
	if low {
		s.l.opts.Logger.Warn("little space left, refusing new entries until there is room", "dir", s.l.opts.Dir, "reserve", s.l.opts.ReserveBytes)
		return
	}
	s.l.opts.Logger.Info("there is room again", "dir", s.l.opts.Dir)
	s.l.indexer.signal()
}

// err is ErrNoSpace while there is too little.
func (s *space) err() error {
	if !s.low.Load() {
		return nil
	}
	return fmt.Errorf("%w: less than %d MiB are free below %s: free some space, it goes on by itself", ErrNoSpace, s.l.opts.ReserveBytes>>20, s.l.opts.Dir)
}
