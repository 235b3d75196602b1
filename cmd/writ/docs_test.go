package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var update = flag.Bool("update", false, "write the expected files anew") //nolint:gochecknoglobals // a test flag

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
		if err := os.WriteFile(cliPage, []byte(want), 0o600); err != nil {
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
