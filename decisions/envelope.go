package decisions

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Bounds of an entry, in bytes. What MaxBody leaves is for the writer's suffix.
const (
	MaxEntry = 65_535
	MaxBody  = 61_440
)

// ErrEnvelope says that bytes are not an entry as the log writes it.
var ErrEnvelope = errors.New("not a log entry")

// Kind is the field number of an entry's body in ledgerv1.Entry.
type Kind = protowire.Number

// Kinds of entries.
const (
	KindLogCreated       Kind = 1
	KindWriterStarted    Kind = 2
	KindPolicyActivated  Kind = 3
	KindCatalogActivated Kind = 4
	KindDecision         Kind = 5
	KindOutcomeReported  Kind = 6
	KindKeyChanged       Kind = 7
	KindPruned           Kind = 8
	KindErased           Kind = 9
)

// Fields that the writer appends after the body.
const (
	fieldSequence   = 13
	fieldTime       = 14
	fieldSettlement = 15
)

// Envelope is an entry taken apart without decoding its body: exactly one body
// field, then sequence, time, and the settlement where there is one, in this order.
// The slices share the entry's memory.
type Envelope struct {
	Kind       Kind
	Body       []byte // wire form of the body's own message
	Sequence   uint64
	Time       int64  // nanoseconds since 1970 UTC
	Settlement []byte // wire form; nil where there is none
}

// BodyKind returns which kind a proposal's body is, and its message. The body must
// be that one field and nothing else. Errors: ErrEnvelope.
func BodyKind(body []byte) (Kind, []byte, error) {
	kind, message, rest, err := cutBody(body)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%w: %d bytes follow the body", ErrEnvelope, len(rest))
	}
	return kind, message, err
}

func knownKind(k Kind) bool {
	return k >= KindLogCreated && k <= KindErased
}

func cutBody(b []byte) (kind Kind, message, rest []byte, err error) {
	kind, typ, n := protowire.ConsumeTag(b)
	if n < 0 || typ != protowire.BytesType || !knownKind(kind) {
		return 0, nil, nil, fmt.Errorf("%w: it does not begin with a known body", ErrEnvelope)
	}
	message, m := protowire.ConsumeBytes(b[n:])
	if m < 0 {
		return 0, nil, nil, fmt.Errorf("%w: the body is cut short", ErrEnvelope)
	}
	return kind, message, b[n+m:], nil
}

// Seal appends an entry to dst: body, sequence, time, settlement (wire form, nil for
// none). In the wire format a concatenation is a merge.
func Seal(dst, body []byte, sequence uint64, time int64, settlement []byte) []byte {
	dst = append(dst, body...)
	dst = protowire.AppendTag(dst, fieldSequence, protowire.VarintType)
	dst = protowire.AppendVarint(dst, sequence)
	dst = protowire.AppendTag(dst, fieldTime, protowire.VarintType)
	dst = protowire.AppendVarint(dst, uint64(time))
	if settlement != nil {
		dst = protowire.AppendTag(dst, fieldSettlement, protowire.BytesType)
		dst = protowire.AppendBytes(dst, settlement)
	}
	return dst
}

// ParseEnvelope takes a stored entry apart. Errors: ErrEnvelope.
func ParseEnvelope(entry []byte) (Envelope, error) {
	kind, body, rest, err := cutBody(entry)
	if err != nil {
		return Envelope{}, err
	}
	e := Envelope{Kind: kind, Body: body}
	sequence, rest, ok := cutVarint(rest, fieldSequence)
	if !ok {
		return Envelope{}, fmt.Errorf("%w: no sequence follows the body", ErrEnvelope)
	}
	time, rest, ok := cutVarint(rest, fieldTime)
	if !ok {
		return Envelope{}, fmt.Errorf("%w: no time follows the sequence", ErrEnvelope)
	}
	e.Sequence, e.Time = sequence, int64(time)
	if len(rest) == 0 {
		return e, nil
	}
	e.Settlement, ok = wholeField(rest, fieldSettlement)
	if !ok {
		return Envelope{}, fmt.Errorf("%w: something other than a settlement follows the time", ErrEnvelope)
	}
	return e, nil
}

func cutVarint(b []byte, field protowire.Number) (v uint64, rest []byte, ok bool) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 || num != field || typ != protowire.VarintType {
		return 0, nil, false
	}
	v, m := protowire.ConsumeVarint(b[n:])
	if m < 0 {
		return 0, nil, false
	}
	return v, b[n+m:], true
}

// wholeField returns the content of b where b is exactly one bytes field.
func wholeField(b []byte, field protowire.Number) ([]byte, bool) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 || num != field || typ != protowire.BytesType {
		return nil, false
	}
	content, m := protowire.ConsumeBytes(b[n:])
	if m < 0 || n+m != len(b) {
		return nil, false
	}
	if content == nil {
		content = []byte{}
	}
	return content, true
}
