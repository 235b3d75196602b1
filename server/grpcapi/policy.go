package grpcapi

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	writv1 "github.com/writ-dev/writ/proto/writ/v1"
	"github.com/writ-dev/writ/server"
)

// policyService translates PolicyService.
type policyService struct {
	writv1.UnimplementedPolicyServiceServer
	decider *server.Decider
	log     LogReader
	witness WitnessStatus // nil where there is none
	version string
}

func (s *policyService) GetActive(context.Context, *writv1.GetActiveRequest) (*writv1.GetActiveResponse, error) {
	active := s.decider.Active()
	indexed := s.log.Indexed() // before the size, which it never exceeds
	m := &writv1.GetActiveResponse{
		PolicyRevision:  active.Policy.Revision(),
		CatalogRevision: active.Catalog.Revision(),
		ActivatedAt:     timestamppb.New(active.Since),
		Stages:          active.Policy.Stages(),
		Reads:           active.Policy.Reads(),
		LogId:           s.log.LogID(),
		LogSize:         s.log.Size(),
		LogIndexed:      indexed,
		Version:         s.version,
		VerifierKey:     s.log.VerifierKey(),
	}
	if s.witness != nil {
		m.WitnessedSize, m.WitnessFailures = s.witness.Size(), s.witness.Failures()
	}
	for _, f := range active.Policy.Files() {
		m.Files = append(m.Files, f.Path)
	}
	return m, nil
}
