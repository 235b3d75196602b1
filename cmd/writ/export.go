package main

import (
	"context"
	"encoding/hex"

	"github.com/writ-dev/writ/decisions/ledger"
)

type logExportCmd struct {
	Dir  string `arg:"" type:"existingdir" help:"The log's data directory."`
	To   string `required:"" type:"path" help:"Directory for the export; created where it is missing, added to where it holds an earlier export of this log."`
	UpTo uint64 `help:"Export at least so many entries: up to the smallest signed tree that has them. Default: all that the newest checkpoint covers."`
	keysOf
	output
}

func (logExportCmd) Help() string {
	return "Example:\n  writ log export writ-data --to /srv/writ-export\n\nWrites C2SP tlog-tiles, and beside them the blobs that entries name. Works while the service runs; the next export only adds.\nwrit log verify checks an export too."
}

func (c logExportCmd) Run(ctx context.Context, s streams) error {
	shown := progressOn(s.err)
	o := c.verifyOptions(c.Dir)
	o.Progress = shown.entries
	report, err := ledger.Export(ctx, ledger.ExportOptions{Log: o, To: c.To, UpTo: c.UpTo})
	shown.done()
	if err != nil {
		return c.explain(err)
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "entries": report.Entries, "added": report.Added,
			"tiles": report.Tiles, "blobs": report.Blobs, "root": hex.EncodeToString(report.Root[:]),
		})
	}
	say(s.out, "exported: log %s, %d entries in %s, %d of them new, with %d tiles and %d blobs\n",
		report.LogID, report.Entries, c.To, report.Added, report.Tiles, report.Blobs)
	say(s.out, "root %x\n", report.Root)
	return nil
}
