package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"
)

// usage is what one service took for what it did.
type usage struct {
	Estate estate `json:"estate"`
	// Ready is how long it took from its start to its first healthy answer.
	Ready time.Duration `json:"start_to_ready_ns"`
	// Resident is its memory at the end of the load and Peak the most it had, in bytes.
	Resident uint64      `json:"resident_bytes"`
	Peak     uint64      `json:"peak_bytes"`
	Ledger   ledgerStats `json:"ledger"`
	// Index is the space that the index takes after the stop, in bytes.
	Index uint64 `json:"index_bytes"`
	// Restart is Ready with what the load left behind.
	Restart time.Duration `json:"restart_to_ready_ns"`
}

// perEntry is what an entry takes in the log and in the index, in bytes.
func (u usage) perEntry() (log, index float64) {
	n := float64(max(1, u.Ledger.Entries))
	return float64(u.Ledger.Bytes) / n, float64(u.Index) / n
}

// usage has the log verified while the service runs, stops it, has it verified again,
// and starts it once more.
func (svc *service) usage(ctx context.Context, s settings) (usage, error) {
	u := usage{Estate: svc.at.estate, Ready: svc.ready}
	last, err := svc.reading(ctx)
	if err != nil {
		return u, err
	}
	u.Resident, u.Peak = last.resident, last.peak
	if err := verifyLog(ctx, s.writ, svc.at.data); err != nil {
		return u, fmt.Errorf("while the service runs: %w", err)
	}
	if u.Ledger, err = svc.stop(); err != nil {
		return u, fmt.Errorf("%w\n%s", err, svc.said())
	}
	if err := verifyLog(ctx, s.writ, svc.at.data); err != nil {
		return u, fmt.Errorf("after the service stopped: %w", err)
	}
	if u.Index, err = bytesBelow(filepath.Join(svc.at.data, "index")); err != nil {
		return u, err
	}
	again, err := s.start(ctx, svc.at)
	if err != nil {
		return u, fmt.Errorf("starting again: %w", err)
	}
	u.Restart = again.ready
	return u, again.end()
}
