package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// output is the flag of every command that prints data.
type output struct {
	Output string `short:"o" enum:"table,json" default:"table" help:"Format: table or json."`
}

func (o output) json() bool { return o.Output == "json" }

// printJSON prints any value, indented.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// printMessages prints messages of the contract as JSON: one as itself, several as
// an array.
func printMessages[M proto.Message](w io.Writer, array bool, messages ...M) error {
	raw := make([]json.RawMessage, len(messages))
	for i, m := range messages {
		b, err := protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true}.Marshal(m)
		if err != nil {
			return err
		}
		raw[i] = b
	}
	if !array && len(raw) == 1 {
		return printJSON(w, raw[0])
	}
	return printJSON(w, raw)
}

// counted is a number of things, as in "1 error" and "2 errors".
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// table aligns rows of cells; the first row is the heading.
type table struct{ rows [][]string }

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range t.rows {
		if _, err := fmt.Fprintln(tab, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return tab.Flush()
}
