package ledger

import (
	"fmt"
	"sync/atomic"
	"time"
)

const spaceInterval = time.Second

// space knows whether there is room. It asks the disk in the background, so that an
// append only looks at a flag.
type space struct {
	l    *Ledger
	stop chan struct{}
	low  atomic.Bool
}

func (s *space) run() {
	ticker := time.NewTicker(spaceInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
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
}

// err is ErrNoSpace while there is too little.
func (s *space) err() error {
	if !s.low.Load() {
		return nil
	}
	return fmt.Errorf("%w: less than %d MiB are free below %s: free some space, it goes on by itself", ErrNoSpace, s.l.opts.ReserveBytes>>20, s.l.opts.Dir)
}
