package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
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
		b, err := messageJSON(m)
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

// messageJSON is a message of the contract as JSON. A leaf hash in it is in hex, as
// everywhere where the command shows one, and not in base64 as other bytes are.
func messageJSON(m proto.Message) ([]byte, error) {
	b, err := protojson.MarshalOptions{UseProtoNames: true, EmitUnpopulated: true}.Marshal(m)
	leaf := regexp.MustCompile(`"leaf_hash":\s*"([A-Za-z0-9+/]{43}=)"`) // a quote within a string stands behind a backslash
	return leaf.ReplaceAllFunc(b, func(field []byte) []byte {
		raw, err := base64.StdEncoding.DecodeString(string(leaf.FindSubmatch(field)[1]))
		if err != nil {
			return field
		}
		return fmt.Appendf(nil, `"leaf_hash":"%x"`, raw)
	}), err
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
