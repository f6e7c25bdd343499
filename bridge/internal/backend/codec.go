package backend

import (
	"fmt"

	"google.golang.org/grpc/mem"
)

// frame is a message that stays in wire format on both sides of gRPC's codec.
type frame struct {
	data []byte
	// received is a message that came; nil for none. Unless it is freed, the garbage collector takes it.
	received mem.Buffer
}

// passed is a message to receive of which nothing is kept.
type passed struct{}

// rawCodec passes frames through. Its name keeps the content subtype of ordinary protobuf calls, so that a server cannot
// tell the difference.
type rawCodec struct{}

// Name returns "proto".
func (rawCodec) Name() string { return "proto" }

// Marshal returns the bytes of a *frame without copying them.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("cannot send a %T as raw bytes: the connection changed the message", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.data)}, nil
}

// joined are the buffers of messages that came in several parts.
var joined Buffers

// Unmarshal keeps the bytes in a *frame, and in passed none: those of one part where gRPC has them, which takes its buffers
// back when Unmarshal returns unless somebody refers to them, and those of several put together.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	if _, over := v.(passed); over {
		return nil
	}
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("cannot receive raw bytes into a %T: the connection changed the message", v)
	}
	f.received = data.MaterializeToBuffer(&joined)
	return nil
}
