package grpcapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

const (
	defaultPageSize = 50
	// maxPageTotal ends a page of large entries early, so that it fits a message.
	maxPageTotal = 4 << 20
)

func (s *logService) ListEntries(ctx context.Context, m *writv1.ListEntriesRequest) (*writv1.ListEntriesResponse, error) {
	if err := listBounds(m); err != nil {
		return nil, edge(err)
	}
	page := &writv1.ListEntriesResponse{LogSize: s.log.Size()}
	size := int(m.GetPageSize())
	if size == 0 {
		size = defaultPageSize
	}
	q := decisions.Query{Filter: filter(m.GetFilter()), OldestFirst: m.GetOldestFirst(), Limit: size + 1}
	var err error
	if q.Start, err = s.pageStart(m, page.GetLogSize()); err != nil {
		return nil, edge(err)
	}
	held := 0
	for record, err := range s.log.Select(ctx, q) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, edge(err)
		}
		if len(page.Entries) == size || held > maxPageTotal {
			page.NextPageToken = s.pageToken(m, record.Sequence)
			break
		}
		page.Entries = append(page.Entries, s.entry(record))
		held += 2 * len(record.Raw) // decoded and as stored
	}
	return page, nil
}

// filter turns the contract's filter into the log's.
func filter(m *writv1.EntryFilter) decisions.Filter {
	var f decisions.Filter
	if m.GetSince() != nil {
		f.Since = m.GetSince().AsTime()
	}
	if m.GetUntil() != nil {
		f.Until = m.GetUntil().AsTime()
	}
	kind, outcome := m.GetKind(), ""
	if kind == "" && !m.GetAllKinds() {
		kind = decisions.KindName(decisions.KindDecision)
	}
	if m.GetOutcome() != writv1.Outcome_OUTCOME_UNSPECIFIED {
		outcome = strings.TrimPrefix(m.GetOutcome().String(), "OUTCOME_")
	}
	// What few entries hold comes first: where none does, the others are not looked up.
	for _, t := range []decisions.Term{
		{Field: decisions.FieldApproval, Value: m.GetApprovalId()},
		{Field: decisions.FieldSession, Value: m.GetSession()},
		{Field: decisions.FieldProcess, Value: m.GetProcess()},
		{Field: decisions.FieldTool, Value: m.GetTool()},
		{Field: decisions.FieldAutomation, Value: m.GetAutomation()},
		{Field: decisions.FieldServer, Value: m.GetServer()},
		{Field: decisions.FieldReason, Value: m.GetReasonCode()},
		{Field: decisions.FieldOutcome, Value: outcome},
		{Field: decisions.FieldKind, Value: kind},
	} {
		if t.Value != "" {
			f.Terms = append(f.Terms, t)
		}
	}
	return f
}

// pageStart is the sequence that a page begins with.
func (s *logService) pageStart(m *writv1.ListEntriesRequest, size uint64) (uint64, error) {
	token := m.GetPageToken()
	if token == "" && m.GetOldestFirst() {
		return 0, nil
	}
	if token == "" {
		return math.MaxUint64, nil
	}
	digits, _, _ := strings.Cut(token, "-")
	start, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || start >= size || s.pageToken(m, start) != token {
		return 0, outside("page_token", "%q is not of this list; expected the next_page_token of the answer before, with the same filter and order", token)
	}
	return start, nil
}

// pageToken names a place in one list: of this log, this filter and this order. So it
// holds whatever is written meanwhile, and another list's is known for one.
func (s *logService) pageToken(m *writv1.ListEntriesRequest, next uint64) string {
	list, err := proto.MarshalOptions{Deterministic: true}.Marshal(&writv1.ListEntriesRequest{Filter: m.GetFilter(), OldestFirst: m.GetOldestFirst()})
	if err != nil {
		list = nil // never: its text was checked
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d\n%s", s.log.LogID(), next, list))
	return strconv.FormatUint(next, 10) + "-" + hex.EncodeToString(sum[:4])
}
