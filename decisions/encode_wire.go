package decisions

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// encoder appends the fields of a message in the wire format. Like proto3, it leaves out
// a field that has its zero value. Err is the first.
type encoder struct {
	b   []byte
	err error
}

// open begins a message within the message; close ends it.
func (e *encoder) open(field protowire.Number) (at int) {
	e.b = append(protowire.AppendTag(e.b, field, protowire.BytesType), 0)
	return len(e.b)
}

// close writes the length before what was appended since open. One byte was left for it,
// which is enough for most; where it is not, the message moves up.
func (e *encoder) close(at int) {
	size := len(e.b) - at
	if more := protowire.SizeVarint(uint64(size)) - 1; more > 0 {
		e.b = append(e.b, make([]byte, more)...)
		copy(e.b[at+more:], e.b[at:at+size])
	}
	protowire.AppendVarint(e.b[:at-1], uint64(size))
}

func (e *encoder) text(field protowire.Number, s string) {
	if s != "" {
		e.one(field, s)
	}
}

// texts writes a repeated field, in which an empty one counts.
func (e *encoder) texts(field protowire.Number, all []string) {
	for _, s := range all {
		e.one(field, s)
	}
}

func (e *encoder) one(field protowire.Number, s string) {
	if !utf8.ValidString(s) && e.err == nil {
		e.err = fmt.Errorf("%w: field %d holds %.40q, which is not UTF-8; expected text", ErrEnvelope, field, strings.Clone(s))
	}
	e.b = protowire.AppendTag(e.b, field, protowire.BytesType)
	e.b = protowire.AppendString(e.b, s)
}

func (e *encoder) bytes(field protowire.Number, value []byte) {
	if len(value) > 0 {
		e.b = protowire.AppendTag(e.b, field, protowire.BytesType)
		e.b = protowire.AppendBytes(e.b, value)
	}
}

func (e *encoder) truth(field protowire.Number, value bool) {
	e.number(field, protowire.EncodeBool(value))
}

func (e *encoder) number(field protowire.Number, value uint64) {
	if value != 0 {
		e.b = protowire.AppendTag(e.b, field, protowire.VarintType)
		e.b = protowire.AppendVarint(e.b, value)
	}
}
