package decisions

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// KeyRecord is what the log remembers of an idempotency key (R27).
type KeyRecord struct {
	// Request is the digest of the request that the key stands for.
	Request Hash
	// First is the first entry with this key; the decision id of every repeat is made
	// of it.
	First EntryRef
	// Outcome and Reason are the strictest final judgement so far, or the last one
	// while none is final.
	Outcome Outcome
	Reason  Reason
	// Expires is in entry time, nanoseconds since 1970 UTC: from then on the key is
	// unknown.
	Expires int64
	// Result is what is known of the permits under this key: unspecified where none was
	// given, unknown once one was, and then what was reported.
	Result ledgerv1.Result
}

// EntryRef names an entry of this log, or of an earlier epoch: a log that this one was
// restored from.
type EntryRef struct {
	// Epoch is the first 8 hex digits of the earlier log's id, as in its decision ids.
	// Empty: this log.
	Epoch    string
	Sequence uint64
}

// DecisionID is the entry's, seen from the log of an id.
func (r EntryRef) DecisionID(logID string) string {
	if r.Epoch != "" {
		logID = r.Epoch
	}
	return DecisionID(logID, r.Sequence)
}

// KeyStore holds the records. State is its only user and calls it from one
// goroutine at a time; a Set must be seen by the next Get. Records that have expired
// may be dropped at any time after.
type KeyStore interface {
	// Key returns the record of a key.
	Key(key Hash) (KeyRecord, bool, error)
	// KeyOf returns the key whose record begins with an entry.
	KeyOf(first EntryRef) (Hash, bool, error)
	// SetKey writes the record, on account of the entry at sequence.
	SetKey(key Hash, record KeyRecord, sequence uint64)
}

// State is the writer's deterministic state machine: what of an answer depends on
// entries before it (today: idempotency keys). The live writer and every replay run
// the same Next, so that a log gives one state and one set of settlements.
type State struct {
	LogID string
	Keys  KeyStore
}

// Next takes the entry at sequence in, and returns the settlement that belongs into
// it: nil where the judgement stands. Time is the entry's own, in nanoseconds since
// 1970 UTC. Errors come from the KeyStore only, and leave the state as it was.
func (s *State) Next(e Event, sequence uint64, time int64) (*ledgerv1.Settlement, error) {
	switch {
	case e.Claim != nil:
		return s.settle(e.Claim, sequence, time)
	case e.Report != nil:
		return nil, s.report(e.Report, sequence, time)
	}
	return nil, nil
}

func (s *State) settle(c *Claim, sequence uint64, now int64) (*ledgerv1.Settlement, error) {
	record, known, err := s.Keys.Key(c.Key)
	if err != nil {
		return nil, err
	}
	if !known || record.Expires <= now {
		s.Keys.SetKey(c.Key, permitted(firstRecord(c, sequence, now), c.Outcome), sequence)
		return nil, nil
	}
	if record.Request != c.Request {
		return settlement(Refuse, reused(record.First.DecisionID(s.LogID))), nil
	}
	outcome, reason := repeat(record, c)
	if next := permitted(hold(record, c), outcome); next != record {
		s.Keys.SetKey(c.Key, next, sequence)
	}
	answer := settlement(outcome, reason)
	answer.DecisionId = record.First.DecisionID(s.LogID)
	answer.FirstSequence = record.First.Sequence
	answer.FirstResult = record.Result
	if record.Result == ledgerv1.Result_RESULT_UNSPECIFIED {
		answer.FirstResult = ledgerv1.Result_RESULT_NOT_PERMITTED
	}
	return answer, nil
}

// report keeps what was said of an execution with the key that it was under. A
// report of a decision without a key, or whose key has expired, changes nothing.
func (s *State) report(r *Report, sequence uint64, now int64) error {
	first := s.ref(r.LogPrefix, r.Sequence)
	key, known, err := s.Keys.KeyOf(first)
	if err != nil || !known {
		return err
	}
	record, known, err := s.Keys.Key(key)
	if err != nil || !known || record.First != first || record.Expires <= now {
		return err
	}
	if record.Result == ledgerv1.Result_RESULT_UNSPECIFIED || record.Result == ledgerv1.Result_RESULT_SUCCEEDED {
		return nil // nothing was permitted, or it is known to have happened
	}
	if !reportable(r.Result) {
		return nil
	}
	record.Result = r.Result
	s.Keys.SetKey(key, record, sequence)
	return nil
}

