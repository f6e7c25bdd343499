package shape_test

import (
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		message protoreflect.ProtoMessage
		kind    shape.Kind
		object  bool
	}{
		{&anypb.Any{}, shape.Any, true},
		{&emptypb.Empty{}, shape.Empty, true},
		{&structpb.Struct{}, shape.Struct, true},
		{&structpb.Value{}, shape.Value, false},
		{&structpb.ListValue{}, shape.ListValue, false},
		{&timestamppb.Timestamp{}, shape.Timestamp, false},
		{&durationpb.Duration{}, shape.Duration, false},
		{&fieldmaskpb.FieldMask{}, shape.FieldMask, false},
		{&wrapperspb.BoolValue{}, shape.Wrapper, false},
		{&wrapperspb.BytesValue{}, shape.Wrapper, false},
		{&wrapperspb.DoubleValue{}, shape.Wrapper, false},
		{&wrapperspb.FloatValue{}, shape.Wrapper, false},
		{&wrapperspb.Int32Value{}, shape.Wrapper, false},
		{&wrapperspb.Int64Value{}, shape.Wrapper, false},
		{&wrapperspb.StringValue{}, shape.Wrapper, false},
		{&wrapperspb.UInt32Value{}, shape.Wrapper, false},
		{&wrapperspb.UInt64Value{}, shape.Wrapper, false},
	}
	for _, tt := range tests {
		md := tt.message.ProtoReflect().Descriptor()
		t.Run(string(md.Name()), func(t *testing.T) {
			t.Parallel()
			if got := shape.KindOf(md); got != tt.kind {
				t.Errorf("KindOf = %d, want %d", got, tt.kind)
			}
			in, wrapIn := shape.InputWrapper(md)
			out, wrapOut := shape.OutputWrapper(md)
			if wrapIn == tt.object || wrapOut == tt.object {
				t.Errorf("wrapped in = %v, out = %v, want %v", wrapIn, wrapOut, !tt.object)
			}
			if !tt.object && (in != "value" || out != "result") {
				t.Errorf("wrappers %q and %q, want value and result", in, out)
			}
		})
	}
}

// A backend may call anything google.protobuf.Timestamp; only the real thing is treated as one.
func TestKindOfPretender(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"other fields":   `message Timestamp { string seconds = 1; int32 nanos = 2; }`,
		"missing field":  `message Timestamp { int64 seconds = 1; }`,
		"one more field": `message Timestamp { int64 seconds = 1; int32 nanos = 2; int32 more = 3; }`,
		"repeated":       `message Timestamp { repeated int64 seconds = 1; int32 nanos = 2; }`,
		"other numbers":  `message Timestamp { int64 seconds = 2; int32 nanos = 3; }`,
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			md := message(t, `syntax = "proto3"; package google.protobuf; `+body, "Timestamp")
			if got := shape.KindOf(md); got != shape.Object {
				t.Errorf("KindOf = %d, want Object", got)
			}
		})
	}
}

func TestIsNullValue(t *testing.T) {
	t.Parallel()
	if !shape.IsNullValue(structpb.NullValue(0).Descriptor()) {
		t.Error("google.protobuf.NullValue is not recognised")
	}
	md := message(t, `syntax = "proto3"; message M { NullValue v = 1; } enum NullValue { NULL_VALUE = 0; }`, "M")
	if shape.IsNullValue(md.Fields().Get(0).Enum()) {
		t.Error("an enum of the same short name is taken for it")
	}
	if shape.IsNullValue(nil) {
		t.Error("nil is taken for it")
	}
}
