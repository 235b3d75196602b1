package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// followSilence is how long a live connection says nothing at most: three of the
// service's heartbeats.
const followSilence = 45 * time.Second

// follow prints what comes until the command is interrupted, which is its only good end.
func (c logListCmd) follow(ctx context.Context, log writv1.LogServiceClient, m *writv1.FollowEntriesRequest, p entryPrinter) error {
	following, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(followSilence, func() {
		cancel(fmt.Errorf("%s said nothing for %v", c.Address, followSilence))
	})
	defer silence.Stop()
	stream, err := log.FollowEntries(following, m)
	for err == nil {
		var answer *writv1.FollowEntriesResponse
		if answer, err = stream.Recv(); err == nil {
			silence.Reset(followSilence)
			m.FromSequence = answer.GetNextSequence()
			err = p.show(answer.GetEntries())
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	if cause := context.Cause(following); cause != nil {
		err = cause
	}
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%s ended the answer", c.Address)
	}
	return fmt.Errorf("following ended at entry %d, and what came since is not here: %w", m.GetFromSequence(), c.explain(err))
}
