// Package fetch asks a real MCP server for its tool list, over stdio, and keeps
// the answer as it was sent. It never calls a tool (R17).
package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPages bounds a server that never ends its list.
const maxPages = 1000

// Options says which server to start and how long to wait for it.
type Options struct {
	// Command and its arguments. Required.
	Command []string
	// Version is what this client calls itself in the handshake.
	Version string
	// Timeout bounds the whole exchange; 0 means a minute.
	Timeout time.Duration
	// Capabilities are what the client offers: "roots", "sampling", "elicitation". Some
	// servers list more tools where more is offered, so offer what the gateway does.
	Capabilities []string
	// Stderr receives what the server prints beside the protocol; nil drops it.
	Stderr io.Writer
}

// ErrNoTools says that the server answered without a tool list.
var ErrNoTools = errors.New("the server answered without a tool list")

// Stdio starts the server, shakes hands, asks for every page of tools/list and
// returns the raw results in order.
func Stdio(ctx context.Context, o Options) ([]json.RawMessage, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("no server command given: expected the command that starts the server, for example npx -y some-server")
	}
	if o.Timeout == 0 {
		o.Timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()

	server, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	defer server.stop()

	pages, err := list(ctx, server.transport, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Command[0], err)
	}
	return pages, nil
}

// list runs the handshake and collects the pages as the recorder saw them.
func list(ctx context.Context, t mcp.Transport, o Options) ([]json.RawMessage, error) {
	seen := &recorder{Transport: t}
	offered, err := offer(o.Capabilities)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "writ", Version: o.Version},
		&mcp.ClientOptions{Capabilities: offered})
	session, err := client.Connect(ctx, seen, nil)
	if err != nil {
		return nil, fmt.Errorf("handshake failed: %w", err)
	}
	defer func() { _ = session.Close() }() // the process is stopped either way

	var pages []json.RawMessage
	// An empty-string cursor is a cursor: only an absent one ends the list. The
	// recorder knows the difference, the decoded result does not.
	size := 0
	for cursor := (*string)(nil); ; {
		if len(pages) == maxPages {
			return nil, fmt.Errorf("the tool list did not end after %d pages", maxPages)
		}
		raw, err := seen.page(ctx, session, cursor)
		if err != nil {
			return nil, fmt.Errorf("tools/list, page %d: %w", len(pages)+1, err)
		}
		if size += len(raw); size > maxList {
			return nil, fmt.Errorf("tools/list, page %d: %w: the pages are over %d bytes together", len(pages)+1, ErrTooLong, maxList)
		}
		pages = append(pages, raw)
		var next struct {
			Tools      json.RawMessage `json:"tools"`
			NextCursor *string         `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &next); err != nil {
			return nil, fmt.Errorf("tools/list, page %d: %w", len(pages), err)
		}
		if next.Tools == nil {
			return nil, fmt.Errorf("tools/list, page %d: %w", len(pages), ErrNoTools)
		}
		if next.NextCursor == nil {
			return pages, nil
		}
		cursor = next.NextCursor
	}
}

// offer is nothing unless it is named.
func offer(names []string) (*mcp.ClientCapabilities, error) {
	c := &mcp.ClientCapabilities{}
	for _, name := range names {
		switch name {
		case "roots":
			c.RootsV2 = &mcp.RootCapabilities{} //nolint:staticcheck // deprecated by a revision that few servers speak
		case "sampling":
			c.Sampling = &mcp.SamplingCapabilities{} //nolint:staticcheck // as above
		case "elicitation":
			c.Elicitation = &mcp.ElicitationCapabilities{}
		default:
			return nil, fmt.Errorf("capability %q: expected roots, sampling or elicitation", name)
		}
	}
	return c, nil
}

// process is a running server.
type process struct {
	cmd       *exec.Cmd
	transport mcp.Transport
	out       io.Closer // our end of its standard output
	filtered  *filter
}

func start(ctx context.Context, o Options) (*process, error) {
	cmd := exec.CommandContext(ctx, o.Command[0], o.Command[1:]...)
	beside := io.Discard
	if o.Stderr != nil {
		beside = &shared{to: o.Stderr}
	}
	cmd.Stderr = beside
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	cmd.Cancel = func() error { return killGroup(cmd) }
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start the server: %w: check that the command runs by itself", err)
	}
	filtered := protocolLines(out, beside)
	return &process{
		cmd:       cmd,
		out:       out,
		filtered:  filtered,
		transport: &mcp.IOTransport{Reader: filtered, Writer: in, MaxLineLength: -1},
	}, nil
}

// stop does not wait for the pipe to end: what the server started may have left its
// group, where killGroup does not reach it, and hold the other end for ever.
func (p *process) stop() {
	_ = p.filtered.Close()
	_ = killGroup(p.cmd) // it has said what it had to say
	_ = p.out.Close()
	<-p.filtered.done
	_ = p.cmd.Wait() // waits at most WaitDelay for who holds standard error
}
