package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// alpha is how likely, at most, a difference is noise that counts.
	alpha = "0.01"
	// tolerated is how many percent worse are no matter: a build's layout alone moves
	// figures by a few.
	tolerated = 5
)

// regression is a figure that got worse beyond noise.
type regression struct {
	Name string  `json:"name"`
	Unit string  `json:"unit"`
	Old  float64 `json:"old"`
	New  float64 `json:"new"`
	// Percent is how much worse it is.
	Percent float64 `json:"percent"`
}

// String says it in one line.
func (r regression) String() string {
	return fmt.Sprintf("%s: %.3g %s, was %.3g: %+.1f %%", r.Name, r.New, r.Unit, r.Old, r.Percent)
}

// judged lists the units in which less is better and a regression fails.
func judged() []string {
	return []string{"time-ratio", "cpu-ratio", "p99-ratio", "sec/op", "allocs/op"}
}

var errNoComparison = errors.New("benchstat compared nothing")

// parseComparison reads benchstat's CSV for two files: tables behind each other, each
// with a line that begins with an empty cell and names the unit, then a line for each
// benchmark: name, old value, its spread, new value, its spread, change, p. The change
// is "~" where it may be noise.
func parseComparison(content []byte) ([]regression, error) {
	lines := csv.NewReader(bytes.NewReader(content))
	lines.FieldsPerRecord = -1
	var found []regression
	unit, compared := "", 0
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("benchstat: %w", err)
		}
		if len(fields) < 7 || fields[0] == "geomean" {
			continue
		}
		if fields[0] == "" {
			unit = fields[1]
			continue
		}
		compared++
		if r, worse := worseThan(fields, unit); worse {
			found = append(found, r)
		}
	}
	if compared == 0 {
		return nil, errNoComparison
	}
	return found, nil
}

// worseThan reads one line; it is no regression where the change is noise or small.
func worseThan(fields []string, unit string) (regression, bool) {
	was, err1 := strconv.ParseFloat(fields[1], 64)
	is, err2 := strconv.ParseFloat(fields[3], 64)
	change, err3 := strconv.ParseFloat(strings.TrimSuffix(fields[5], "%"), 64)
	worse := errors.Join(err1, err2, err3) == nil && change > tolerated && slices.Contains(judged(), unit)
	return regression{Name: fields[0], Unit: unit, Old: was, New: is, Percent: change}, worse
}
