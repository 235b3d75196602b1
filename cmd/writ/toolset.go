package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/writ-dev/writ/catalog"
	"github.com/writ-dev/writ/catalog/fetch"
)

type toolsetCmd struct {
	Fetch       toolsetFetchCmd       `cmd:"" help:"Start a stdio MCP server, print its tools/list as it was sent, and stop it. No tool is called."`
	Fingerprint toolsetFingerprintCmd `cmd:"" help:"Print the fingerprint of a tool list."`
	Diff        toolsetDiffCmd        `cmd:"" help:"Say in words what changed between two tool lists. Exit 1 where the fingerprints differ."`
}

type toolsetFetchCmd struct {
	Timeout time.Duration `default:"1m" help:"How long the server may take."`
	Offer   []string      `help:"Capabilities that the gateway offers to the server: roots, sampling, elicitation. Some servers list more tools where more is offered." placeholder:"CAPABILITY"`
	Quiet   bool          `short:"q" help:"Drop what the server prints beside the protocol."`
	Command []string      `arg:"" passthrough:"" name:"command" help:"After --: the command that starts the server."`
}

func (toolsetFetchCmd) Help() string {
	return "Example:\n  writ toolset fetch -- npx -y @modelcontextprotocol/server-memory > memory.json"
}

func (c toolsetFetchCmd) Run(ctx context.Context, s streams) error {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	o := fetch.Options{Command: command, Version: version, Timeout: c.Timeout, Capabilities: c.Offer, Stderr: s.err}
	if c.Quiet {
		o.Stderr = nil
	}
	pages, err := fetch.Stdio(ctx, o)
	if err != nil {
		return err
	}
	// One page a line, each as it was sent. The other commands read them.
	for _, p := range pages {
		if _, err := fmt.Fprintf(s.out, "%s\n", p); err != nil {
			return err
		}
	}
	return nil
}

type toolsetFingerprintCmd struct {
	File string `arg:"" help:"A tools/list result, a JSON-RPC response, a bare array of tools, or several pages one after the other; - for standard input."`
	output
}

func (toolsetFingerprintCmd) Help() string {
	return "Example:\n  writ toolset fingerprint memory.json"
}

func (c toolsetFingerprintCmd) Run(s streams) error {
	ts, err := readToolSet(c.File, s.in)
	if err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"fingerprint": ts.Fingerprint, "prose_digest": ts.ProseDigest, "tools": len(ts.Tools),
		})
	}
	say(s.out, "%s\n", ts.Fingerprint)
	return nil
}

type toolsetDiffCmd struct {
	Old string `arg:"" help:"The list that was reviewed."`
	New string `arg:"" help:"The list as it is now; - for standard input."`
	output
}

func (toolsetDiffCmd) Help() string {
	return "Example:\n  writ toolset diff reviewed.json now.json"
}

func (c toolsetDiffCmd) Run(s streams) error {
	before, err := readToolSet(c.Old, s.in)
	if err != nil {
		return err
	}
	after, err := readToolSet(c.New, s.in)
	if err != nil {
		return err
	}
	changes := catalog.Diff(before, after)
	same := before.Fingerprint == after.Fingerprint
	if c.json() {
		err = printJSON(s.out, map[string]any{
			"old": before.Fingerprint, "new": after.Fingerprint, "same": same, "changes": changes,
		})
	} else {
		for _, change := range changes {
			say(s.out, "%s\n", change.Words)
		}
		if same {
			say(s.out, "fingerprint unchanged: %s\n", after.Fingerprint)
		} else {
			say(s.out, "fingerprint changed: %s to %s\n", before.Fingerprint, after.Fingerprint)
		}
	}
	if err == nil && !same {
		return errSilent
	}
	return err
}

// readToolSet reads a list in any of its forms; several JSON values are its pages.
func readToolSet(file string, stdin io.Reader) (*catalog.ToolSet, error) {
	raw, err := readFile(file, stdin)
	if err != nil {
		return nil, err
	}
	return parseToolSet(file, raw)
}

func parseToolSet(file string, raw []byte) (*catalog.ToolSet, error) {
	pages, err := jsonValues(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	ts, err := catalog.ParseToolSet(pages...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return ts, nil
}

// jsonValues splits a file into the JSON values that it holds.
func jsonValues(raw []byte) ([][]byte, error) {
	var values [][]byte
	for rest := raw; ; {
		d := json.NewDecoder(bytes.NewReader(rest))
		var v json.RawMessage
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("byte %d: %w: expected JSON, a tools/list result", len(raw)-len(rest), err)
		}
		values = append(values, v)
		rest = rest[d.InputOffset():]
	}
	if len(values) == 0 {
		return nil, errors.New("is empty: expected JSON, a tools/list result")
	}
	return values, nil
}

func readFile(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}
