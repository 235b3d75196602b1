package main

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

type logReadCmd struct {
	Dir   string `arg:"" type:"existingdir" help:"A data directory, a backup, or an earlier epoch below epochs."`
	From  uint64 `help:"The first entry's sequence."`
	Limit uint64 `short:"n" default:"20" help:"How many, at most 100000."`
	output
}

func (logReadCmd) Help() string {
	return "Example:\n  writ log read /var/lib/writ/epochs/5f3c09ab5f3c09ab5f3c09ab5f3c09ab --from 100\n\nReads files, oldest entry first, and needs neither service nor keys. Whether the log holds, writ log verify says."
}

func (c logReadCmd) Run(ctx context.Context, s streams) error {
	o := ledger.VerifyOptions{Dir: c.Dir}
	id, err := ledger.LogOf(o)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Dir, err)
	}
	limit := int(min(max(c.Limit, 1), 100_000))
	var found []*writv1.LogEntry
	for r, err := range ledger.ReadEntries(ctx, o, c.From) {
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		if found = append(found, offlineEntry(id, r)); len(found) == limit {
			break
		}
	}
	if c.json() {
		return printMessages(s.out, true, found...)
	}
	return newColumns(s.out, 0).show(found)
}

func offlineEntry(logID string, r ledger.Record) *writv1.LogEntry {
	e := &writv1.LogEntry{
		Position: &writv1.LogPosition{LogId: logID, Sequence: r.Sequence, LeafHash: r.Leaf[:]},
		Time:     timestamppb.New(r.Time), Entry: r.Entry, Raw: r.Raw,
	}
	switch {
	case r.Entry.GetDecision() == nil:
	case r.Entry.GetSettlement().GetDecisionId() != "":
		e.DecisionId = r.Entry.GetSettlement().GetDecisionId()
	default:
		e.DecisionId = decisions.DecisionID(logID, r.Sequence)
	}
	return e
}
