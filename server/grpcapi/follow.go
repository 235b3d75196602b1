package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

const (
	// heartbeat is how long a follower hears nothing at most; the contract says 15 s.
	heartbeat = 10 * time.Second
	// followPause lets entries gather: a follower reads twenty times a second, not once
	// for each batch.
	followPause = 50 * time.Millisecond
	followBatch = 256
)

// errStopping ends whoever follows.
var errStopping = fmt.Errorf("%w: the service stops: follow again, from next_sequence, when it is back", decisions.ErrLogClosed)

// FollowEntries reads at the follower's own pace: what was not sent yet is in the log,
// and nowhere else.
func (s *logService) FollowEntries(m *writv1.FollowEntriesRequest, stream grpc.ServerStreamingServer[writv1.FollowEntriesResponse]) error {
	if err := followBounds(m, s.log.Size()); err != nil {
		return edge(err)
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	unhook := context.AfterFunc(s.stopping, func() { cancel(errStopping) })
	defer unhook()
	q := decisions.Query{Filter: filter(m.GetFilter()), OldestFirst: true, Start: m.GetFromSequence(), Limit: followBatch}
	var heard time.Time
	for {
		answer, err := s.followed(ctx, q)
		if err == nil && (len(answer.GetEntries()) > 0 || time.Since(heard) >= s.heartbeat) {
			err = stream.Send(answer)
			heard = time.Now()
		}
		if err == nil && len(answer.GetEntries()) == 0 {
			err = s.grown(ctx, answer.GetNextSequence(), s.heartbeat-time.Since(heard))
		}
		if err != nil {
			return s.followEnd(ctx, err)
		}
		q.Start = answer.GetNextSequence()
	}
}

// followed reads what is there of the wanted entries, up to a message's worth.
func (s *logService) followed(ctx context.Context, q decisions.Query) (*writv1.FollowEntriesResponse, error) {
	answer, held := &writv1.FollowEntriesResponse{NextSequence: max(q.Start, s.log.Size())}, 0
	for record, err := range s.log.Select(ctx, q) {
		if err != nil {
			return nil, err
		}
		answer.Entries = append(answer.Entries, s.entry(record))
		if held += 2 * len(record.Raw); held > maxPageTotal || len(answer.Entries) == q.Limit {
			answer.NextSequence = record.Sequence + 1
			return answer, nil
		}
		answer.NextSequence = max(answer.GetNextSequence(), record.Sequence+1)
	}
	return answer, nil
}

// grown waits for entries, and then for those that come with them.
func (s *logService) grown(ctx context.Context, size uint64, most time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := s.log.Grown(waiting, size)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	if err != nil {
		return err
	}
	pause := time.NewTimer(followPause)
	defer pause.Stop()
	select {
	case <-pause.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// followEnd is what a follower is told: that the service stops, or what went wrong.
func (s *logService) followEnd(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errStopping) {
		return edge(errStopping)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return edge(err)
}
