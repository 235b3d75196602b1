package load

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// message is a request that is encoded already, and an answer that stays so.
type message struct{ request, answer []byte }

// bytesCodec sends and receives messages as they are on the wire: a generator that
// shares the machine with what it measures should cost little.
type bytesCodec struct{}

// Name is that of protobuf, because that is what the bytes are.
func (bytesCodec) Name() string { return "proto" }

func (bytesCodec) Marshal(v any) (mem.BufferSlice, error) {
	m, ok := v.(*message)
	if !ok {
		return nil, fmt.Errorf("a generator sends %T, not %T", m, v)
	}
	return mem.BufferSlice{mem.SliceBuffer(m.request)}, nil
}

func (bytesCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(*message)
	if !ok {
		return fmt.Errorf("a generator receives %T, not %T", m, v)
	}
	if cap(m.answer) < data.Len() {
		m.answer = make([]byte, 0, 2*data.Len())
	}
	m.answer = m.answer[:data.Len()]
	data.CopyTo(m.answer)
	return nil
}
