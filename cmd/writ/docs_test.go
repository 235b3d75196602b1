package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write the expected files anew")

const (
	cliPage  = "../../docs/cli.md"
	cliStart = "<!-- commands: written by go test ./cmd/writ -run CommandLine -update -->\n"
)

// docs/cli.md lists every command, argument and flag as the binary has them.
func TestTheCommandLineIsDocumented(t *testing.T) {
	page, err := os.ReadFile(cliPage)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, found := strings.Cut(string(page), cliStart)
	if !found {
		t.Fatalf("%s has no line %q", cliPage, cliStart)
	}
	parser, err := kong.New(&cli{}, kong.Name("writ"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	describe(&b, parser.Model.Node)
	want := prose + cliStart + b.String()
	if *update {
		if err := os.WriteFile(cliPage, []byte(want), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	if string(page) != want {
		t.Errorf("%s is not what the binary says: run go test ./cmd/writ -run CommandLine -update", cliPage)
	}
}

func describe(b *strings.Builder, n *kong.Node) {
	for _, c := range n.Children {
		if c.Leaf() {
			describeCommand(b, c)
			continue
		}
		describe(b, c)
	}
}

func describeCommand(b *strings.Builder, c *kong.Node) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", strings.TrimSpace(c.FullPath()), c.Help)
	if c.Detail != "" {
		fmt.Fprintf(b, "\n```\n%s\n```\n", c.Detail)
	}
	if len(c.Positional) > 0 {
		b.WriteString("\n| argument | meaning |\n| --- | --- |\n")
		for _, p := range c.Positional {
			fmt.Fprintf(b, "| %s | %s |\n", p.Summary(), p.Help)
		}
	}
	if len(c.Flags) > 0 {
		b.WriteString("\n| flag | default | variable | meaning |\n| --- | --- | --- | --- |\n")
		for _, f := range c.Flags {
			fmt.Fprintf(b, "| `--%s` | %s | %s | %s |\n", f.Name, cell(f.Default), cell(strings.Join(f.Envs, ", ")), f.Help)
		}
	}
}

func cell(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

const sampleStart = "<!-- sample: make run ONCE=1 -->\n```\n"

// The README shows what make run prints. Ids and hashes differ from run to run.
func TestTheReadmeShowsTheDemo(t *testing.T) {
	var out, logs bytes.Buffer
	data := filepath.Join(t.TempDir(), "data")
	code := run(t.Context(), []string{"demo", "--once", "--listen", "127.0.0.1:0", "--data", data}, streams{out: &out, err: &logs})
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, logs.String())
	}
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), sampleStart)
	_, after, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatalf("README.md has no block behind %q", sampleStart)
	}
	if *update {
		page := before + sampleStart + out.String() + "```\n" + after
		if err := os.WriteFile("../../README.md", []byte(page), 0o644); err != nil { //nolint:gosec // a document
			t.Fatal(err)
		}
		return
	}
	if shown := strings.TrimSuffix(rest, "```\n"+after); masked(shown) != masked(out.String()) {
		t.Errorf("README.md shows\n%s\nmake run prints\n%s\nrun go test ./cmd/writ -run Readme -update", shown, out.String())
	}
}

func masked(s string) string {
	return regexp.MustCompile(`\b[0-9a-f]{8}(-|/)|\b[0-9a-f]{12}\b`).ReplaceAllString(s, "…$1")
}
