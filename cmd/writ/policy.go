package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/writ-dev/writ/rego"
)

type policyCmd struct {
	Check policyCheckCmd `cmd:"" help:"Compile and lint a policy and list every finding with its place. Exit 1 where there is one."`
	Test  policyTestCmd  `cmd:"" help:"Run a policy's tests. Exit 1 where one fails, or where there is none."`
	Init  policyInitCmd  `cmd:"" help:"Write the built-in policy into a new directory, to edit."`
}

type policyCheckCmd struct {
	Dir string `arg:"" type:"existingdir" help:"Directory of the policy."`
	output
}

func (policyCheckCmd) Help() string { return "Example:\n  writ policy check ./policy" }

func (c policyCheckCmd) Run(ctx context.Context, s streams) error {
	found := rego.Check(os.DirFS(c.Dir))
	if c.json() {
		if found == nil {
			found = []rego.Finding{}
		}
		if err := printJSON(s.out, found); err != nil {
			return err
		}
	} else {
		for _, f := range found {
			say(s.out, "%s\n", f)
		}
		say(s.out, "%s\n", counted(len(found), "finding"))
	}
	if len(found) > 0 {
		return errSilent
	}
	if c.json() {
		return nil
	}
	policy, err := rego.Load(ctx, os.DirFS(c.Dir), rego.Options{SkipTests: true})
	if err != nil {
		return err
	}
	if shows := policy.Shows(); len(shows) > 0 {
		say(s.out, "the log will show, in the clear and for good: %s; name in data.writ.mask what it must not\n", strings.Join(shows, ", "))
	}
	return nil
}

type policyTestCmd struct {
	Dir string `arg:"" type:"existingdir" help:"Directory of the policy and its tests."`
	output
}

func (policyTestCmd) Help() string { return "Example:\n  writ policy test ./policy" }

func (c policyTestCmd) Run(ctx context.Context, s streams) error {
	report, err := rego.Test(ctx, os.DirFS(c.Dir))
	if err != nil {
		return err
	}
	if c.json() {
		if err := printJSON(s.out, report); err != nil {
			return err
		}
	} else {
		printTests(s, report)
	}
	if !report.Pass() {
		return errSilent
	}
	if len(report.Tests) == 0 {
		return fmt.Errorf("%s has no tests, so nothing was proved: write rules named test_… into *_test.rego, as in writ policy init", c.Dir)
	}
	return nil
}

func printTests(s streams, report rego.Report) {
	count := map[string]int{}
	for _, t := range report.Tests {
		result := "passed"
		switch {
		case t.Skipped:
			result = "skipped"
		case !t.Pass:
			result = "failed"
		}
		count[result]++
		say(s.out, "%s  %s:%d  %s %s\n", result, t.File, t.Line, t.Name, t.Message)
	}
	for _, f := range report.Uncovered {
		say(s.out, "not covered  %s\n", f)
	}
	say(s.out, "%d passed, %d failed, %d skipped; %.1f %% covered\n",
		count["passed"], count["failed"], count["skipped"], report.Coverage)
}

type policyInitCmd struct {
	Dir string `arg:"" type:"path" help:"Directory to write; it must not exist."`
}

func (policyInitCmd) Help() string {
	return "Example:\n  writ policy init ./policy && writ serve --policy ./policy"
}

func (c policyInitCmd) Run(s streams) error { return writeNew(s, c.Dir, rego.Default()) }
