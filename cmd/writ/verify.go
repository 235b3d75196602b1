package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/writ-dev/writ/decisions/ledger"
)

// keysOf say by which public key a log's directory is checked.
type keysOf struct {
	Keys   string `type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	Key    string `help:"The log's verifier key instead, so that no key directory is needed."`
	Anchor string `type:"path" help:"File with the newest checkpoint that was kept elsewhere; default: anchor among the keys."`
}

func (k keysOf) verifyOptions(dir string) ledger.VerifyOptions {
	return ledger.VerifyOptions{Dir: dir, KeyDir: k.Keys, VerifierKey: k.Key, Anchor: k.Anchor}
}

// explain says with which flags a key is given.
func (k keysOf) explain(err error) error {
	if k.Key == "" && errors.Is(err, ledger.ErrKeys) && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: with --key, or name with --keys the directory that has it", err)
	}
	return err
}

type logVerifyCmd struct {
	Dir string `arg:"" type:"existingdir" help:"The log's data directory, or an export of it."`
	keysOf
	PresentOnly bool `help:"Leave out the earlier epochs, which the log was restored from."`
	output
}

func (logVerifyCmd) Help() string {
	return "Example:\n  writ log verify writ-data\n  writ log verify /srv/writ-export --key \"$(cat writ.pub)\""
}

func (c logVerifyCmd) Run(ctx context.Context, s streams) error {
	shown := progressOn(s.err)
	o := c.verifyOptions(c.Dir)
	o.Progress, o.PresentOnly = shown.entries, c.PresentOnly
	if isArchive(c.Dir) {
		report, err := ledger.VerifyArchive(ctx, o, 0)
		shown.done()
		if err != nil {
			return c.explain(err)
		}
		return c.tellArchive(s, report)
	}
	report, err := ledger.Verify(ctx, o)
	shown.done()
	if err != nil {
		return c.explain(err)
	}
	return c.tell(s, report)
}

// isArchive tells an export from a data directory.
func isArchive(dir string) bool {
	_, tiles := os.Stat(filepath.Join(dir, "tile"))
	_, segments := os.Stat(filepath.Join(dir, "log"))
	return tiles == nil && segments != nil
}

func (c logVerifyCmd) tell(s streams, report ledger.Report) error {
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "entries": report.Entries, "decisions": report.Decisions, "repeats": report.Repeats,
			"first": report.First, "pruned": prunedRow(report.Pruned), "checkpoints_not_compared": report.Uncompared,
			"batches": report.Batches, "segments": report.Segments, "blobs": report.Blobs,
			"checkpoints": report.Checkpoints, "signed": report.Signed,
			"verifier_key": report.VerifierKey, "key_changes": report.KeyChanges,
			"root": hex.EncodeToString(report.Root[:]), "torn_bytes": report.TornBytes, "epochs": epochRows(report.Epochs),
		})
	}
	say(s.out, "verified: log %s, %d entries (%d decisions, %d of them repeats) in %d batches and %d segments, %d blobs\n",
		report.LogID, report.Entries, report.Decisions, report.Repeats, report.Batches, report.Segments, report.Blobs)
	say(s.out, "root %x; %d checkpoints hold, the newest covers %d entries\n", report.Root, report.Checkpoints, report.Signed)
	if p := report.Pruned; p != nil {
		say(s.out, "entries 0 to %d were pruned on %s by %s, as entry %d says, and are covered by a checkpoint; %s\n",
			report.First-1, p.Time.UTC().Format(time.DateOnly), p.By, p.Sequence, keptWhere(p.Archive))
	}
	if report.Uncompared > 0 {
		say(s.out, "%d of the checkpoints are of fewer entries than were pruned, and hold by their signature only\n", report.Uncompared)
	}
	if report.KeyChanges > 0 {
		say(s.out, "the key was changed %s; now it is %s\n", counted(report.KeyChanges, "time"), report.VerifierKey)
	}
	if report.TornBytes > 0 {
		say(s.out, "%d bytes after the last batch: one that is being written now, or never was acknowledged\n", report.TornBytes)
	}
	for _, e := range report.Epochs {
		say(s.out, "it goes on from log %s, whose %d entries verify; lost are those after them%s\n", e.LogID, e.Entries, knownLost(e.Lost))
	}
	return nil
}

func prunedRow(p *ledger.Pruning) map[string]any {
	if p == nil {
		return nil
	}
	return map[string]any{"sequence": p.Sequence, "time": p.Time.UTC(), "by": p.By, "archive": p.Archive}
}

func epochRows(epochs []ledger.EpochReport) []map[string]any {
	rows := make([]map[string]any, 0, len(epochs))
	for _, e := range epochs {
		rows = append(rows, map[string]any{"log_id": e.LogID, "entries": e.Entries, "known_lost": e.Lost})
	}
	return rows
}

func (c logVerifyCmd) tellArchive(s streams, report ledger.ExportReport) error {
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "entries": report.Entries, "blobs": report.Blobs, "root": hex.EncodeToString(report.Root[:]),
		})
	}
	say(s.out, "verified: an export of log %s, %d entries, %d blobs\nroot %x\n", report.LogID, report.Entries, report.Blobs, report.Root)
	return nil
}
