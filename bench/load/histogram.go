package load

import (
	"math/bits"
	"time"
)

// A histogram's buckets are exact up to 64 ns; above, 64 of them divide each power of
// two, so that a bucket is at most 1.6 % wide. What took longer than 2^40 ns (18
// minutes) counts as that.
const (
	subBits  = 6
	sub      = 1 << subBits
	maxBits  = 40
	nBuckets = (maxBits - subBits + 1) * sub
)

// Histogram counts durations in a fixed space, so that a run of any length fits. The
// zero value is empty. It is not safe for concurrent use.
type Histogram struct {
	n       uint64
	buckets [nBuckets]uint64
}

// Add counts one duration; a negative one counts as none.
func (h *Histogram) Add(d time.Duration) {
	h.n++
	h.buckets[bucket(uint64(max(0, d)))]++
}

// Merge adds what another one counted.
func (h *Histogram) Merge(other *Histogram) {
	h.n += other.n
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
}

// Count is how many durations were added.
func (h *Histogram) Count() uint64 { return h.n }

// Quantile returns a duration that the given share of all (0 to 1) does not exceed,
// at most one bucket above the true one; 0 where nothing was added.
func (h *Histogram) Quantile(share float64) time.Duration {
	rank := max(1, uint64(share*float64(h.n)+0.5))
	seen := uint64(0)
	for i, n := range h.buckets {
		if seen += n; n > 0 && seen >= rank {
			return upper(i)
		}
	}
	return 0
}

func bucket(v uint64) int {
	v = min(v, 1<<maxBits-1)
	shift := max(0, bits.Len64(v)-subBits-1)
	return shift<<subBits + int(v>>shift)
}

// upper is the largest value in a bucket.
func upper(i int) time.Duration {
	shift := max(0, i>>subBits-1)
	return time.Duration((i-shift<<subBits+1)<<shift - 1)
}
