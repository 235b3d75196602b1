package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

type logListCmd struct {
	Limit       int    `short:"n" default:"20" help:"How many, at most 1000."`
	Token       string `help:"Continue where the list before ended; with the same filters and order."`
	OldestFirst bool   `help:"Oldest first."`
	Follow      bool   `short:"f" help:"Print the last of them, oldest first, and then each as it comes, until interrupted. A lost connection ends it with exit 1."`
	logFilter
	remote
	Output string `short:"o" enum:"table,json,jsonl,csv" default:"table" help:"Format: table, json, jsonl (an entry a line) or csv."`
	Width  int    `help:"Width of the table. Default: the terminal's, or 80 where there is none."`
}

// logFilter says which entries: all that is given holds of them.
type logFilter struct {
	Since      string `help:"From this time on: 2026-01-31, 2026-01-31T12:00:00Z, or how long ago: 90m, 24h, 7d."`
	Until      string `help:"Before this time, written the same way."`
	Session    string `help:"Session of the call."`
	Process    string `help:"Process that asked."`
	Automation string `help:"Automation that made the call."`
	Server     string `help:"Name of the server connection."`
	Tool       string `help:"Tool, resource or prompt."`
	Outcome    string `enum:"RUN,RECORD_ONLY,AWAIT_APPROVAL,REFUSE," default:"" help:"What was answered: RUN, RECORD_ONLY, AWAIT_APPROVAL or REFUSE."`
	Reason     string `help:"Code of the answer's reason."`
	Approval   string `help:"Id of the approval that the call brought."`
	Kind       string `help:"Kind of entry, as the record format names it: decision (the default), outcome_reported, policy_activated, …"`
	All        bool   `help:"Every kind of entry, not only decisions."`
}

func (logListCmd) Help() string {
	return "Example:\n  writ log list -n 50\n  writ log list --since 24h --outcome REFUSE --server mail -o csv\n  writ log list --follow --session s-17"
}

func (c logListCmd) Run(ctx context.Context, s streams) error {
	filter, err := c.message(time.Now())
	if err != nil {
		return err
	}
	p, err := c.printer(s)
	if err != nil {
		return err
	}
	client, err := c.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	log := writv1.NewLogServiceClient(client.Conn())
	asked, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	page, err := log.ListEntries(asked, &writv1.ListEntriesRequest{
		PageSize: int32(min(c.Limit, 1<<20)), PageToken: c.Token, Filter: filter, OldestFirst: c.OldestFirst, //nolint:gosec // bounded here, and by the service
	})
	if err != nil {
		return c.explain(err)
	}
	if c.Follow {
		slices.Reverse(page.GetEntries())
		if err := p.show(page.GetEntries()); err != nil {
			return err
		}
		return c.follow(ctx, log, &writv1.FollowEntriesRequest{Filter: filter, FromSequence: page.GetLogSize()}, p)
	}
	if c.Output == "json" {
		return printMessages(s.out, false, page)
	}
	if err := p.show(page.GetEntries()); err != nil {
		return err
	}
	return c.more(s, page.GetNextPageToken())
}

// more says how the list goes on; where that would be no entry, on standard error.
func (c logListCmd) more(s streams, token string) error {
	to := s.err
	if c.Output == "table" {
		to = s.out
	}
	if token != "" {
		say(to, "more: the same command with --token %s\n", token)
	}
	return nil
}

// printer prints entries in the format asked for.
func (c logListCmd) printer(s streams) (entryPrinter, error) {
	if c.Follow && (c.Token != "" || c.OldestFirst || c.Until != "") {
		return nil, errors.New("--follow begins with the newest and has no end: leave out --token, --oldest-first and --until")
	}
	switch c.Output {
	case "json":
		if c.Follow {
			return nil, errors.New("-o json is one document, and --follow has no end: use -o jsonl")
		}
		return nil, nil //nolint:nilnil // the whole answer is printed
	case "jsonl":
		return lines{s.out}, nil
	case "csv":
		return newSheet(s.out), nil
	}
	return newColumns(s.out, c.Width), nil
}

// message is the filter in the contract's form.
func (f logFilter) message(now time.Time) (*writv1.EntryFilter, error) {
	m := &writv1.EntryFilter{
		Kind: f.Kind, AllKinds: f.All, Session: f.Session, Process: f.Process, Automation: f.Automation,
		Server: f.Server, Tool: f.Tool, ReasonCode: f.Reason, ApprovalId: f.Approval,
		Outcome: writv1.Outcome(writv1.Outcome_value["OUTCOME_"+f.Outcome]),
	}
	for _, bound := range []struct {
		flag, said string
		at         **timestamppb.Timestamp
	}{{"--since", f.Since, &m.Since}, {"--until", f.Until, &m.Until}} {
		if bound.said == "" {
			continue
		}
		at, err := parseWhen(bound.said, now)
		if err != nil {
			return nil, fmt.Errorf("%s %w", bound.flag, err)
		}
		*bound.at = timestamppb.New(at)
	}
	return m, nil
}

// parseWhen reads a time, in local time where it says no zone, or how long ago.
func parseWhen(said string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, said, now.Location()); err == nil {
			return at, nil
		}
	}
	if days, isDays := strings.CutSuffix(said, "d"); isDays {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			return now.AddDate(0, 0, -int(n)), nil
		}
	}
	if ago, err := time.ParseDuration(said); err == nil && ago >= 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%q is no time: expected 2026-01-31, 2026-01-31T12:00:00Z, or how long ago: 90m, 24h, 7d", said)
}
