package main

import (
	"errors"
	"strings"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type reviewSetCmd struct {
	Tools []string `arg:"" help:"Tools, by name or pattern (read_*, in quotes)."`
	File  string   `short:"f" required:"" env:"WRIT_REVIEW" help:"The review: a file below the catalogue's directory reviews."`

	Effect   string `help:"write or read."`
	Risk     string `help:"high, medium or low."`
	Undo     string `help:"impossible, possible (with the four below) or trivial."`
	Exposure string `help:"outbound, sensitive, internal or none."`

	UndoWho        string `help:"Who can take the change back."`
	UndoNeeds      string `help:"What they need for it."`
	UndoWithin     string `help:"Within which time."`
	UndoConsumedBy string `help:"What may have used the change by then."`

	Collection  *bool  `negatable:"" help:"It acts on many things at once, or --no-collection: on one."`
	Idempotent  *bool  `negatable:"" help:"A second call changes nothing more, or --no-idempotent: it does."`
	Description string `help:"What it does, in your own words."`
	Boundary    string `help:"Which data may cross which border."`

	Basis     string `help:"What it rests on: source_code, vendor_documentation, contract, observation or sandbox_test. Stating it says that you have looked: a recheck mark goes."`
	Reference string `help:"Where that can be looked up. Goes with --basis."`
	By        string `env:"WRIT_REVIEWER" help:"The role or team that looked. Goes with --basis."`
	At        string `help:"The day of the look, as 2026-11-30; default: today. Goes with --basis."`
	Rejected  string `help:"The alternative that was considered, and why it is not so."`

	output
}

func (reviewSetCmd) Help() string {
	return `Example:
  writ review set -f catalog/reviews/files.yaml 'read_*' list_directory --effect read --risk low --undo trivial --exposure internal --no-collection --idempotent --basis source_code --reference "index.ts, its handlers" --by platform-team --rejected "exposure sensitive: the directory holds public documents"

States the same of several tools. Only what is given changes: comments, order and all else stay as they are. What "writ catalog check" would refuse is refused, and then nothing is written; traits and descriptions may stay open.`
}

// Validate refuses flags that say nothing alone.
func (c reviewSetCmd) Validate() error {
	if c.Undo == "" && c.UndoWho+c.UndoNeeds+c.UndoWithin+c.UndoConsumedBy != "" {
		return errors.New("--undo-who, --undo-needs, --undo-within and --undo-consumed-by go with --undo possible")
	}
	if c.Basis == "" && c.Reference+c.At != "" {
		return errors.New("--reference and --at go with --basis")
	}
	if c.Basis != "" && (c.Reference == "" || c.By == "") {
		return errors.New("--basis goes with --reference and --by")
	}
	return nil
}

func (c reviewSetCmd) Run(s streams) error {
	now := time.Now()
	file, err := inCatalog(c.File)
	if err != nil {
		return err
	}
	before, err := file.open(now)
	if err != nil {
		return err
	}
	after, names, err := before.Set(c.Tools, c.stating(now))
	if err != nil {
		return err
	}
	if err := file.change(file.name, before.Data, after.Data); err != nil {
		return err
	}
	return printSet(s, c.output, after.Tools(), names)
}

func (c reviewSetCmd) stating(now time.Time) catalog.Stating {
	at := c.At
	if at == "" {
		at = now.Format(time.DateOnly)
	}
	return catalog.Stating{
		Effect: c.Effect, Risk: c.Risk, Undo: c.Undo, Exposure: c.Exposure,
		Plan:       catalog.UndoPlan{Who: c.UndoWho, Needs: c.UndoNeeds, Within: c.UndoWithin, ConsumedBy: c.UndoConsumedBy},
		Collection: c.Collection, Idempotent: c.Idempotent,
		Description: c.Description, Boundary: c.Boundary, Rejected: c.Rejected,
		Kind: c.Basis, Reference: c.Reference, By: c.By, At: at,
	}
}

// printSet says of each tool that was stated what is still open.
func printSet(s streams, o output, tools []catalog.ToolStatus, names []string) error {
	stated := []catalog.ToolStatus{}
	for _, t := range tools {
		for _, name := range names {
			if t.Name == name {
				stated = append(stated, t)
			}
		}
	}
	if o.json() {
		return printJSON(s.out, stated)
	}
	var t table
	t.row("TOOL", "STILL OPEN")
	for _, tool := range stated {
		open := "nothing"
		if tool.Open() {
			open = strings.Join(openWords(tool), "; ")
		}
		t.row(shown(tool.Name), open)
	}
	return t.print(s.out)
}
