package grpcapi

import (
	"context"
	"errors"
	"os"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// Eraser destroys what an entry holds encrypted. It is safe for concurrent use.
type Eraser interface {
	// Erase returns the Erased entry, when it is durable and the keys are gone; the one
	// of before where they were.
	Erase(sequence uint64, by *ledgerv1.Actor, reason string) (decisions.Record, error)
}

// maxReason bounds what an operator gives as a reason, in bytes.
const maxReason = 512

// operatorService translates OperatorService.
type operatorService struct {
	writv1.UnimplementedOperatorServiceServer
	log    *logService
	eraser Eraser
}

func (s *operatorService) Erase(ctx context.Context, m *writv1.EraseRequest) (*writv1.EraseResponse, error) {
	by, err := operator(ctx)
	if err != nil {
		return nil, err
	}
	if err := text("reason", m.GetReason(), 0, maxReason); err != nil {
		return nil, edge(err)
	}
	sequence, err := s.place(m)
	if err != nil {
		return nil, edge(err)
	}
	erased, err := s.eraser.Erase(sequence, by, m.GetReason())
	if err != nil {
		return nil, edge(err)
	}
	return &writv1.EraseResponse{Erased: s.log.entry(erased)}, nil
}

func (s *operatorService) place(m *writv1.EraseRequest) (uint64, error) {
	switch by := m.GetBy().(type) {
	case *writv1.EraseRequest_Sequence:
		return by.Sequence, nil
	case *writv1.EraseRequest_DecisionId:
		return s.log.placeOf(by.DecisionId)
	}
	return 0, outside("by", "is not set; expected decision_id or sequence")
}

// operator is who runs the service: root, or the account that it runs as.
func operator(ctx context.Context) (*ledgerv1.Actor, error) {
	a, local := callingAccount(ctx)
	if !local {
		return nil, status.Error(codes.PermissionDenied, "this is for the operator, whom the service knows over a unix socket only: name the one that writ serve --operator opened")
	}
	if a.uid != 0 && int(a.uid) != os.Geteuid() {
		return nil, status.Errorf(codes.PermissionDenied, "this is for the operator, and account %s is neither root nor the one that the service runs as: ask as one of them", a.name())
	}
	return &ledgerv1.Actor{Name: a.name(), By: a.AuthType()}, nil
}

// itemStatus says of each item whether it can still be decrypted.
func (s *logService) itemStatus(items []*ledgerv1.Item) ([]*writv1.ItemStatus, error) {
	var all []*writv1.ItemStatus
	for _, item := range items {
		is := &writv1.ItemStatus{}
		var erased *decisions.ErasedError
		switch err := s.log.CheckItem(item); {
		case err == nil:
			is.State = writv1.ItemState_ITEM_STATE_KEPT
		case errors.As(err, &erased):
			by, err := s.log.Entry(erased.By)
			if err != nil {
				return nil, err
			}
			is.State, is.Erased = writv1.ItemState_ITEM_STATE_ERASED, s.entry(by)
		case !errors.Is(err, decisions.ErrItemKey):
			return nil, err
		}
		all = append(all, is)
	}
	return all, nil
}
