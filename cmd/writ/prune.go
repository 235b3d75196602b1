package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/writ-dev/writ/decisions/ledger"
)

type logPruneCmd struct {
	Dir       string   `arg:"" type:"existingdir" help:"The log's data directory. Its service must not run: a running one prunes by itself (serve --keep-for)."`
	Before    moment   `help:"Drop segments all of whose entries are older: a day (2026-01-31), a time (RFC 3339) or an age (400d)."`
	KeepBytes byteSize `help:"Drop the oldest segments until the log's files are of at most so many bytes, as 100GiB."`
	Archive   string   `required:"" help:"Directory that what goes is exported to before, which is then verified; or none, to keep nothing of it."`
	Reason    string   `help:"Why, for the log."`
	DryRun    bool     `help:"Only say what would go."`
	Keys      string   `type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	Anchor    string   `type:"path" help:"File with the newest checkpoint that was kept elsewhere; default: anchor among the keys."`
	output
}

func (logPruneCmd) Help() string {
	return "Example:\n  writ log prune writ-data --before 400d --archive /srv/writ-archive --dry-run\n\nWhole segments go, oldest first; the newest two stay. What goes is verified and exported before, and an entry says that it went. What remains verifies by itself."
}

func (c logPruneCmd) Run(ctx context.Context, s streams) error {
	if c.KeepBytes == 0 && c.Before == (moment{}) {
		return errors.New("say what may go: --before, --keep-bytes, or both")
	}
	archive, err := archivePath(c.Archive)
	if err != nil {
		return err
	}
	shown := progressOn(s.err)
	o := ledger.PruneOptions{
		Before: c.Before.before(time.Now()), KeepBytes: int64(c.KeepBytes), Archive: archive,
		By: account(), Account: "os", Reason: c.Reason, Progress: shown.entries,
	}
	report, err := c.prune(ctx, o)
	shown.done()
	if err != nil {
		return err
	}
	return c.tell(s, report, archive)
}

func (c logPruneCmd) prune(ctx context.Context, o ledger.PruneOptions) (ledger.PruneReport, error) {
	if c.DryRun {
		return ledger.PlanPrune(ledger.VerifyOptions{Dir: c.Dir}, o)
	}
	l, err := ledger.Open(ctx, ledger.Options{Dir: c.Dir, KeyDir: c.Keys, Anchor: c.Anchor, Version: version, NoScrub: true})
	if err != nil {
		return ledger.PruneReport{}, err
	}
	report, err := l.Prune(ctx, o)
	return report, errors.Join(err, l.Close())
}

func (c logPruneCmd) tell(s streams, r ledger.PruneReport, archive string) error {
	if c.json() {
		return printJSON(s.out, map[string]any{
			"first": r.First, "entries": r.Entries, "segments": r.Segments, "bytes": r.Bytes, "sequence": r.Sequence, "dry_run": c.DryRun,
		})
	}
	switch {
	case r.Segments == 0:
		say(s.out, "nothing to prune: the log begins with entry %d\n", r.First)
	case c.DryRun:
		say(s.out, "would prune: entries %d to %d in %d segments, %d bytes\n", r.First-r.Entries, r.First-1, r.Segments, r.Bytes)
	default:
		say(s.out, "pruned: entries %d to %d in %d segments, %d bytes; entry %d says so\n", r.First-r.Entries, r.First-1, r.Segments, r.Bytes, r.Sequence)
		say(s.out, "the log begins with entry %d; %s\n", r.First, keptWhere(archive))
	}
	return nil
}

func keptWhere(archive string) string {
	if archive == "" || archive == ledger.NoArchive {
		return "nothing was kept of those before"
	}
	return "those before are in " + archive
}

// archivePath is absolute, since the log names it; none stays none.
func archivePath(archive string) (string, error) {
	if archive == "" || archive == ledger.NoArchive {
		return archive, nil
	}
	return filepath.Abs(archive)
}

// retention is what a running service prunes.
func (f serveFlags) retention() (ledger.Retention, error) {
	archive, err := archivePath(f.Archive)
	bounded := f.KeepFor > 0 || f.KeepBytes > 0
	if err == nil && bounded && archive == "" {
		err = fmt.Errorf("--keep-for and --keep-bytes need --archive: the directory that what goes is exported to before, or %q to keep nothing of it", ledger.NoArchive)
	}
	if err == nil && !bounded && archive != "" {
		err = errors.New("--archive is for what --keep-for or --keep-bytes lets go: say one of them")
	}
	return ledger.Retention{Age: time.Duration(f.KeepFor), Bytes: int64(f.KeepBytes), Archive: archive, By: account(), Account: "os"}, err
}
