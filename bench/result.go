package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"

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

// saveAs writes MODE.json and MODE-CHART.svg. A later result replaces an earlier one:
// the repository's history keeps those that were worth keeping.
func (s settings) saveAs(r report, content []byte) error {
	if err := write(filepath.Join(s.save, s.mode()+".json"), content); err != nil {
		return err
	}
	for name, c := range r.charts() {
		if err := write(filepath.Join(s.save, s.mode()+"-"+name+".svg"), c.SVG()); err != nil {
			return err
		}
	}
	return nil
}
