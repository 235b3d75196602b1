package decisions

// Carried returns the keys as the log holds them that goes on from this one, as a new
// epoch: their first entries are of this log, and a repeat keeps its decision id (R27).
// What has expired stays behind.
func (s *Snapshot) Carried() *MemoryKeys {
	carried := &MemoryKeys{}
	for key, r := range s.Keys.records {
		if r.Expires <= s.Time {
			continue
		}
		if r.First.Epoch == "" {
			r.First.Epoch = Epoch(s.LogID)
		}
		carried.SetKey(key, r, 0)
	}
	return carried
}

// Epoch is what of a log's id its decision ids begin with: 8 hex digits. Logs that go on
// from each other have different ones.
func Epoch(logID string) string { return logID[:min(idPrefix, len(logID))] }
