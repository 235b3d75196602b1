package decisions

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	ledgerv1 "github.com/writ-dev/writ/proto/writ/ledger/v1"
)

// tag is a field's number and wire type. What has another wire type is another field,
// as it is for whoever decodes.
type tag = uint64

const (
	wireVarint tag = tag(protowire.VarintType)
	wireBytes  tag = tag(protowire.BytesType)
)

// Fields of ledgerv1 that are read without decoding.
const (
	decisionParties   = 1<<3 | wireBytes
	decisionServer    = 6<<3 | wireBytes
	decisionTool      = 8<<3 | wireBytes
	decisionSession   = 10<<3 | wireBytes
	decisionJudgement = 14<<3 | wireBytes
	decisionApproval  = 25<<3 | wireBytes

	partiesProcess    = 3<<3 | wireBytes
	partiesAutomation = 6<<3 | wireBytes

	// Alike in a judgement and in a settlement.
	answerOutcome = 1<<3 | wireVarint
	answerReason  = 2<<3 | wireBytes
	reasonCode    = 1<<3 | wireBytes
)

// KindName is the name of a kind's field in ledgerv1.Entry, as in "outcome_reported";
// empty where there is none.
func KindName(k Kind) string {
	f := (&ledgerv1.Entry{}).ProtoReflect().Descriptor().Fields().ByNumber(k)
	if f == nil || f.ContainingOneof() == nil {
		return ""
	}
	return string(f.Name())
}

// KindNames are the names of all kinds, in the order of their numbers.
func KindNames() []string {
	bodies := (&ledgerv1.Entry{}).ProtoReflect().Descriptor().Oneofs().Get(0).Fields()
	names := make([]string, bodies.Len())
	for i := range names {
		names[i] = string(bodies.Get(i).Name())
	}
	return names
}

// ReadFields reads a stored entry's fields without decoding it: an index does this for
// every entry. Errors: ErrEnvelope.
func ReadFields(entry []byte) (f Fields, err error) {
	e, err := ParseEnvelope(entry)
	if err != nil {
		return f, err
	}
	f[FieldKind] = []byte(KindName(e.Kind))
	if e.Kind != KindDecision {
		return f, nil
	}
	f[FieldOutcome] = []byte(Refuse.String())
	if err := f.readDecision(e.Body); err != nil || e.Settlement == nil {
		return f, err
	}
	f[FieldOutcome], f[FieldReason] = []byte(Refuse.String()), nil
	return f, f.readAnswer(e.Settlement)
}

func (f *Fields) readDecision(message []byte) error {
	return eachField(message, func(at tag, v fieldValue) error {
		switch at {
		case decisionParties:
			return eachField(v.bytes, f.readParties)
		case decisionServer:
			f[FieldServer] = v.bytes
		case decisionTool:
			f[FieldTool] = v.bytes
		case decisionSession:
			f[FieldSession] = v.bytes
		case decisionApproval:
			f[FieldApproval] = v.bytes
		case decisionJudgement:
			return f.readAnswer(v.bytes)
		}
		return nil
	})
}

func (f *Fields) readParties(at tag, v fieldValue) error {
	switch at {
	case partiesProcess:
		f[FieldProcess] = v.bytes
	case partiesAutomation:
		f[FieldAutomation] = v.bytes
	}
	return nil
}

func (f *Fields) readAnswer(message []byte) error {
	return eachField(message, func(at tag, v fieldValue) error {
		switch at {
		case answerOutcome:
			f[FieldOutcome] = []byte(RecordedOutcome(ledgerv1.Outcome(v.varint)).String()) //nolint:gosec // what is no outcome refuses
		case answerReason:
			return eachField(v.bytes, f.readReason)
		}
		return nil
	})
}

func (f *Fields) readReason(at tag, v fieldValue) error {
	if at == reasonCode {
		f[FieldReason] = v.bytes
	}
	return nil
}

// fieldValue is a field's content: bytes of a length-delimited one, varint of a varint.
type fieldValue struct {
	bytes  []byte
	varint uint64
}

// eachField calls visit for the fields of a message in their order. Errors: ErrEnvelope,
// and visit's.
func eachField(message []byte, visit func(tag, fieldValue) error) error {
	for len(message) > 0 {
		number, typ, n := protowire.ConsumeTag(message)
		if n < 0 {
			return fmt.Errorf("%w: a field does not parse: %w", ErrEnvelope, protowire.ParseError(n))
		}
		var v fieldValue
		var m int
		switch typ {
		case protowire.BytesType:
			v.bytes, m = protowire.ConsumeBytes(message[n:])
		case protowire.VarintType:
			v.varint, m = protowire.ConsumeVarint(message[n:])
		default:
			m = protowire.ConsumeFieldValue(number, typ, message[n:])
		}
		if m < 0 {
			return fmt.Errorf("%w: field %d does not parse: %w", ErrEnvelope, number, protowire.ParseError(m))
		}
		if err := visit(protowire.EncodeTag(number, typ), v); err != nil {
			return err
		}
		message = message[n+m:]
	}
	return nil
}
