package main

import (
	"context"

	"github.com/writ-dev/writ/decisions/ledger"
)

type logBackupCmd struct {
	Dir    string `arg:"" type:"existingdir" help:"The log's data directory."`
	To     string `required:"" type:"path" help:"Directory of the backup: new, empty, or an earlier backup of this log, to which what is new is added."`
	Keys   string `type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	KeysTo string `type:"path" help:"Directory for a copy of the keys, apart from the backup. Without it the keys are not copied."`
	output
}

func (logBackupCmd) Help() string {
	return "Example:\n  writ log backup /var/lib/writ --keys /etc/writ/keys --to /mnt/backup/writ --keys-to /mnt/safe/writ-keys\n\nThe service may run; nothing waits for the copy. Cut short, it goes on where it stopped."
}

func (c logBackupCmd) Run(ctx context.Context, s streams) error {
	report, err := ledger.Backup(ctx, ledger.BackupOptions{Dir: c.Dir, To: c.To, KeyDir: c.Keys, KeysTo: c.KeysTo})
	if err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "entries": report.Entries, "signed": report.Signed,
			"segments_written": report.Segments, "blobs_written": report.Blobs, "keys_written": report.Keys,
		})
	}
	say(s.out, "backed up: log %s, %d entries, the newest checkpoint covers %d; written: %d segments, %d blobs, %d key files\n",
		report.LogID, report.Entries, report.Signed, report.Segments, report.Blobs, report.Keys)
	return nil
}
