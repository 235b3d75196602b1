package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/decisions"
	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

// LogReader is what LogService needs of the log. It is safe for concurrent use,
// reads only what is durable, and checks what it reads.
type LogReader interface {
	LogID() string
	// VerifierKey signs checkpoints from now on.
	VerifierKey() string
	// Epochs are the ids of the logs that this one was restored from, newest first.
	Epochs() []string
	// Size is the number of durable entries.
	Size() uint64
	// Indexed is how many of them the index covers.
	Indexed() uint64
	Entry(sequence uint64) (decisions.Record, error)
	// Blob returns the content that an entry names.
	Blob(sha256 string) ([]byte, error)
	// CheckItem says whether an item can be decrypted: nil, decisions.ErrItemKey, or a
	// *decisions.ErasedError.
	CheckItem(*ledgerv1.Item) error
	// Select yields the entries that a query wants, of those that are durable when it
	// is called.
	Select(ctx context.Context, q decisions.Query) iter.Seq2[decisions.Record, error]
	// Grown waits until more than so many entries are durable.
	Grown(ctx context.Context, size uint64) error
	// ProveInclusion and ProveConsistency prove against a tree of a size (0: that of
	// the checkpoint) and return the latest checkpoint that covers it, waiting for one
	// within bounds.
	ProveInclusion(ctx context.Context, sequence, size uint64) (decisions.Inclusion, []byte, error)
	ProveConsistency(ctx context.Context, from, size uint64) (decisions.Consistency, []byte, error)
}

// logService translates LogService.
type logService struct {
	writv1.UnimplementedLogServiceServer
	log LogReader
	// stopping ends those who follow; heartbeat is how long they hear nothing at most.
	stopping  context.Context //nolint:containedctx // the service's life
	heartbeat time.Duration
}

func (s *logService) GetEntry(_ context.Context, m *writv1.GetEntryRequest) (*writv1.GetEntryResponse, error) {
	sequence, err := s.place(m.GetBy())
	if err != nil {
		return nil, edge(err)
	}
	record, err := s.log.Entry(sequence)
	if err != nil {
		return nil, edge(err)
	}
	changes, err := s.changes(record.Entry.GetDecision())
	if err != nil {
		return nil, edge(err)
	}
	items, err := s.itemStatus(record.Entry.GetDecision().GetItems())
	if err != nil {
		return nil, edge(err)
	}
	return &writv1.GetEntryResponse{Entry: s.entry(record), ToolsetChanges: changes, Items: items}, nil
}

// changes returns every change of a changed tool set, a line each.
func (s *logService) changes(d *ledgerv1.Decision) ([]string, error) {
	name := d.GetToolsetChangesSha256()
	if name == "" {
		return d.GetToolsetChanges(), nil
	}
	all, err := s.log.Blob(name)
	if err != nil {
		return nil, err
	}
	return strings.Split(string(all), "\n"), nil
}

// place finds an entry's sequence: a decision id contains it.
func (s *logService) place(by any) (uint64, error) {
	switch by := by.(type) {
	case *writv1.GetEntryRequest_Sequence:
		return by.Sequence, nil
	case *writv1.GetEntryRequest_DecisionId:
		return s.placeOf(by.DecisionId)
	case *writv1.ProveInclusionRequest_Sequence:
		return by.Sequence, nil
	case *writv1.ProveInclusionRequest_DecisionId:
		return s.placeOf(by.DecisionId)
	}
	return 0, outside("by", "is not set; expected decision_id or sequence")
}

func (s *logService) placeOf(id string) (uint64, error) {
	if err := text("decision_id", id, 1, 64); err != nil {
		return 0, err
	}
	short, sequence, err := decisions.ParseDecisionID(id)
	if err != nil {
		return 0, outside("decision_id", "%v", err)
	}
	if decisions.DecisionID(s.log.LogID(), sequence) != id {
		return 0, s.elsewhere(id, short)
	}
	return sequence, nil
}

// elsewhere says where the decision of another log is to be looked for.
func (s *logService) elsewhere(id, short string) error {
	if epoch := s.epoch(short); epoch != "" {
		return fmt.Errorf("%w: decision %s is of log %s, which this one was restored from: writ log read and writ log verify read it in epochs/%s of the data directory", decisions.ErrNotFound, id, epoch, epoch)
	}
	return fmt.Errorf("%w: decision %s is of log %s…, this is log %s", decisions.ErrNotFound, id, short, s.log.LogID())
}

// epoch is the id of the earlier log whose decision ids begin so; empty where none does.
func (s *logService) epoch(short string) string {
	for _, id := range s.log.Epochs() {
		if decisions.Epoch(id) == short {
			return id
		}
	}
	return ""
}

// isDecision refuses an id that names no decision of this log. One of an earlier epoch, or
// of what was pruned, is taken as it is: what ran is worth knowing, the more where the
// permit itself is lost.
func (s *logService) isDecision(id string) error {
	if short, _, err := decisions.ParseDecisionID(id); err == nil && s.epoch(short) != "" {
		return nil
	}
	sequence, err := s.placeOf(id)
	if err != nil {
		return err
	}
	record, err := s.log.Entry(sequence)
	if errors.Is(err, decisions.ErrPruned) {
		return nil
	}
	if err != nil {
		return err
	}
	if decisionID(s.log.LogID(), record.Entry) != id {
		return fmt.Errorf("%w: entry %d is no decision of the id %s: report the id that the permit carried", decisions.ErrNotFound, sequence, id)
	}
	return nil
}

func (s *logService) entry(r decisions.Record) *writv1.LogEntry {
	return &writv1.LogEntry{
		Position:   position(s.log.LogID(), r.Sequence, r.Leaf),
		Time:       timestamppb.New(r.Time),
		DecisionId: decisionID(s.log.LogID(), r.Entry),
		Entry:      r.Entry,
		Raw:        r.Raw,
	}
}

// decisionID is the id that the answer carried: a repeat's is the first's.
func decisionID(logID string, e *ledgerv1.Entry) string {
	switch {
	case e.GetDecision() == nil:
		return ""
	case e.GetSettlement().GetDecisionId() != "":
		return e.GetSettlement().GetDecisionId()
	}
	return decisions.DecisionID(logID, e.GetSequence())
}
