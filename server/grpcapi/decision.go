package grpcapi

import (
	"cmp"
	"context"

	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/server"
)

// decisionService translates DecisionService.
type decisionService struct {
	writv1.UnimplementedDecisionServiceServer
	decider *server.Decider
	log     *logService
}

func (s *decisionService) Decide(ctx context.Context, m *writv1.DecideRequest) (*writv1.DecideResponse, error) {
	if err := decideBounds(m); err != nil {
		return nil, edge(err)
	}
	answer, err := s.decider.Decide(ctx, caller(ctx), request(m))
	if err != nil {
		return nil, edge(err)
	}
	return response(answer), nil
}

func (s *decisionService) BatchDecide(ctx context.Context, m *writv1.BatchDecideRequest) (*writv1.BatchDecideResponse, error) {
	if n := len(m.GetRequests()); n == 0 || n > maxBatch {
		return nil, edge(outside("requests", "has %d; expected 1 to %d", n, maxBatch))
	}
	calls, invalid := make([]*decisions.Request, len(m.GetRequests())), make([]error, len(m.GetRequests()))
	for i, call := range m.GetRequests() {
		if invalid[i] = decideBounds(call); invalid[i] == nil {
			calls[i] = request(call)
		}
	}
	answers, errs := s.decider.DecideAll(ctx, caller(ctx), calls)
	results := make([]*writv1.BatchDecideResult, len(calls))
	for i := range results {
		if err := cmp.Or(invalid[i], errs[i]); err != nil {
			results[i] = failed(err)
			continue
		}
		results[i] = &writv1.BatchDecideResult{Result: &writv1.BatchDecideResult_Response{Response: response(answers[i])}}
	}
	return &writv1.BatchDecideResponse{Results: results}, nil
}

func (s *decisionService) Report(ctx context.Context, m *writv1.ReportRequest) (*writv1.ReportResponse, error) {
	if err := reportBounds(m); err != nil {
		return nil, edge(err)
	}
	if err := s.log.isDecision(m.GetDecisionId()); err != nil {
		return nil, edge(err)
	}
	receipt, err := s.decider.Report(caller(ctx), m.GetDecisionId(), ledgerv1.Result(m.GetResult()), m.GetFinalTarget())
	if err != nil {
		return nil, edge(err)
	}
	return &writv1.ReportResponse{Log: position(receipt.LogID, receipt.Sequence, receipt.Leaf)}, nil
}

func failed(err error) *writv1.BatchDecideResult {
	s := status.Convert(edge(err))
	return &writv1.BatchDecideResult{Result: &writv1.BatchDecideResult_Failure{
		Failure: &writv1.Failure{Code: int32(s.Code()), Message: s.Message()}, //nolint:gosec // a gRPC code is below 17
	}}
}

// caller is who the transport authenticated. No authentication is configured yet,
// so it is nobody, and says so (R36).
func caller(context.Context) server.Caller { return server.Caller{By: "none"} }
