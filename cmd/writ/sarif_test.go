package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/writ-dev/writ/catalog"
)

// What SARIF 2.1.0 asks of a log: each result names a rule of the list by id and index,
// has a level that it knows, and stands at a relative URI, with lines from 1 on.
func TestSARIF(t *testing.T) {
	t.Chdir(t.TempDir())
	dir, err := filepath.Abs("my catalogue")
	if err != nil {
		t.Fatal(err)
	}
	found := []catalog.Finding{
		{File: "reviews/a b.yaml", Line: 3, Column: 5, Code: "trait_not_stated", Message: "risk is not stated", Fix: "state it"},
		{Severity: catalog.Warning, File: "toolsets/x.json", Code: "schema_unusable", Message: "no", Fix: "ask"},
		{File: ".", Code: "too_large", Message: "more", Fix: "less"},
	}
	var out bytes.Buffer
	if err := printSARIF(streams{out: &out}, dir, found); !errors.Is(err, errSilent) {
		t.Errorf("got %v, want a failure, since one is an error", err)
	}
	var log sarifLog
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Results) != len(found) || len(run.Tool.Driver.Rules) != len(catalog.Help()) {
		t.Fatalf("%+v", log)
	}
	for i, want := range []struct{ level, uri string }{
		{"error", "my%20catalogue/reviews/a%20b.yaml"}, {"warning", "my%20catalogue/toolsets/x.json"}, {"error", "my%20catalogue"},
	} {
		r := run.Results[i]
		at := r.Locations[0].Physical
		if r.Level != want.level || at.Artifact.URI != want.uri || run.Tool.Driver.Rules[r.RuleIndex].ID != found[i].Code {
			t.Errorf("got %+v, want %+v", r, want)
		}
		if uri, err := url.Parse(at.Artifact.URI); err != nil || uri.IsAbs() || uri.Path[0] == '/' {
			t.Errorf("%s is not relative: %v", at.Artifact.URI, err)
		}
		if (at.Region != nil) != (found[i].Line > 0) || at.Region != nil && (at.Region.StartLine != 3 || at.Region.StartColumn != 5) {
			t.Errorf("%+v at %+v", found[i], at.Region)
		}
	}
	for _, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || rule.Help.Text == "" || rule.ShortDescription.Text == "" {
			t.Errorf("%+v says nothing", rule)
		}
	}
}

// Without findings there is an empty list, not none; elsewhere a file is named from the
// catalogue on.
func TestSARIFWithoutFindings(t *testing.T) {
	var out bytes.Buffer
	if err := printSARIF(streams{out: &out}, "/", nil); err != nil || !strings.Contains(out.String(), `"results": []`) {
		t.Errorf("%v\n%s", err, &out)
	}
	f := sarifFinding(belowHere("/"), catalog.Finding{File: "reviews/a.yaml", Code: "not_a_code"}, nil)
	if f.Locations[0].Physical.Artifact.URI != "reviews/a.yaml" || f.RuleIndex != -1 {
		t.Errorf("%+v", f)
	}
}
