package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

type logConsistencyCmd struct {
	From string `arg:"" help:"How many entries the log had, or a file with a checkpoint of it that was kept."`
	remote
	output
}

func (logConsistencyCmd) Help() string {
	return "Example:\n  writ log consistency 1000 >1000.proof\n  writ log consistency kept.checkpoint >since.proof\n\nPrints the proof that the log only grew since: that the entries of then are the beginning of those that the newest checkpoint covers.\nwrit log verify-proof checks it; with --from kept.checkpoint, against that one."
}

func (c logConsistencyCmd) Run(ctx context.Context, s streams) error {
	size, err := c.size(s)
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
	answer, err := writv1.NewLogServiceClient(client.Conn()).ProveConsistency(ctx, &writv1.ProveConsistencyRequest{FromSize: size})
	if err != nil {
		return c.explain(err)
	}
	if c.json() {
		return printMessages(s.out, false, answer)
	}
	p := decisions.ConsistencyFile{From: answer.GetFromSize(), Checkpoint: answer.GetCheckpoint()}
	for _, h := range append(answer.GetPath(), answer.GetFromRoot()) {
		if len(h) != len(decisions.Hash{}) {
			return fmt.Errorf("%s answered with a hash of %d bytes, expected %d: is it a service of this version?", c.Address, len(h), len(decisions.Hash{}))
		}
		p.Path = append(p.Path, decisions.Hash(h))
	}
	last := len(p.Path) - 1
	p.Path, p.FromRoot = p.Path[:last], p.Path[last]
	_, err = s.out.Write(p.Text())
	return err
}

// size is that of a tree, or of the checkpoint in a file. Its signature is checked later,
// by whoever verifies the proof.
func (c logConsistencyCmd) size(s streams) (uint64, error) {
	if n, err := strconv.ParseUint(c.From, 10, 64); err == nil {
		return n, nil
	}
	text, err := readFile(c.From, s.in)
	if err != nil {
		return 0, err
	}
	lines := strings.SplitN(string(text), "\n", 3)
	if len(lines) == 3 && decisions.LogIDOf(lines[0]) != "" {
		if n, err := strconv.ParseUint(lines[1], 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("%s: expected a checkpoint: %s, its size and its root, signed", c.From, decisions.Origin("<log id>"))
}

// isConsistency tells a proof of consistency from one of inclusion.
func isConsistency(text []byte) bool {
	return bytes.HasPrefix(text, []byte(decisions.ConsistencyHeader+"\n"))
}

// consistency verifies a proof that the log only grew, from a kept checkpoint where one
// is given.
func (c logVerifyProofCmd) consistency(s streams, text []byte, ring decisions.KeyRing) error {
	p, err := decisions.ParseConsistencyFile(text)
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	checkpoint, err := p.Check(ring)
	if err == nil && c.From != "" {
		err = c.compare(s, p, ring)
	}
	if err != nil {
		return fmt.Errorf("%s: NOT proven: %w%s", c.File, err, c.otherKey(err))
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"proven": true, "log_id": checkpoint.LogID, "from_size": p.From, "from_root": hex.EncodeToString(p.FromRoot[:]),
			"tree_size": checkpoint.Size, "root": hex.EncodeToString(checkpoint.Root[:]),
		})
	}
	say(s.out, "proven: the first %d entries of log %s, with root %x, are the beginning of the %d that its signed checkpoint is of, with root %x\n",
		p.From, checkpoint.LogID, p.FromRoot, checkpoint.Size, checkpoint.Root)
	return nil
}

// compare has the smaller tree be that of the checkpoint that was kept.
func (c logVerifyProofCmd) compare(s streams, p decisions.ConsistencyFile, ring decisions.KeyRing) error {
	raw, err := readFile(c.From, s.in)
	if err != nil {
		return err
	}
	kept, err := ring.ParseCheckpoint(raw)
	if err != nil {
		return fmt.Errorf("--from %s: %w", c.From, err)
	}
	if kept.Size != p.From || kept.Root != p.FromRoot {
		return fmt.Errorf("it goes on from %d entries with root %x, %s is of %d with root %x: the log is another than it was", p.From, p.FromRoot[:4], c.From, kept.Size, kept.Root[:4])
	}
	return nil
}
