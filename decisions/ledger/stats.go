package ledger

import "sync/atomic"

// Stats count what this process did, from Open on.
type Stats struct {
	// Entries that became durable, in Batches; Bytes were written for them.
	Entries, Batches, Bytes uint64
	// Syncs of the log: one a batch.
	Syncs       uint64
	Checkpoints uint64
	Blobs       uint64
	// Behind is how many entries the index is behind the log.
	Behind uint64
	// Size is the log's, with what earlier processes wrote.
	Size uint64
}

type counters struct {
	entries, batches, bytes, checkpoints, blobs atomic.Uint64
}

func (c *counters) batch(entries, bytes int) {
	c.entries.Add(uint64(entries))
	c.batches.Add(1)
	c.bytes.Add(uint64(bytes))
}

// Stats returns the counts so far.
func (l *Ledger) Stats() Stats {
	batches := l.stats.batches.Load()
	return Stats{
		Entries:     l.stats.entries.Load(),
		Batches:     batches,
		Bytes:       l.stats.bytes.Load(),
		Syncs:       batches,
		Checkpoints: l.stats.checkpoints.Load(),
		Blobs:       l.stats.blobs.Load(),
		Behind:      uint64(l.tail.lag()),
		Size:        l.head.size.Load(),
	}
}
