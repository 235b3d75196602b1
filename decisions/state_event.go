package decisions

import (
	"fmt"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// Fields of a decision that are looked for without decoding it.
const (
	fieldKey         protowire.Number = 24
	fieldChangesBlob protowire.Number = 29
	fieldItem        protowire.Number = 30
)

// Event is what of an entry the writer's state depends on. The zero Event changes
// nothing.
type Event struct {
	Claim  *Claim
	Report *Report
}

// Report is an execution's reported result, by the decision it was under.
type Report struct {
	LogPrefix string
	Sequence  uint64
	Result    ledgerv1.Result
}

// ReadEvent reads it from a body's message. A decision without an idempotency key is
// not decoded. Errors: ErrEnvelope.
func ReadEvent(kind Kind, message []byte) (Event, error) {
	switch kind {
	case KindDecision:
		claim, err := readClaim(message)
		return Event{Claim: claim}, err
	case KindOutcomeReported:
		report, err := readReport(message)
		return Event{Report: report}, err
	}
	return Event{}, nil
}

func readClaim(message []byte) (*Claim, error) {
	keyed, err := hasField(message, fieldKey)
	if err != nil || !keyed {
		return nil, err
	}
	var d ledgerv1.Decision
	if err := proto.Unmarshal(message, &d); err != nil {
		return nil, fmt.Errorf("%w: the decision does not decode: %w", ErrEnvelope, err)
	}
	key, request := d.GetIdempotencyKey().GetKeyDigest(), d.GetRequestDigest()
	if len(key) != len(Hash{}) || len(request) != len(Hash{}) {
		return nil, fmt.Errorf("%w: a keyed decision has digests of %d and %d bytes, expected 32", ErrEnvelope, len(key), len(request))
	}
	reason := d.GetJudgement().GetReason()
	return &Claim{
		Key:      Hash(key),
		Request:  Hash(request),
		Outcome:  RecordedOutcome(d.GetJudgement().GetOutcome()),
		Reason:   Reason{Code: Code(reason.GetCode()), Sentence: reason.GetSentence(), Rule: reason.GetRule()},
		Lifetime: time.Duration(d.GetIdempotencyKey().GetLifetimeSeconds()) * time.Second,
	}, nil
}

// readReport returns nil for a report whose decision id names nothing.
func readReport(message []byte) (*Report, error) {
	var r ledgerv1.OutcomeReported
	if err := proto.Unmarshal(message, &r); err != nil {
		return nil, fmt.Errorf("%w: the report does not decode: %w", ErrEnvelope, err)
	}
	prefix, sequence, err := ParseDecisionID(r.GetDecisionId())
	if err != nil {
		return nil, nil //nolint:nilerr // a report of something else is kept, and changes no state
	}
	return &Report{LogPrefix: prefix, Sequence: sequence, Result: r.GetResult()}, nil
}

// DecisionBlobs returns the names of the blobs that hold what of a decision is too
// large for its entry. One that has neither changes nor items there is not decoded.
// Errors: ErrEnvelope.
func DecisionBlobs(message []byte) (names []string, err error) {
	changes, err := hasField(message, fieldChangesBlob)
	if err != nil {
		return nil, err
	}
	items, err := hasField(message, fieldItem)
	if err != nil || !changes && !items {
		return nil, err
	}
	var d ledgerv1.Decision
	if err := proto.Unmarshal(message, &d); err != nil {
		return nil, fmt.Errorf("%w: the decision does not decode: %w", ErrEnvelope, err)
	}
	if name := d.GetToolsetChangesSha256(); name != "" {
		names = append(names, name)
	}
	for _, item := range d.GetItems() {
		if name := item.GetSealedSha256(); name != "" {
			names = append(names, name)
		}
	}
	return names, nil
}

// hasField walks over a message's fields without decoding them, and says whether one
// has this number. Errors: ErrEnvelope, also behind the field.
func hasField(message []byte, field protowire.Number) (found bool, err error) {
	for len(message) > 0 {
		num, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return false, fmt.Errorf("%w: a field does not parse: %w", ErrEnvelope, protowire.ParseError(n))
		}
		m := protowire.ConsumeFieldValue(num, typ, message[n:])
		if m < 0 {
			return false, fmt.Errorf("%w: field %d does not parse: %w", ErrEnvelope, num, protowire.ParseError(m))
		}
		found = found || num == field
		message = message[n+m:]
	}
	return found, nil
}
