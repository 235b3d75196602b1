package ledger

import (
	"fmt"

	"github.com/writ-dev/writ/decisions"
)

// keepSegments is how many stay whatever is asked: the one that is written, and the one
// before it.
const keepSegments = 2

// PlanPrune says what Prune would drop. It only reads, takes no lock, and may run while
// the service does. Errors: ErrDamaged, ErrNewer, the disk's.
func PlanPrune(dir VerifyOptions, o PruneOptions) (PruneReport, error) {
	opts, err := Options{Dir: dir.Dir, FS: dir.FS}.withDefaults()
	if err != nil {
		return PruneReport{}, err
	}
	_, segments, err := openForReading(opts.FS, opts.logDir())
	if err != nil {
		return PruneReport{}, err
	}
	defer closeSegments(segments) //nolint:errcheck // opened for reading
	_, report, err := planPrune(segments, o)
	return report, err
}

// planPrune returns the segment that the log would begin with, and what would go; no
// segment where nothing would.
func planPrune(segments []*segment, o PruneOptions) (*segment, PruneReport, error) {
	report := PruneReport{}
	if len(segments) == 0 {
		return nil, report, nil
	}
	report.First = segments[0].first
	total := uint64(0)
	for _, s := range segments {
		total += s.size
	}
	var cut *segment
	for i := 1; i <= len(segments)-keepSegments; i++ {
		goes, next := segments[i-1], segments[i]
		due, err := isDue(next, total, o)
		if err != nil || !due {
			return cut, report, err
		}
		total -= goes.size
		cut, report.First = next, next.first
		report.Segments, report.Bytes, report.Entries = i, report.Bytes+goes.size, next.first-segments[0].first
	}
	return cut, report, nil
}

// isDue says whether the segment before goes: nothing in it is younger than the first
// entry of the next.
func isDue(next *segment, total uint64, o PruneOptions) (bool, error) {
	if o.KeepBytes > 0 && total > uint64(o.KeepBytes) {
		return true, nil
	}
	if o.Before.IsZero() {
		return false, nil
	}
	at, err := firstTime(next)
	return err == nil && !unixTime(at).After(o.Before), err
}

// firstTime is the time of a segment's first entry.
func firstTime(s *segment) (int64, error) {
	scan := scanner{file: s.file}
	f, err := scan.frameAt(segmentHeader, s.mark)
	if err != nil {
		return 0, damaged(s.first, s.name, segmentHeader, "%w: %s", err, restore)
	}
	entries, err := f.entries(nil)
	if err != nil {
		return 0, damaged(s.first, s.name, segmentHeader, "%w: %s", err, restore)
	}
	e, err := decisions.ParseEnvelope(entries[0])
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return e.Time, err
}
