package grpcapi

import (
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/writ-dev/writ/decisions"
	writv1 "github.com/writ-dev/writ/proto/writ/v1"
)

func listBounds(r *writv1.ListEntriesRequest) error {
	if n := r.GetPageSize(); n < 0 || n > maxPageSize {
		return outside("page_size", "is %d; expected 0 to %d", n, maxPageSize)
	}
	if err := text("page_token", r.GetPageToken(), 0, 64); err != nil {
		return err
	}
	return filterBounds(r.GetFilter())
}

func followBounds(r *writv1.FollowEntriesRequest, size uint64) error {
	if from := r.GetFromSequence(); from > size {
		return outside("from_sequence", "is %d; expected at most the log's size, %d", from, size)
	}
	return filterBounds(r.GetFilter())
}

func filterBounds(f *writv1.EntryFilter) error {
	for _, err := range [...]error{
		instant("filter.since", f.GetSince()),
		instant("filter.until", f.GetUntil()),
		kindKnown(f.GetKind()),
		text("filter.session", f.GetSession(), 0, 256),
		text("filter.process", f.GetProcess(), 0, 256),
		text("filter.automation", f.GetAutomation(), 0, 128),
		text("filter.server", f.GetServer(), 0, 128),
		text("filter.tool", f.GetTool(), 0, 256),
		text("filter.reason_code", f.GetReasonCode(), 0, 128),
		text("filter.approval_id", f.GetApprovalId(), 0, 128),
	} {
		if err != nil {
			return err
		}
	}
	if since, until := f.GetSince(), f.GetUntil(); since != nil && until != nil && !until.AsTime().After(since.AsTime()) {
		return outside("filter.until", "is %s; expected a time after since, %s", until.AsTime().Format(time.RFC3339), since.AsTime().Format(time.RFC3339))
	}
	if _, known := writv1.Outcome_name[int32(f.GetOutcome())]; !known {
		return outside("filter.outcome", "is %d; expected one of the contract's outcomes", f.GetOutcome())
	}
	return nil
}

// instant is a time that the log can hold: nanoseconds since 1970 in 64 bits.
func instant(field string, t *timestamppb.Timestamp) error {
	if t == nil {
		return nil
	}
	if err := t.CheckValid(); err != nil {
		return outside(field, "is not a time (%v); expected the years 1970 to 2261", err)
	}
	if year := t.AsTime().Year(); year < 1970 || year > 2261 {
		return outside(field, "is in the year %d; expected 1970 to 2261", year)
	}
	return nil
}

func kindKnown(kind string) error {
	if names := decisions.KindNames(); kind != "" && !slices.Contains(names, kind) {
		return outside("filter.kind", "%q is no kind of entry; expected one of %s", kind, strings.Join(names, ", "))
	}
	return nil
}
