package main

import (
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type catalogCmd struct {
	Check   catalogCheckCmd   `cmd:"" help:"Check a catalogue and list every finding with its place and fix. Exit 1 where one keeps a release from being published."`
	Compare catalogCompareCmd `cmd:"" help:"Say what a catalogue or release newly can do beside an earlier one. Exit 1 where it can do anything."`
	Release catalogReleaseCmd `cmd:"" help:"Print the file of a release, with fingerprints and review digests filled in."`
	Init    catalogInitCmd    `cmd:"" help:"Write the sample catalogue into a new directory, to start from."`
}

type catalogCheckCmd struct {
	Dir    string `arg:"" type:"existingdir" help:"Directory with reviews, releases and toolsets."`
	Output string `short:"o" enum:"table,json,sarif" default:"table" help:"Format: table, json, or sarif (SARIF 2.1.0, for code scanning)."`
	policyOfStages
}

func (catalogCheckCmd) Help() string {
	return "Examples:\n  writ catalog check ./catalog\n  writ catalog check -o sarif ./catalog > catalog.sarif"
}

func (c catalogCheckCmd) Run(s streams) error {
	stages, err := c.stages()
	if err != nil {
		return err
	}
	found := catalog.Check(os.DirFS(c.Dir), time.Now(), stages...)
	if c.Output == "sarif" {
		return printSARIF(s, c.Dir, found)
	}
	return printFindings(s, output{c.Output}, found)
}

func printFindings(s streams, o output, found []catalog.Finding) error {
	errors := 0
	for _, f := range found {
		if f.Severity == catalog.Error {
			errors++
		}
	}
	if o.json() {
		if found == nil {
			found = []catalog.Finding{}
		}
		if err := printJSON(s.out, found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			say(s.out, "%s\n", f)
		}
		say(s.out, "%s, %s\n", counted(errors, "error"), counted(len(found)-errors, "warning"))
	}
	if errors > 0 {
		return errSilent
	}
	return nil
}

type catalogInitCmd struct {
	Dir string `arg:"" type:"path" help:"Directory to write; it must not exist."`
}

func (catalogInitCmd) Help() string {
	return "Example:\n  writ catalog init ./catalog && writ serve --catalog ./catalog"
}

func (c catalogInitCmd) Run(s streams) error {
	sample, err := catalog.Sample()
	if err != nil {
		return err
	}
	return writeNew(s, c.Dir, sample)
}

// writeNew copies a tree into a directory that is not there yet, so that nothing of
// the user's is overwritten.
func writeNew(s streams, dir string, tree fs.FS) error {
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // documents that a person edits and shares
		return fmt.Errorf("%w: name a directory that does not exist yet", err)
	}
	if err := os.CopyFS(dir, tree); err != nil {
		return err
	}
	say(s.out, "written: %s\n", dir)
	return nil
}
