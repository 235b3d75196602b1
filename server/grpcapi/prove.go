package grpcapi

import (
	"context"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

func (s *logService) ProveInclusion(ctx context.Context, m *writv1.ProveInclusionRequest) (*writv1.ProveInclusionResponse, error) {
	sequence, err := s.place(m.GetBy())
	if err != nil {
		return nil, edge(err)
	}
	size := m.GetTreeSize()
	if size != 0 && size <= sequence {
		return nil, edge(outside("tree_size", "is %d, which does not hold entry %d; expected 0, or more than %d", size, sequence, sequence))
	}
	record, err := s.log.Entry(sequence)
	if err != nil {
		return nil, edge(err)
	}
	if err := s.grownTo(size); err != nil {
		return nil, edge(err)
	}
	p, checkpoint, err := s.log.ProveInclusion(ctx, sequence, size)
	if err != nil {
		return nil, proving(ctx, err)
	}
	return &writv1.ProveInclusionResponse{
		Position: position(s.log.LogID(), sequence, record.Leaf), Raw: record.Raw,
		TreeSize: p.Size, Path: pathBytes(p.Path), Checkpoint: checkpoint,
	}, nil
}

func (s *logService) ProveConsistency(ctx context.Context, m *writv1.ProveConsistencyRequest) (*writv1.ProveConsistencyResponse, error) {
	from, size := m.GetFromSize(), m.GetTreeSize()
	if from == 0 || from > s.log.Size() {
		return nil, edge(outside("from_size", "is %d; expected 1 to the log's %d", from, s.log.Size()))
	}
	if size != 0 && size < from {
		return nil, edge(outside("tree_size", "is %d; expected 0, or at least from_size, which is %d", size, from))
	}
	if err := s.grownTo(size); err != nil {
		return nil, edge(err)
	}
	p, checkpoint, err := s.log.ProveConsistency(ctx, from, size)
	if err != nil {
		return nil, proving(ctx, err)
	}
	return &writv1.ProveConsistencyResponse{
		FromSize: p.From, TreeSize: p.Size, Path: pathBytes(p.Path), Checkpoint: checkpoint, FromRoot: p.FromRoot[:],
	}, nil
}

func (s *logService) grownTo(size uint64) error {
	if n := s.log.Size(); size > n {
		return outside("tree_size", "is %d; expected at most the log's %d", size, n)
	}
	return nil
}

// proving tells a caller that went away from a proof that failed.
func proving(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return edge(err)
}

func pathBytes(path []decisions.Hash) [][]byte {
	out := make([][]byte, len(path))
	for i := range path {
		out[i] = path[i][:]
	}
	return out
}
