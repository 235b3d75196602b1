package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/writ-dev/writ/decisions"
	"github.com/writ-dev/writ/decisions/ledger"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

type logRotateKeyCmd struct {
	Data   string `required:"" type:"existingdir" env:"WRIT_DATA" help:"The log's data directory. Its service must be stopped."`
	Keys   string `env:"WRIT_KEYS" type:"path" help:"Directory of the log's keys; default: the data directory's name and .keys."`
	Anchor string `env:"WRIT_ANCHOR" type:"path" help:"File that keeps the newest checkpoint; default: anchor among the keys."`
	output
}

func (logRotateKeyCmd) Help() string {
	return "Example:\n  writ log rotate-key --data /var/lib/writ --keys /etc/writ/keys\n\nAn entry that both keys signed says from where on the new key signs; then the old one is gone. Old proofs stay valid.\nGive auditors the new key (writ log key), and witnesses too. docs/keys.md says what to do when a key has leaked."
}

func (c logRotateKeyCmd) Run(ctx context.Context, s streams) error {
	change, err := ledger.RotateKey(ctx, ledger.Options{
		Dir: c.Data, KeyDir: c.Keys, Anchor: c.Anchor, Version: version, Logger: serveFlags{LogLevel: "warn"}.logger(s),
	}, &ledgerv1.Actor{Name: account(), By: "os"})
	if errors.Is(err, ledger.ErrInUse) {
		err = fmt.Errorf("%w; the key is changed while no service has the log open", err)
	}
	if err != nil {
		return err
	}
	if c.json() {
		return printJSON(s.out, map[string]any{
			"log_id": change.LogID, "sequence": change.Size, "old_verifier_key": change.Old, "verifier_key": change.New,
		})
	}
	say(s.out, "changed: from entry %d on, log %s is signed by\n%s\nbefore it was\n%s\n", change.Size, change.LogID, change.New, change.Old)
	return nil
}

// ringOf is a key and the keys that a chain of changes leads to from it.
func ringOf(key, chain string, s streams) (decisions.KeyRing, error) {
	var statements [][]byte
	if chain != "" {
		text, err := readFile(chain, s.in)
		if err != nil {
			return decisions.KeyRing{}, err
		}
		statements = decisions.SplitKeyChain(text)
	}
	ring, err := decisions.NewKeyRing(key, statements...)
	if err != nil && chain == "" {
		return ring, fmt.Errorf("--key %.80q: %w: expected a verifier key as writ log key prints it", key, err)
	}
	if err != nil {
		return ring, fmt.Errorf("--chain %s: %w: expected what writ log key --chain prints", chain, err)
	}
	return ring, nil
}
