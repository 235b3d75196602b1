package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

type logCmd struct {
	List   logListCmd   `cmd:"" help:"List entries, newest first, or follow them as they come."`
	Show   logShowCmd   `cmd:"" help:"Show one entry with everything that it holds."`
	Verify logVerifyCmd `cmd:"" help:"Verify a log's directory offline, also while the service runs. Exit 1 and the first bad entry where it does not hold."`

	Export logExportCmd `cmd:"" help:"Export a log as C2SP tlog-tiles, to verify, to serve or to keep."`

	Proof       logProofCmd       `cmd:"" help:"Print the proof that an entry is in the log."`
	Consistency logConsistencyCmd `cmd:"" help:"Print the proof that the log only grew since it had so many entries."`
	VerifyProof logVerifyProofCmd `cmd:"" help:"Verify either proof offline, with only the log's public key."`
	Key         logKeyCmd         `cmd:"" help:"Print a log's public key."`
	RotateKey   logRotateKeyCmd   `cmd:"" help:"Give a log a new signing key, while its service is stopped."`
	Erase       logEraseCmd       `cmd:"" help:"Destroy the keys of what entries hold encrypted."`

	Prune   logPruneCmd   `cmd:"" help:"Drop the oldest entries of a log, once they are exported and an entry says so."`
	Backup  logBackupCmd  `cmd:"" help:"Copy a log, also while the service runs; a second time, only what is new."`
	Restore logRestoreCmd `cmd:"" help:"Begin a new log that goes on from a backup."`
	Read    logReadCmd    `cmd:"" help:"List the entries of a data directory, a backup or an earlier epoch from its files."`
}

type logShowCmd struct {
	ID string `arg:"" help:"A decision id, or an entry's sequence."`
	disclosing
	remote
	output
}

func (logShowCmd) Help() string {
	return "Example:\n  writ log show 5f3c09ab-1742\n  writ log show 5f3c09ab-1742 --disclose --data /var/lib/writ"
}

func (c logShowCmd) Run(ctx context.Context, s streams) error {
	if c.Disclose {
		return c.show(ctx, s, c.ID, c.json())
	}
	client, err := c.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request := &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_DecisionId{DecisionId: c.ID}}
	if n, err := strconv.ParseUint(c.ID, 10, 64); err == nil {
		request.By = &writv1.GetEntryRequest_Sequence{Sequence: n}
	}
	answer, err := writv1.NewLogServiceClient(client.Conn()).GetEntry(ctx, request)
	if err != nil {
		return c.explain(err)
	}
	if c.json() {
		return printMessages(s.out, false, answer.GetEntry())
	}
	if report := answer.GetEntry().GetEntry().GetOutcomeReported(); report != nil {
		decided, err := writv1.NewLogServiceClient(client.Conn()).GetEntry(ctx, &writv1.GetEntryRequest{By: &writv1.GetEntryRequest_DecisionId{DecisionId: report.GetDecisionId()}})
		return showReport(s, answer.GetEntry(), decided.GetEntry().GetEntry().GetDecision(), err)
	}
	return showEntry(s, answer)
}

func showEntry(s streams, answer *writv1.GetEntryResponse) error {
	e, t := answer.GetEntry(), showPlace(answer.GetEntry())
	if d := e.GetEntry().GetDecision(); d != nil {
		showDecision(t, answer, d)
	} else {
		t.row("kind", kindWord(e.GetEntry()))
		t.row("content", protojson.MarshalOptions{UseProtoNames: true}.Format(e.GetEntry()))
	}
	return t.print(s.out)
}

func showDecision(t *table, answer *writv1.GetEntryResponse, d *ledgerv1.Decision) {
	e := answer.GetEntry()
	outcome, reason := final(e.GetEntry())
	t.row("decision", e.GetDecisionId())
	t.row("outcome", outcomeWord(writv1.Outcome(outcome)))
	t.row("reason", reason.GetCode())
	t.row("", reason.GetSentence())
	t.row("rule", reason.GetRule())
	if e.GetEntry().GetSettlement() != nil {
		judged := d.GetJudgement()
		t.row("judged", fmt.Sprintf("%s (%s) before the log settled it",
			outcomeWord(writv1.Outcome(judged.GetOutcome())), judged.GetReason().GetCode()))
	}
	for _, change := range answer.GetToolsetChanges() {
		t.row("changed", change)
	}
	for _, warning := range d.GetWarnings() {
		t.row("warning", warning)
	}
	for _, f := range [][2]string{
		{"workspace", d.GetWorkspace()}, {"automation", d.GetParties().GetAutomation()}, {"release", d.GetRelease()},
		{"stage", d.GetStage() + " (gateway said: " + d.GetStageSaid() + ")"},
		{"server", d.GetServer()}, {"method", d.GetMethod()}, {"tool", d.GetTool()},
		{"credential", d.GetCredential()}, {"session", d.GetSession()}, {"process", d.GetParties().GetProcess()},
		{"on behalf of", d.GetParties().GetOnBehalfOf()},
		{"caller", d.GetParties().GetCaller() + " (authentication: " + d.GetParties().GetCallerBy() + ")"},
		{"tool set", d.GetToolsetFingerprint()}, {"prose", d.GetProseDigest()},
		{"policy", d.GetPolicyRevision()}, {"catalogue", d.GetCatalogRevision()},
		{"inputs", string(d.GetInputs())},
	} {
		if f[1] != "" {
			t.row(f[0], f[1])
		}
	}
	showItems(t, answer)
	showTraits(t, d.GetTraits())
}

// showTraits prints each trait with what made it so strict (R3).
func showTraits(t *table, recorded *ledgerv1.Traits) {
	c := decisions.RecordedTraits(recorded)
	values := []string{
		c.Traits.Effect.String(), c.Traits.Risk.String(), c.Traits.Undo.String(), c.Traits.Exposure.String(),
		strconv.FormatBool(!c.Traits.Single), strconv.FormatBool(c.Traits.Idempotent),
	}
	for i, name := range []string{"effect", "risk", "undo", "exposure", "collection", "idempotent"} {
		t.row(name, fmt.Sprintf("%s  (%s)", values[i], strings.TrimSuffix(c.Sources[i].Kind.String()+": "+c.Sources[i].Detail, ": ")))
	}
}
