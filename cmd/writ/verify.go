package main

import (
	"context"
	"encoding/hex"

	"github.com/writ-dev/writ/decisions/ledger"
)

type logVerifyCmd struct {
	Dir    string `arg:"" type:"existingdir" help:"The log's data directory."`
	Keys   string `type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	Key    string `help:"The log's verifier key instead, so that no key directory is needed."`
	Anchor string `type:"path" help:"File with the newest checkpoint that was kept elsewhere; default: anchor among the keys."`
	output
}

func (logVerifyCmd) Help() string {
	return "Example:\n  writ log verify writ-data"
}

func (c logVerifyCmd) Run(ctx context.Context, s streams) error {
	report, err := ledger.Verify(ctx, ledger.VerifyOptions{
		Dir: c.Dir, KeyDir: c.Keys, VerifierKey: c.Key, Anchor: c.Anchor,
	})
	if err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "entries": report.Entries, "decisions": report.Decisions, "repeats": report.Repeats,
			"batches": report.Batches, "segments": report.Segments, "blobs": report.Blobs,
			"checkpoints": report.Checkpoints, "signed": report.Signed,
			"root": hex.EncodeToString(report.Root[:]), "torn_bytes": report.TornBytes,
		})
	}
	say(s.out, "verified: log %s, %d entries (%d decisions, %d of them repeats) in %d batches and %d segments, %d blobs\n",
		report.LogID, report.Entries, report.Decisions, report.Repeats, report.Batches, report.Segments, report.Blobs)
	say(s.out, "root %x; %d checkpoints hold, the newest covers %d entries\n", report.Root, report.Checkpoints, report.Signed)
	if report.TornBytes > 0 {
		say(s.out, "%d bytes after the last batch: one that is being written now, or never was acknowledged\n", report.TornBytes)
	}
	return nil
}
