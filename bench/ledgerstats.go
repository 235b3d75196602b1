package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// ledgerStats are the ledger's own counts, as the service logs them when it closes.
type ledgerStats struct {
	Entries uint64 `json:"entries"`
	Batches uint64 `json:"batches"`
	Syncs   uint64 `json:"syncs"`
	Bytes   uint64 `json:"bytes"`
}

var (
	closedLine = regexp.MustCompile(`(?m)^.*ledger closed.*$`)
	countField = regexp.MustCompile(`\b(entries|batches|syncs|bytes)"?[=:](\d+)`)
)

// parseStats finds the line "ledger closed" in the service's log, text or JSON.
func parseStats(log []byte) (ledgerStats, error) {
	var s ledgerStats
	line := closedLine.Find(log)
	if line == nil {
		return s, errors.New(`the service stopped without saying "ledger closed"`)
	}
	into := map[string]*uint64{"entries": &s.Entries, "batches": &s.Batches, "syncs": &s.Syncs, "bytes": &s.Bytes}
	for _, m := range countField.FindAllSubmatch(line, -1) {
		n, err := strconv.ParseUint(string(m[2]), 10, 64)
		if err != nil {
			return s, err
		}
		*into[string(m[1])] = n
	}
	if s.Entries == 0 || s.Batches == 0 {
		return s, fmt.Errorf("no counts in %q", line)
	}
	return s, nil
}
