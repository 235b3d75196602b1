package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

type logProofCmd struct {
	ID      string `arg:"" help:"A decision id, or an entry's sequence."`
	NoEntry bool   `help:"Leave the entry's bytes out, for a reader who must not see them; to verify, they need its leaf hash, which the answer carried."`
	remote
	output
}

func (logProofCmd) Help() string {
	return "Example:\n  writ log proof 5f3c09ab-1742 >5f3c09ab-1742.tlog-proof\n\nPrints a C2SP tlog-proof: the entry, its path in the tree, and a signed checkpoint."
}

func (c logProofCmd) Run(ctx context.Context, s streams) error {
	client, err := c.dial()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request := &writv1.ProveInclusionRequest{By: &writv1.ProveInclusionRequest_DecisionId{DecisionId: c.ID}}
	if n, err := strconv.ParseUint(c.ID, 10, 64); err == nil {
		request.By = &writv1.ProveInclusionRequest_Sequence{Sequence: n}
	}
	answer, err := writv1.NewLogServiceClient(client.Conn()).ProveInclusion(ctx, request)
	if err != nil {
		return c.explain(err)
	}
	if c.NoEntry {
		answer.Raw = nil
	}
	if c.json() {
		return printMessages(s.out, false, answer)
	}
	p := decisions.ProofFile{Index: answer.GetPosition().GetSequence(), Entry: answer.GetRaw(), Checkpoint: answer.GetCheckpoint()}
	for _, h := range answer.GetPath() {
		if len(h) != len(decisions.Hash{}) {
			return fmt.Errorf("%s answered with a hash of %d bytes, expected %d: is it a service of this version?", c.Address, len(h), len(decisions.Hash{}))
		}
		p.Path = append(p.Path, decisions.Hash(h))
	}
	_, err = s.out.Write(p.Text())
	return err
}

type logVerifyProofCmd struct {
	File  string `arg:"" help:"Proof, as writ log proof prints it, or - for standard input."`
	Key   string `required:"" help:"The log's verifier key, as writ log key prints it. Take it from the operator, not from whoever gives the proof."`
	Chain string `help:"File with the changes of the log's key, as writ log key --chain prints them: needed where the key was changed since --key, or since the proof. It need not be trusted."`
	Leaf  string `help:"The entry's leaf hash in hex, as the answer carried it; needed where the proof holds no entry."`
	From  string `help:"For a proof that the log only grew: file with the checkpoint of then, as it was kept."`
	output
}

func (logVerifyProofCmd) Help() string {
	return "Example:\n  writ log verify-proof 5f3c09ab-1742.tlog-proof --key \"$(cat writ.pub)\"\n\nNeeds no service and no other file. Exit 1 where the proof does not hold."
}

func (c logVerifyProofCmd) Run(s streams) error {
	ring, err := ringOf(c.Key, c.Chain, s)
	if err != nil {
		return err
	}
	text, err := readFile(c.File, s.in)
	if err != nil {
		return err
	}
	if isConsistency(text) {
		return c.consistency(s, text, ring)
	}
	p, err := decisions.ParseProofFile(text)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	leaf, err := c.leaf(p)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	checkpoint, err := p.Check(leaf, ring)
	if err != nil {
		return fmt.Errorf("%s: NOT proven: %w%s", c.File, err, c.otherKey(err))
	}
	return c.tell(s, p, leaf, checkpoint)
}

// otherKey is what to try where another key may have signed.
func (c logVerifyProofCmd) otherKey(err error) string {
	if c.Chain != "" || !errors.Is(err, decisions.ErrCheckpoint) {
		return ""
	}
	return ": if the log's key was changed, give the changes with --chain, as writ log key --chain prints them"
}

// leaf is the hash that the proof must be of: that of the entry in it, and what the
// caller holds, which must be the same.
func (c logVerifyProofCmd) leaf(p decisions.ProofFile) (decisions.Hash, error) {
	if c.Leaf == "" {
		if p.Entry == nil {
			return decisions.Hash{}, errors.New("the proof holds no entry: say with --leaf which leaf hash it should be of")
		}
		return decisions.LeafHash(p.Entry), nil
	}
	raw, err := hex.DecodeString(c.Leaf)
	if err != nil || len(raw) != len(decisions.Hash{}) {
		return decisions.Hash{}, fmt.Errorf("--leaf %.80q: expected 64 hex digits", c.Leaf)
	}
	leaf := decisions.Hash(raw)
	if p.Entry != nil && decisions.LeafHash(p.Entry) != leaf {
		return decisions.Hash{}, fmt.Errorf("NOT proven: the entry in it has leaf hash %x, not %x", decisions.LeafHash(p.Entry), leaf)
	}
	return leaf, nil
}

// tell says what was proven. What the entry says is part of it, since its bytes are.
func (c logVerifyProofCmd) tell(s streams, p decisions.ProofFile, leaf decisions.Hash, signed decisions.Checkpoint) error {
	e := &ledgerv1.Entry{}
	if err := proto.Unmarshal(p.Entry, e); err != nil {
		return fmt.Errorf("%s: proven, but the entry does not decode: %w: is it of a newer version?", c.File, err)
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"proven": true, "log_id": signed.LogID, "sequence": p.Index, "leaf_hash": hex.EncodeToString(leaf[:]),
			"tree_size": signed.Size, "root": hex.EncodeToString(signed.Root[:]), "entry_included": p.Entry != nil,
		})
	}
	say(s.out, "proven: entry %d is in log %s, by the signed checkpoint of its first %d entries\n", p.Index, signed.LogID, signed.Size)
	say(s.out, "leaf hash %x, root %x\n", leaf, signed.Root)
	if p.Entry == nil {
		say(s.out, "what the entry says is not in this proof\n")
		return nil
	}
	say(s.out, "at %s: %s\n", time.Unix(0, e.GetTimeUnixNano()).UTC().Format(time.RFC3339Nano), entrySentence(e))
	return nil
}

// entrySentence says in a line what an entry records.
func entrySentence(e *ledgerv1.Entry) string {
	d := e.GetDecision()
	if d == nil {
		return kindWord(e)
	}
	outcome, reason := final(e)
	call := &writv1.DecideRequest{Server: d.GetServer(), Method: d.GetMethod(), Tool: d.GetTool()}
	return fmt.Sprintf("%s for %s: %s (%s)", outcomeWord(writv1.Outcome(outcome)), callName(call), reason.GetCode(), reason.GetSentence())
}

type logKeyCmd struct {
	Dir   string `arg:"" type:"existingdir" help:"The log's data directory."`
	Keys  string `type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	Chain bool   `help:"Print the changes of the key instead, each signed by the key before and after: from any one key that is trusted they lead to the others."`
}

func (logKeyCmd) Help() string {
	return "Example:\n  writ log key writ-data >writ.pub\n  writ log key writ-data --chain >writ.chain\n\nThe key is public. Give it to auditors once, by a way that they trust. The chain needs no such way."
}

func (c logKeyCmd) Run(s streams) error {
	key, err := ledger.ReadVerifierKey(ledger.VerifyOptions{Dir: c.Dir, KeyDir: c.Keys})
	if err != nil {
		return fmt.Errorf("the key of %s: %w", c.Dir, err)
	}
	if !c.Chain {
		say(s.out, "%s\n", key)
		return nil
	}
	ring, err := ledger.ReadKeyRing(c.Dir, key)
	if err != nil {
		return fmt.Errorf("the keys of %s: %w", c.Dir, err)
	}
	for _, statement := range ring.Statements() {
		if _, err := s.out.Write(statement); err != nil {
			return err
		}
	}
	return nil
}
