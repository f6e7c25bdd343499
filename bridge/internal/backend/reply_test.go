package backend_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	_ "google.golang.org/grpc/encoding/gzip" // a compressor that a server may choose
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// repetitions is how often a test is run whose outcome must not depend on what arrives first: a reply, or the trailers
// behind it.
const repetitions = 100

// answers makes a server that answers with wire as the message.
func answers(t *testing.T, wire []byte, with ...grpc.ServerOption) (*server, *grpc.ClientConn) {
	t.Helper()
	l := memory()
	s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
		reply := dynamicpb.NewMessage(compile(t).file.Messages().ByName("Answer"))
		reply.SetUnknown(wire)
		return reply, nil
	}, with...)
	return s, dial(t, l)
}

// TestReplyTooLarge: that it was refused here is no doubt about the backend.
func TestReplyTooLarge(t *testing.T) {
	t.Parallel()
	compress := grpc.UnaryInterceptor(func(ctx context.Context, in any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		if err := grpc.SetSendCompressor(ctx, "gzip"); err != nil {
			return nil, err
		}
		return h(ctx, in)
	})
	for name, options := range map[string][]grpc.ServerOption{"plain": nil, "compressed": {compress}} {
		for size, kind := range map[int]string{2048: "small", 1 << 20: "large"} {
			t.Run(name+" "+kind, func(t *testing.T) {
				t.Parallel()
				b, method := limited(t, size, options), compile(t).method("Do")
				for range repetitions {
					_, f := b.Unary(t.Context(), method, nil)
					check(t, f, codes.ResourceExhausted, backend.Executed)
					if !f.ReplyTooLarge {
						t.Fatalf("%+v", f)
					}
					contains(t, f, "the reply is larger than the limit of 1 KiB for one message (max_message_bytes of its backend, or --max-message-size)",
						"executed (the backend carried out the call; only its reply cannot be used)", "page size")
				}
			})
		}
	}
}

// limited makes a backend with a limit of 1 KiB that answers with a text of some size.
func limited(t *testing.T, size int, options []grpc.ServerOption) *backend.Backend {
	t.Helper()
	_, conn := answers(t, compile(t).wire(t, strings.Repeat("x", size)), options...)
	return newBackend(t, backend.Config{Conn: conn, MaxMessageBytes: 1024})
}

// TestTheBackendsOwnLimit: a backend that refuses our request, or tells of a reply that it could not read itself, uses
// the same words, and they are its answer.
func TestTheBackendsOwnLimit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		message, text string
		execution     backend.Execution
	}{
		"request": {
			"grpc: received message larger than max (900 vs. 512)",
			"the backend refused the request, which is larger than the backend's own limit: ", backend.Unknown,
		},
		"its own reply": {"grpc: received message larger than max (9000 vs. 1024)", "", backend.Executed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memory()
			s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
				return nil, status.Error(codes.ResourceExhausted, tt.message)
			})
			b := newBackend(t, backend.Config{Conn: dial(t, l), MaxMessageBytes: 1024})
			_, f := b.Unary(t.Context(), s.method("Do"), s.wire(t, strings.Repeat("x", 897)))
			check(t, f, codes.ResourceExhausted, tt.execution)
			if f.ReplyTooLarge || f.Message != tt.text+tt.message {
				t.Errorf("%+v", f)
			}
		})
	}
}

// TestTooLargeWithoutEvidence: where a connection reports neither headers nor trailers, the number in the text decides.
func TestTooLargeWithoutEvidence(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]bool{
		"grpc: received message larger than max (9000 vs. 1024)":          true,
		"grpc: received message after decompression larger than max 1024": true,
		"grpc: received message larger than max (900 vs. 512)":            false,
		"grpc: received message larger than max (900 vs. 11024)":          false,
		"quota: received message larger than max (9000 vs. 1024)":         false,
		"trying to send message larger than max (9000 vs. 1024)":          false,
	} {
		conn := stub{err: status.Error(codes.ResourceExhausted, message)}
		_, f := newBackend(t, backend.Config{Conn: conn, MaxMessageBytes: 1024}).Unary(t.Context(), compile(t).method("Do"), nil)
		if f.ReplyTooLarge != want || (f.Execution == backend.Executed) != want {
			t.Errorf("%s: %+v", message, f)
		}
	}
}

// hostile are messages of type Answer that protobuf refuses to parse, or panics of.
var hostile = map[string]string{
	"text that is not UTF-8":      "\x0a\x03a\xffz",
	"map key of two wire types":   "\x12\x05\x0a\x01a\x08\x01",
	"rubbish inside a map entry":  "\x12\x01\xff",
	"rubbish inside an odd field": "\x0a\x01x\x9a\x06\x01\xff",
}

// TestRefusedReplies: bytes pass through as they came, for the reader to mend, whichever way they take.
func TestRefusedReplies(t *testing.T) {
	t.Parallel()
	for name, wire := range hostile {
		for _, messages := range []bool{false, true} {
			s, conn := answers(t, []byte(wire))
			b := newBackend(t, backend.Config{Conn: conn, Messages: messages})
			reply, f := b.Unary(t.Context(), s.method("Do"), nil)
			if f != nil || !bytes.Equal(reply, []byte(wire)) {
				t.Errorf("%s, messages=%v: %q, %v", name, messages, reply, f)
			}
		}
	}
}

// TestUnreadableReply: what is no sequence of fields cannot be a message, but it did arrive.
func TestUnreadableReply(t *testing.T) {
	t.Parallel()
	s, conn := answers(t, []byte("\x0a\x05x"))
	b := newBackend(t, backend.Config{Conn: conn, Messages: true})
	for range repetitions {
		_, f := b.Unary(t.Context(), s.method("Do"), nil)
		check(t, f, codes.Internal, backend.Executed)
	}
}

// inProcess is a channel inside of one program: the server leaves its reply in the caller's message.
type inProcess struct {
	stub
	leave func(protoreflect.Message)
}

func (c inProcess) Invoke(_ context.Context, _ string, in, out any, _ ...grpc.CallOption) error {
	_ = in.(proto.Message)
	c.leave(out.(proto.Message).ProtoReflect())
	return nil
}

// TestInProcess: messages go in and out without having been bytes.
func TestInProcess(t *testing.T) {
	t.Parallel()
	s := compile(t)
	text := s.file.Messages().ByName("Answer").Fields().ByName("text")
	for value, want := range map[string]string{"fine": "", "bad\xff": "the reply is no valid probe.v1.Answer"} {
		conn := inProcess{leave: func(m protoreflect.Message) {
			proto.Merge(m.Interface(), s.message("Answer", "replaced"))
			m.Set(text, protoreflect.ValueOfString(value))
		}}
		reply, f := newBackend(t, backend.Config{Conn: conn, Messages: true}).Unary(t.Context(), s.method("Do"), nil)
		if want == "" {
			if f != nil || !bytes.Equal(reply, s.wire(t, value)) {
				t.Errorf("%q, %v", reply, f)
			}
			continue
		}
		check(t, f, codes.Internal, backend.Executed)
		contains(t, f, want)
	}
}
