package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type catalogCompareCmd struct {
	Dirs       []string `arg:"" name:"dir" type:"existingdir" help:"The earlier catalogue, then the later one; with --automation one catalogue that holds both releases."`
	Automation string   `help:"Compare two releases of this automation."`
	Workspace  string   `default:"default" help:"Workspace of the automation."`
	Old        string   `help:"The earlier release; default: the one before --new."`
	New        string   `help:"The later release."`
	policyOfStages
	output
}

func (catalogCompareCmd) Help() string {
	return `Examples:
  writ catalog compare released/catalog ./catalog
  writ catalog compare --workspace demo --automation mail-triage --old 1.5 --new 2.0 ./catalog

Says what the later one newly can do: tools, servers and credentials that are new, traits that are gentler, a later stage, other inputs, a review that is no longer pinned. Between catalogues a release is compared with itself, or else with the one that it replaces.

Exit codes: 0 nothing new; 1 it newly can do something, or it failed; 2 usage.`
}

// Validate says which words belong together.
func (c catalogCompareCmd) Validate() error {
	switch {
	case c.Automation == "" && (c.Old != "" || c.New != ""):
		return errors.New("--old and --new are releases of an --automation")
	case c.Automation == "" && len(c.Dirs) != 2:
		return errors.New("name two catalogues, the earlier one first, or an --automation")
	case c.Automation != "" && (len(c.Dirs) != 1 || c.New == ""):
		return errors.New("with --automation: one catalogue, and --new")
	}
	return nil
}

func (c catalogCompareCmd) Run(s streams) error {
	stages, err := c.stages()
	if err != nil {
		return err
	}
	loaded := make([]*catalog.Catalog, len(c.Dirs))
	for i, dir := range c.Dirs {
		// A release that waits for its promotion is what is to be looked at.
		if loaded[i], err = catalog.Load(os.DirFS(dir), time.Now()); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	found := []catalog.Comparison{}
	if c.Automation == "" {
		found = append(found, catalog.Compare(loaded[0], loaded[1], stages)...)
	} else {
		one, err := loaded[0].CompareReleases(c.Workspace, c.Automation, c.Old, c.New, stages)
		if err != nil {
			return err
		}
		if len(one.Widenings) > 0 {
			found = append(found, one)
		}
	}
	return c.print(s, found)
}

func (c catalogCompareCmd) print(s streams, found []catalog.Comparison) error {
	if c.json() {
		if err := printJSON(s.out, found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			say(s.out, "%s\n", comparisonName(f))
			for _, w := range f.Widenings {
				say(s.out, "  %s\n", w.Words)
			}
		}
		if len(found) == 0 {
			say(s.out, "nothing that it could not do before\n")
		}
	}
	if len(found) > 0 {
		return errSilent
	}
	return nil
}

func comparisonName(c catalog.Comparison) string {
	switch {
	case c.Release == "":
		return fmt.Sprintf("workspace %s, platform actions:", c.Workspace)
	case c.Beside == "":
		return fmt.Sprintf("workspace %s, %s %s, which follows none:", c.Workspace, c.Automation, c.Release)
	case c.Beside == c.Release:
		return fmt.Sprintf("workspace %s, %s %s:", c.Workspace, c.Automation, c.Release)
	}
	return fmt.Sprintf("workspace %s, %s %s beside %s:", c.Workspace, c.Automation, c.Release, c.Beside)
}
