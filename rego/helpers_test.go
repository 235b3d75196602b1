package rego

import (
	"cmp"
	"context"
	"encoding/json"
	"testing"
	"testing/fstest"
	"time"
)

// policyOf makes a policy of one rule file, in package writ.
func policyOf(rules string) fstest.MapFS {
	return fstest.MapFS{
		"writ/rules.rego": {Data: []byte("package writ\n\n" + rules)},
		"writ/data.yaml":  {Data: []byte("stages: [rehearsal, general]\n")},
	}
}

// unhurried is a deadline that a busy machine does not miss.
const unhurried = time.Minute

func load(t testing.TB, fsys fstest.MapFS, o Options) *Policy {
	t.Helper()
	o.Deadline = cmp.Or(o.Deadline, unhurried)
	p, err := Load(context.Background(), fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// call is a call of a tool with arguments; none where they are empty.
func call(tool, arguments string) *Input {
	in := &Input{Tool: tool}
	if arguments != "" {
		in.Arguments = json.RawMessage(arguments)
	}
	return in
}
