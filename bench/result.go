package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"github.com/writ-dev/writ/bench/plot"
)

// report is what a mode of the bench found.
type report interface {
	// table prints it for a person.
	table(io.Writer) error
	// charts are named drawings of it.
	charts() map[string]plot.Chart
	// failed says what was not good enough.
	failed() error
}

// setting is what every figure depends on beside the code.
type setting struct {
	Machine  machine  `json:"machine"`
	Settings settings `json:"settings"`
}

func settingOf(ctx context.Context, s settings, dir string) setting {
	return setting{Machine: factsOf(ctx, dir), Settings: s}
}

// deliver prints a report, and saves it with its charts where it is asked to.
func (s settings) deliver(r report, out io.Writer) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	content = append(content, '\n')
	var saveErr error
	if s.save != "" {
		saveErr = s.saveAs(r, content)
	}
	if s.output == "json" {
		_, err = out.Write(content)
	} else {
		err = r.table(out)
	}
	return errors.Join(err, saveErr)
}

// saveAs writes MODE.json, MODE-CHART.svg, and MODE.md with the table and the charts
// for people. A later result replaces an earlier one: the repository's history keeps
// those that were worth keeping.
func (s settings) saveAs(r report, content []byte) error {
	if err := write(filepath.Join(s.save, s.mode()+".json"), content); err != nil {
		return err
	}
	var page bytes.Buffer
	fmt.Fprintf(&page, "# bench: %s\n\nWritten by the bench; [docs/performance.md](../../docs/performance.md) says what it means, [%s.json](%s.json) has every run.\n\n```\n",
		s.mode(), s.mode(), s.mode())
	if err := r.table(&page); err != nil {
		return err
	}
	page.WriteString("```\n")
	charts := r.charts()
	for _, name := range slices.Sorted(maps.Keys(charts)) {
		file := s.mode() + "-" + name + ".svg"
		if err := write(filepath.Join(s.save, file), charts[name].SVG()); err != nil {
			return err
		}
		fmt.Fprintf(&page, "\n![%s](%s)\n", charts[name].Title, file)
	}
	return write(filepath.Join(s.save, s.mode()+".md"), page.Bytes())
}
