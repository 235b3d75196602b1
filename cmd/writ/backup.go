package main

import (
	"context"
	"fmt"

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

type logRestoreCmd struct {
	Backup  string `arg:"" type:"existingdir" help:"A backup, or any other copy of a data directory that nobody writes."`
	Data    string `required:"" type:"path" help:"Directory of the new log; it must not hold one."`
	Keys    string `type:"path" help:"Directory of the new log's keys; default: the data directory's name and .keys. What it holds of the old log is put aside below epochs."`
	Anchor  string `type:"path" help:"File that keeps the newest checkpoint, as for serve; default: anchor among the keys."`
	OldKeys string `type:"path" help:"Directory of the old log's keys, or a copy of it; default: that of the new log's."`
	Key     string `help:"The old log's verifier key, where it is not among its keys."`
	output
}

func (logRestoreCmd) Help() string {
	return "Example:\n  writ log restore /mnt/backup/writ --data /var/lib/writ --keys /etc/writ/keys\n\nThe old log does not go on: what it answered after the backup is not known. A new log begins, of another id and\nsigning key, that knows the old one's idempotency keys and names it in its first entry; the old one stays beside,\nbelow epochs. Cut short, it goes on where it stopped."
}

func (c logRestoreCmd) Run(ctx context.Context, s streams) error {
	report, err := ledger.Restore(ctx, ledger.RestoreOptions{
		Backup: c.Backup, Dir: c.Data, KeyDir: c.Keys, Anchor: c.Anchor, OldKeys: c.OldKeys, VerifierKey: c.Key,
		Actor: account(), By: "os", Version: version,
	})
	if err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": report.LogID, "verifier_key": report.VerifierKey, "old_log_id": report.OldLogID,
			"old_entries": report.Entries, "known_lost": report.Lost, "idempotency_keys": report.Keys,
		})
	}
	say(s.out, "restored: log %s begins, and goes on from the %d entries of log %s, with %d idempotency keys\n", report.LogID, report.Entries, report.OldLogID, report.Keys)
	say(s.out, "its public key, for auditors: %s\n", report.VerifierKey)
	say(s.out, "lost is what log %s answered with a sequence of %d or more%s\n", report.OldLogID, report.Entries, knownLost(report.Lost))
	return nil
}

func knownLost(entries uint64) string {
	if entries == 0 {
		return ""
	}
	return fmt.Sprintf(": %d entries at least, by its newest checkpoint", entries)
}
