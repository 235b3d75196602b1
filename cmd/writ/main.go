// Command writ is the policy decision point for agent tool calls, and the tools of
// the people who review, author, audit and run it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

// Exit codes; docs/cli.md lists them.
const (
	exitOK     = 0
	exitFailed = 1 // an error, a finding, a bad entry, no decision
	exitUsage  = 2 // the command's words are off
	exitNotRun = 3 // decide: there is a decision, and it is not RUN
)

// errNotRun makes "writ decide … && the-call" fail closed.
var errNotRun = errors.New("not RUN")

// errSilent fails a command that has already said why.
var errSilent = errors.New("failed")

type cli struct {
	Serve   serveCmd   `cmd:"" help:"Serve decisions over gRPC."`
	Demo    demoCmd    `cmd:"" help:"Serve the sample catalogue and send it four sample calls."`
	Decide  decideCmd  `cmd:"" help:"Ask a running service about one call."`
	Toolset toolsetCmd `cmd:"" help:"Fetch, fingerprint and compare tool lists of MCP servers."`
	Review  reviewCmd  `cmd:"" help:"Review the tools of a server."`
	Catalog catalogCmd `cmd:"" help:"Check and start catalogues of reviews and releases."`
	Policy  policyCmd  `cmd:"" help:"Check, test and start policies."`
	Log     logCmd     `cmd:"" help:"Read and verify the log of decisions."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// streams are where a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// The first signal asks a command to end; a second one ends it.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// run parses and runs one command and returns the process's exit code.
func run(ctx context.Context, args []string, s streams) int {
	code := -1 // set where the parser has already printed help
	out := &printed{to: s.out}
	s.out = out
	parser, err := kong.New(&cli{},
		kong.Name("writ"),
		kong.Description("Writ decides whether an agent's tool call runs, is only recorded, waits for a person, or is refused, and logs the answer before it gives it."),
		kong.Writers(s.out, s.err),
		kong.Exit(func(c int) { code = c }),
		kong.UsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(s),
	)
	if err != nil {
		say(s.err, "writ: %v\n", err)
		return exitFailed
	}
	command, err := parser.Parse(args)
	if lost := out.complete(nil); lost != nil {
		return exitCode(lost, s)
	}
	if code >= 0 {
		return code
	}
	if err != nil {
		say(s.err, "writ: %v: see writ --help\n", err)
		return exitUsage
	}
	return exitCode(interruptible(ctx, graceOf(command.Command()), func() error {
		return out.complete(command.Run())
	}), s)
}

func exitCode(err error, s streams) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errNotRun):
		return exitNotRun
	case errors.Is(err, errSilent):
		return exitFailed
	}
	say(s.err, "writ: %v\n", err)
	return exitFailed
}

// say prints for a person. Of standard output, printed knows whether all of it arrived.
func say(w io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(w, format, args...) }

type versionCmd struct{}

func (versionCmd) Run(s streams) error {
	say(s.out, "writ %s\n", version)
	return nil
}
