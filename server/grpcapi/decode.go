package grpcapi

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	grpcproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// decoder is the transport's codec with one change: a message that does not decode
// (invalid UTF-8, a broken wire form) is the caller's fault, INVALID_ARGUMENT naming
// the field, where the transport would say INTERNAL. The transport ends a call at a
// codec's error, so the codec notes the fault, and the interceptor answers with it
// before anything looks at the message.
type decoder struct {
	encoding.CodecV2
	faults sync.Map // of a message of the contract: error
}

func newDecoder() *decoder { return &decoder{CodecV2: encoding.GetCodecV2(grpcproto.Name)} }

// Unmarshal is called before the interceptor, with the message that it will get.
func (d *decoder) Unmarshal(data mem.BufferSlice, v any) error {
	err := d.CodecV2.Unmarshal(data, v)
	m, ok := v.(proto.Message)
	if err == nil || !ok || !strings.HasPrefix(string(m.ProtoReflect().Descriptor().FullName()), "writ.v1.") {
		return err
	}
	d.faults.Store(v, fault(m.ProtoReflect().Descriptor(), data.Materialize(), err))
	return nil
}

// refuseFaults answers for messages that did not decode.
func (d *decoder) refuseFaults(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if noted, bad := d.faults.LoadAndDelete(req); bad {
		err, ok := noted.(error)
		if !ok {
			err = errBounds // whatever was noted, there is no message to judge
		}
		return nil, edge(err)
	}
	return handle(ctx, req)
}

// refuseStreamFaults does so where the handler takes the message from a stream.
func (d *decoder) refuseStreamFaults(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	return handle(srv, &faultlessStream{stream, d})
}

type faultlessStream struct {
	grpc.ServerStream
	decoder *decoder
}

// RecvMsg fails for a message that did not decode.
func (s *faultlessStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	_, err := s.decoder.refuseFaults(s.Context(), m, nil, func(context.Context, any) (any, error) { return m, nil })
	return err
}

func fault(d protoreflect.MessageDescriptor, wire []byte, cause error) error {
	if field := notText(d, wire); field != "" {
		return outside(field, "is not valid UTF-8; expected text")
	}
	return fmt.Errorf("%w: %w: expected a %s message of the contract", errBounds, cause, d.FullName())
}

// notText returns the path of the first text field that is not valid UTF-8, or "".
func notText(d protoreflect.MessageDescriptor, wire []byte) string {
	for len(wire) > 0 {
		number, kind, n := protowire.ConsumeTag(wire)
		size := protowire.ConsumeFieldValue(number, kind, wire[max(n, 0):])
		if n < 0 || size < 0 {
			return ""
		}
		value := wire[n : n+size]
		wire = wire[n+size:]
		f := d.Fields().ByNumber(number)
		if f == nil || kind != protowire.BytesType {
			continue
		}
		content, _ := protowire.ConsumeBytes(value)
		switch {
		case f.Kind() == protoreflect.StringKind && !utf8.Valid(content):
			return string(f.Name())
		case f.Message() != nil:
			if inner := notText(f.Message(), content); inner != "" {
				return string(f.Name()) + "." + inner
			}
		}
	}
	return ""
}
