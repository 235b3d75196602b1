package ledger

import (
	"sync"
	"time"
)

// recentTime is how long a blob that was put is safe from being pruned at least: far
// longer than a caller takes until the entry that names it is in the log.
const recentTime = 10 * time.Minute

// recentBlobs are the names put lately, whose entries may not be in the log yet. Putting
// a blob that is there already, and deleting one that nothing names any more, must not
// miss each other.
type recentBlobs struct {
	mu          sync.Mutex
	last, older map[string]struct{}
	turned      time.Time
	held        int // no name is forgotten while it is not 0
}

// note remembers a name. It comes before looking whether the blob is there.
func (r *recentBlobs) note(name string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || r.held == 0 && now.Sub(r.turned) >= recentTime {
		r.last, r.older, r.turned = map[string]struct{}{}, r.last, now
	}
	r.last[name] = struct{}{}
}

// hold keeps every name until it is let go.
func (r *recentBlobs) hold() (release func()) {
	r.add(1)
	return func() { r.add(-1) }
}

func (r *recentBlobs) add(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held += n
}

// unless does something about a blob unless it was put lately, and says whether it did.
func (r *recentBlobs) unless(name string, do func() error) (done bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, put := r.last[name]; put {
		return false, nil
	}
	if _, put := r.older[name]; put {
		return false, nil
	}
	return true, do()
}
