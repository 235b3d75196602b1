package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	writ "github.com/writ-dev/writ/clients/go"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// remote is the flag of every command that asks a running service.
type remote struct {
	Address  string        `default:"127.0.0.1:4750" env:"WRIT_ADDRESS" help:"Address of the running service: host:port, or unix:PATH."`
	Insecure bool          `env:"WRIT_INSECURE" help:"Ask in plain text also where the address is not loopback."`
	Timeout  time.Duration `default:"10s" help:"How long to wait for the answer."`
}

func (r remote) dial() (*writ.Client, error) {
	client, err := writ.Dial(r.Address, writ.Options{Insecure: r.Insecure})
	if errors.Is(err, writ.ErrPlainText) {
		return nil, fmt.Errorf("--address %s is not loopback, and %w: add --insecure where a network policy protects the port", r.Address, writ.ErrPlainText)
	}
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return client, nil
}

// explain says what to do about a call that the service did not answer.
func (r remote) explain(err error) error {
	s, ok := status.FromError(err)
	if !ok || err == nil {
		return err
	}
	hint := ""
	switch {
	case s.Code() == codes.Unavailable && strings.Contains(s.Message(), "dial"):
		hint = ": is it running? Start it with writ serve, or name it with --address"
	case s.Code() == codes.DeadlineExceeded:
		hint = ": wait longer with --timeout"
	}
	return fmt.Errorf("%s answered %s: %s%s", r.Address, s.Code(), s.Message(), hint)
}

type decideCmd struct {
	File string `short:"f" help:"Read the request as JSON, in the contract's field names, from a file, or - for standard input; flags override it."`

	Workspace      *string `help:"Workspace (tenant)."`
	Automation     *string `help:"Automation that makes the call."`
	Release        *string `help:"The automation's release."`
	Stage          *string `help:"Rollout stage that the gateway believes in."`
	Server         *string `help:"Name of the server connection."`
	Method         *string `help:"tools/call, resources/read, prompts/get, or a platform action."`
	Tool           *string `help:"Tool, resource or prompt."`
	Fingerprint    *string `help:"Fingerprint of the tool list that the gateway holds."`
	ProseDigest    *string `help:"Digest of that list's prose and hints."`
	Args           *string `help:"Arguments, a JSON object."`
	Process        *string `help:"Process that asks."`
	Session        *string `help:"Session of the call."`
	OnBehalfOf     *string `help:"On whose behalf."`
	Credential     *string `help:"Name of the credential, never the secret."`
	Target         *string `help:"What the call acts on."`
	Scope          *string `help:"Which things a call on many acts on: the selection rule. With --scope-count."`
	ScopeCount     int64   `help:"How many things the scope selects now."`
	IdempotencyKey *string `help:"Makes a retry recognisable."`

	Explain bool `short:"v" help:"Also print each trait that held, and who made it so strict."`

	remote
	output
}

func (decideCmd) Help() string {
	return `Example:
  writ decide --workspace demo --automation mail-triage --release 1 --stage general \
      --server crm --fingerprint fp1:… --tool get_contact --args '{"id": "c-1"}'

Exit codes: 0 the outcome is RUN; 3 there is a decision, and the call must not run (not RUN, or a repeat or obligation that standard error names); 1 there is no decision; 2 usage.`
}

func (c decideCmd) Run(ctx context.Context, s streams) error {
	call, err := c.request(s.in)
	if err != nil {
		return err
	}
	client, err := c.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	answer, err := client.Decide(ctx, call)
	if err != nil {
		return fmt.Errorf("no decision, so the call must not run: %w", c.explain(errors.Unwrap(err)))
	}
	if c.json() {
		err = printMessages(s.out, false, answer.Response())
	} else {
		err = printAnswers(s.out, []answered{{name: callName(call), answer: answer.Response()}})
		if c.Explain {
			printTraits(s.out, answer.Response().GetTraits())
		}
	}
	if why := answer.Refusal(time.Now()); err == nil && why != "" {
		if answer.Response().GetOutcome() == writv1.Outcome_OUTCOME_RUN {
			say(s.err, "writ: RUN, and yet it must not run now: %s\n", why)
		}
		return errNotRun
	}
	return err
}

// request reads the file, if any, and puts the flags over it.
func (c decideCmd) request(stdin io.Reader) (*writv1.DecideRequest, error) {
	call := &writv1.DecideRequest{}
	if c.File != "" {
		raw, err := readFile(c.File, stdin)
		if err != nil {
			return nil, err
		}
		if err := protojson.Unmarshal(raw, call); err != nil {
			return nil, fmt.Errorf("%s: %w: expected a DecideRequest as JSON, see proto/writ/v1/decision.proto", c.File, err)
		}
	}
	for _, f := range []struct {
		flag *string
		to   *string
	}{
		{c.Workspace, &call.Workspace}, {c.Automation, &call.Automation}, {c.Release, &call.Release},
		{c.Stage, &call.Stage}, {c.Server, &call.Server}, {c.Method, &call.Method}, {c.Tool, &call.Tool},
		{c.Fingerprint, &call.ToolsetFingerprint}, {c.Process, &call.Process}, {c.Session, &call.Session},
		{c.OnBehalfOf, &call.OnBehalfOf}, {c.Credential, &call.Credential}, {c.Target, &call.Target},
		{c.IdempotencyKey, &call.IdempotencyKey}, {c.ProseDigest, &call.ProseDigest},
	} {
		if f.flag != nil {
			*f.to = *f.flag
		}
	}
	if c.Args != nil {
		call.Arguments = &writv1.DecideRequest_ArgumentsJson{ArgumentsJson: *c.Args}
	}
	if c.Scope != nil {
		call.Scope = &writv1.Scope{Selection: *c.Scope, Count: c.ScopeCount}
	}
	return call, nil
}
