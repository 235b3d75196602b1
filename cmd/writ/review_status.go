package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/writ-dev/writ/catalog"
)

type reviewStatusCmd struct {
	Path string `arg:"" type:"path" help:"A catalogue's directory, or one review of it."`
	output
}

func (reviewStatusCmd) Help() string {
	return `Example:
  writ review status catalog

Lists what is still to be stated, to be looked at again or wrong, tool by tool. Exit 1 while something is open.`
}

func (c reviewStatusCmd) Run(s streams) error {
	all, err := c.statuses(time.Now())
	if err != nil {
		return err
	}
	open := 0
	for _, r := range all {
		open += r.Open()
	}
	if c.json() {
		err = printJSON(s.out, all)
	} else {
		err = printStatuses(s, all)
	}
	if err == nil && open > 0 {
		return errSilent
	}
	return err
}

func (c reviewStatusCmd) statuses(now time.Time) ([]catalog.ReviewStatus, error) {
	info, err := os.Stat(c.Path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return append([]catalog.ReviewStatus{}, catalog.ReviewStatuses(os.DirFS(c.Path), now)...), nil
	}
	file, err := inCatalog(c.Path)
	if err != nil {
		return nil, err
	}
	all := catalog.ReviewStatuses(os.DirFS(file.root), now)
	return slices.DeleteFunc(all, func(r catalog.ReviewStatus) bool { return r.File != file.name }), nil
}

func printStatuses(s streams, all []catalog.ReviewStatus) error {
	done, open := 0, 0
	for _, r := range all {
		say(s.out, "%s", r.File)
		if r.Server != "" {
			say(s.out, ": server %s of workspace %s", shown(r.Server), shown(r.Workspace))
		}
		say(s.out, "\n")
		for _, f := range r.Findings {
			say(s.out, "  %s\n", f)
		}
		var t table
		for _, tool := range r.Tools {
			if !tool.Open() {
				done++
				continue
			}
			open++
			t.row("  "+shown(tool.Name), strings.Join(openWords(tool), "; "))
		}
		if err := t.print(s.out); err != nil {
			return err
		}
		if len(r.Unreviewed) > 0 {
			say(s.out, "  not in the review, so strictest and of no use to a release: %s\n", shown(strings.Join(r.Unreviewed, ", ")))
		}
		open += len(r.Findings)
	}
	say(s.out, "%d tools done, %d open\n", done, open)
	return nil
}

// openWords says what is open about a tool, each in a few words.
func openWords(t catalog.ToolStatus) []string {
	var words []string
	for _, why := range t.Recheck {
		words = append(words, "look again: "+why)
	}
	if len(t.Missing) > 0 {
		words = append(words, "state "+strings.Join(t.Missing, ", "))
	}
	for _, f := range t.Wrong {
		words = append(words, fmt.Sprintf("line %d: %s; %s", f.Line, f.Message, f.Fix))
	}
	return words
}

// shown is a name as a terminal may show it: names of tools are the server's.
func shown(name string) string {
	const most = 200
	clean, truncated := catalog.Clean(name, most)
	if truncated {
		clean += "…"
	}
	return clean
}
