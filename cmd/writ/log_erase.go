package main

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"time"

	writ "github.com/writ-dev/writ/clients/go"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// operatorSocket is where in the data directory the service listens for its operator.
const operatorSocket = "operator.sock"

// operatorFlags say how to reach the service as its operator.
type operatorFlags struct {
	Data     string        `default:"writ-data" env:"WRIT_DATA" type:"path" help:"Directory of the log that the running service has."`
	Operator string        `env:"WRIT_OPERATOR" type:"path" help:"The service's operator socket; default: operator.sock in the data directory."`
	Timeout  time.Duration `default:"10s" help:"How long to wait for the answer."`
}

// remote is the same as other commands have it.
func (f operatorFlags) remote() remote {
	return remote{Address: "unix:" + cmp.Or(f.Operator, filepath.Join(f.Data, operatorSocket)), Timeout: f.Timeout}
}

type logEraseCmd struct {
	IDs    []string `arg:"" name:"id" help:"Decision ids, or sequences of entries."`
	Reason string   `help:"Why, for the log, which keeps it: a request's number, not a person's name."`
	operatorFlags
	output
}

func (logEraseCmd) Help() string {
	return "Example:\n  writ log erase 5f3c09ab-1742 --reason \"request 4711\"\n\nDestroys the keys of what these entries hold encrypted: the values that the policy masks, and large inputs. It can't be undone. The log verifies as before. Only root and the account that runs the service may do it. A repeat is an entry of its own: erase it by its place."
}

func (c logEraseCmd) Run(ctx context.Context, s streams) error {
	r := c.remote()
	client, err := r.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	var erased []*writv1.EraseResponse
	failed := false
	for _, id := range c.IDs {
		answer, err := c.erase(ctx, client, id)
		if err != nil {
			say(s.err, "writ: %s: %v\n", id, r.explain(err))
			failed = true
			continue
		}
		erased = append(erased, answer)
		if !c.json() {
			say(s.out, "%s: %s\n", id, erasedSentence(answer.GetErased()))
		}
	}
	if c.json() {
		if err := printMessages(s.out, true, erased...); err != nil {
			return err
		}
	}
	if failed {
		return errSilent
	}
	return nil
}

func (c logEraseCmd) erase(ctx context.Context, client *writ.Client, id string) (*writv1.EraseResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request := &writv1.EraseRequest{By: &writv1.EraseRequest_DecisionId{DecisionId: id}, Reason: c.Reason}
	if n, err := strconv.ParseUint(id, 10, 64); err == nil {
		request.By = &writv1.EraseRequest_Sequence{Sequence: n}
	}
	return writv1.NewOperatorServiceClient(client.Conn()).Erase(ctx, request)
}
