package grpcapi

import (
	"context"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/server"
)

// toolsetService translates ToolSetService.
type toolsetService struct {
	writv1.UnimplementedToolSetServiceServer
	decider *server.Decider
}

func (s *toolsetService) Observe(_ context.Context, m *writv1.ObserveRequest) (*writv1.ObserveResponse, error) {
	if err := observeBounds(m); err != nil {
		return nil, edge(err)
	}
	seen, err := s.decider.Observe(m.GetWorkspace(), m.GetServer(), m.GetPages())
	if err != nil {
		return nil, edge(err)
	}
	response := &writv1.ObserveResponse{
		ToolsetFingerprint: seen.ToolSet.Fingerprint,
		ProseDigest:        seen.ToolSet.ProseDigest,
		Tools:              int32(len(seen.ToolSet.Tools)), //nolint:gosec // the parser bounds a list to 10,000
	}
	for i := range seen.ToolSet.Tools {
		t := &seen.ToolSet.Tools[i]
		response.Observed = append(response.Observed, &writv1.ObservedTool{Name: t.Name, Hints: hints(t.Hints)})
	}
	for _, d := range seen.Differences {
		response.Differences = append(response.Differences, &writv1.PinnedDifference{
			Automation: d.Automation, Release: d.Release, PinnedFingerprint: d.Pinned, Changes: d.Changes,
		})
	}
	return response, nil
}

func hints(h decisions.Hints) *writv1.Hints {
	return &writv1.Hints{
		ReadOnly: h.ReadOnly.Bool(), Destructive: h.Destructive.Bool(),
		Idempotent: h.Idempotent.Bool(), OpenWorld: h.OpenWorld.Bool(),
	}
}
