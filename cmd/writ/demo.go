package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/writ-dev/writ/catalog"
	writ "github.com/writ-dev/writ/clients/go"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

//go:embed demo_calls.json
var demoCalls []byte

type demoCmd struct {
	Once bool `help:"Stop after the table."`
	serveFlags
}

func (demoCmd) Help() string {
	return "Example:\n  writ demo --once\n\nWith --catalog or --policy the same four calls meet your own reviews and rules: start from writ catalog init and writ policy init."
}

func (c demoCmd) Run(ctx context.Context, s streams) error {
	sample, err := catalog.Sample()
	if err != nil {
		return err
	}
	running, err := startService(ctx, c.serveFlags, c.catalogFS(sample), s)
	if err != nil {
		return err
	}
	if err := c.ask(ctx, running, s); err != nil {
		_ = running.stop() // the first error is the one to read
		return err
	}
	if c.Once {
		return running.stop()
	}
	say(s.out, "\nServing on %s until interrupted. Ask it: writ decide --help, writ log list\n", running.dialAddress())
	return running.untilDone(ctx)
}

// ask sends the sample calls over the service's own port, as a gateway would.
func (c demoCmd) ask(ctx context.Context, running *service, s streams) error {
	calls, err := sampleCalls()
	if err != nil {
		return err
	}
	client, err := writ.Dial(running.dialAddress(), writ.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	answers := make([]answered, len(calls))
	for i, call := range calls {
		answer, err := client.Decide(ctx, call)
		if err != nil {
			return fmt.Errorf("sample call %d: %w", i+1, err)
		}
		answers[i] = answered{name: callName(call), answer: answer.Response()}
	}
	return printAnswers(s.out, answers)
}

// sampleCalls are the requests of the demo, as a person can read them.
func sampleCalls() ([]*writv1.DecideRequest, error) {
	var raw []json.RawMessage
	if err := json.Unmarshal(demoCalls, &raw); err != nil {
		return nil, fmt.Errorf("demo_calls.json: %w", err)
	}
	calls := make([]*writv1.DecideRequest, len(raw))
	for i := range raw {
		calls[i] = &writv1.DecideRequest{}
		if err := protojson.Unmarshal(raw[i], calls[i]); err != nil {
			return nil, fmt.Errorf("demo_calls.json: call %d: %w", i+1, err)
		}
	}
	return calls, nil
}
