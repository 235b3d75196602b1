package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/writ-dev/writ/decisions/ledger"
	"github.com/writ-dev/writ/server/grpcapi"
	"github.com/writ-dev/writ/server/witness"
)

// witnessStart is how long a start waits for the witness.
const witnessStart = 5 * time.Second

// witnessed is the log's witness; its zero value is none.
type witnessed struct{ *witness.Witness }

// witness has the first checkpoint witnessed before the port opens: a witness that has
// seen a longer log stops the start, as the anchor does. One that is away stops nothing.
func (f serveFlags) witness(ctx context.Context, log *ledger.Ledger, logger *slog.Logger) (witnessed, error) {
	if f.Witness == "" && f.WitnessKey == "" {
		return witnessed{}, nil
	}
	w, err := witness.New(witness.Options{Log: log, URL: f.Witness, Key: f.WitnessKey, Logger: logger})
	if err != nil {
		return witnessed{}, fmt.Errorf("--witness, --witness-key: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, witnessStart)
	defer cancel()
	err = w.Update(ctx)
	if errors.Is(err, witness.ErrAhead) {
		return witnessed{}, err
	}
	if err != nil {
		logger.Warn("the first checkpoint was not witnessed, trying again", "error", err)
	}
	return witnessed{w}, nil
}

// status is nil where there is no witness.
func (w witnessed) status() grpcapi.WitnessStatus {
	if w.Witness == nil {
		return nil
	}
	return w.Witness
}

// run sends newer checkpoints until the context ends.
func (w witnessed) run(ctx context.Context) {
	if w.Witness != nil {
		go w.Run(ctx)
	}
}