// ref names an entry by what a decision id says. Of a log that is no earlier epoch
// nothing is known, so no record begins there.
func (s *State) ref(prefix string, sequence uint64) EntryRef {
	if prefix == Epoch(s.LogID) {
		prefix = ""
	}
	return EntryRef{Epoch: prefix, Sequence: sequence}
}

// reportable says whether a result can be that of an execution. The others would make
// a permit that was given look as if it had not been.
func reportable(r ledgerv1.Result) bool {
	switch r {
	case ledgerv1.Result_RESULT_UNKNOWN, ledgerv1.Result_RESULT_SUCCEEDED, ledgerv1.Result_RESULT_FAILED:
		return true
	default:
		return false
	}
}

// permitted notes that a permit goes out: from here on its outcome is unknown, also
// where an earlier try is known to have failed (R28). What succeeded stays so.
func permitted(record KeyRecord, outcome Outcome) KeyRecord {
	if outcome == Run && record.Result != ledgerv1.Result_RESULT_SUCCEEDED {
		record.Result = ledgerv1.Result_RESULT_UNKNOWN
	}
	return record
}

func firstRecord(c *Claim, sequence uint64, now int64) KeyRecord {
	return KeyRecord{
		Request: c.Request,
		First:   EntryRef{Sequence: sequence},
		Outcome: c.Outcome,
		Reason:  bounded(c.Reason),
		Expires: expiry(now, c.Lifetime),
	}
}

// repeat answers a repeated request: the stricter of the recorded and the fresh
// judgement, and the fresh one alone while nothing recorded is final.
func repeat(record KeyRecord, c *Claim) (Outcome, Reason) {
	if !final(record.Outcome, record.Reason.Code) || c.Outcome <= record.Outcome {
		return c.Outcome, bounded(c.Reason)
	}
	return record.Outcome, stricter(record)
}

// hold returns the record after a repeat. What passes never displaces what is final:
// a time-out between two requests must not make the second gentler.
func hold(record KeyRecord, c *Claim) KeyRecord {
	recorded, fresh := final(record.Outcome, record.Reason.Code), final(c.Outcome, c.Reason.Code)
	if recorded && (!fresh || record.Outcome <= c.Outcome) {
		return record
	}
	record.Outcome, record.Reason = c.Outcome, bounded(c.Reason)
	return record
}

// final says whether an outcome binds later repeats.
func final(o Outcome, code Code) bool {
	return o != AwaitApproval && !(o == Refuse && code.Passing())
}

// Passing says whether a refusal with this code may pass by itself, so that a repeat
// is judged anew (R27).
func (c Code) Passing() bool { return c == CodePolicyTimeout }

func settlement(o Outcome, r Reason) *ledgerv1.Settlement {
	return &ledgerv1.Settlement{
		Outcome: o.Record(),
		Reason:  &ledgerv1.Reason{Code: string(r.Code), Sentence: r.Sentence, Rule: r.Rule},
	}
}

func reused(first string) Reason {
	return Reason{
		Code:     CodeKeyReused,
		Sentence: fmt.Sprintf("This idempotency key belongs to another request, decision %s: send a new key with a new request.", first),
		Rule:     Floor,
	}
}

func stricter(record KeyRecord) Reason {
	return Reason{
		Code:     CodeRepeat,
		Sentence: fmt.Sprintf("The first request with this key was answered %s (%s), and a repeat is never gentler: %s", record.Outcome, record.Reason.Code, record.Reason.Sentence),
		Rule:     record.Reason.Rule,
	}
}

// bounded cuts a reason so that every settlement fits behind every body.
func bounded(r Reason) Reason {
	return Reason{Code: Code(cut(string(r.Code), 256)), Sentence: cut(r.Sentence, 2048), Rule: cut(r.Rule, 512)}
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.ToValidUTF8(s[:limit], "\uFFFD")
}

// expiry adds whole seconds, as the entry stores them; far beyond all time is the
// end of it.
func expiry(now int64, lifetime time.Duration) int64 {
	whole := int64(lifetime.Truncate(time.Second))
	if now > math.MaxInt64-whole {
		return math.MaxInt64
	}
	return now + whole
}
