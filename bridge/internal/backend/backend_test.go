package backend_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// echo answers with the text that it was asked.
func echo(s schema) handler {
	return func(_ context.Context, ask *dynamicpb.Message) (proto.Message, error) {
		return s.message("Answer", ask.Get(ask.Descriptor().Fields().ByName("text")).String()), nil
	}
}

func TestUnaryCarriesBytes(t *testing.T) {
	t.Parallel()
	for _, messages := range []bool{false, true} {
		for _, tt := range []struct{ name, text string }{
			{"empty", ""}, {"short", "Zürich"}, {"large", strings.Repeat("x", 1<<20)},
		} {
			name := map[bool]string{false: "bytes", true: "messages"}[messages] + "/" + tt.name
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := memory()
				s := start(t, l, echo(compile(t)))
				b := newBackend(t, backend.Config{Conn: dial(t, l), Messages: messages})
				reply, f := b.Unary(t.Context(), s.method("Do"), s.wire(t, tt.text))
				if f != nil {
					t.Fatal(f)
				}
				if want := s.wire(t, tt.text); !bytes.Equal(reply, want) { // Ask and Answer have the same wire format
					t.Errorf("reply of %d bytes, want %d", len(reply), len(want))
				}
			})
		}
	}
}

// TestUnaryKeepsUnknownFields: what the descriptors do not know passes through in both directions.
func TestUnaryKeepsUnknownFields(t *testing.T) {
	t.Parallel()
	for _, messages := range []bool{false, true} {
		l := memory()
		s := start(t, l, func(_ context.Context, ask *dynamicpb.Message) (proto.Message, error) { return ask, nil })
		b := newBackend(t, backend.Config{Conn: dial(t, l), Messages: messages})
		request := protowire.AppendString(protowire.AppendTag(nil, 99, protowire.BytesType), "from the future")
		reply, f := b.Unary(t.Context(), s.method("Do"), request)
		if f != nil {
			t.Fatal(f)
		}
		if !bytes.Equal(reply, request) {
			t.Errorf("messages=%v: reply %q, want %q", messages, reply, request)
		}
	}
}

// TestUnarySendsConfiguredMetadataOnly plants metadata in the caller's context and looks at what arrives.
func TestUnarySendsConfiguredMetadataOnly(t *testing.T) {
	t.Parallel()
	l := memory()
	var got metadata.MD
	var path string
	s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
		got, _ = metadata.FromIncomingContext(ctx)
		path, _ = grpc.Method(ctx)
		return compile(t).message("Answer", ""), nil
	})
	b := newBackend(t, backend.Config{
		Conn:    dial(t, l),
		Headers: metadata.MD{"Authorization": {"Bearer token"}, "x-many": {"a", "b"}, "trace-bin": {"\x00\xff"}},
	})
	ctx := metadata.AppendToOutgoingContext(t.Context(), "x-client", "smuggled", "authorization", "forged")
	if _, f := b.Unary(ctx, s.method("Do"), nil); f != nil {
		t.Fatal(f)
	}
	for _, own := range []string{":authority", "user-agent", "grpc-accept-encoding"} {
		delete(got, own)
	}
	want := metadata.MD{
		"authorization": {"Bearer token"}, "x-many": {"a", "b"}, "trace-bin": {"\x00\xff"},
		"content-type": {"application/grpc+proto"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if path != "/probe.v1.Probe/Do" {
		t.Errorf("path %q", path)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	header := func(name, value string) backend.Config {
		return backend.Config{Headers: metadata.MD{name: {value}}}
	}
	for _, tt := range []struct {
		name   string
		config backend.Config
		want   string
	}{
		{"negative deadline", backend.Config{Deadline: -time.Second}, "deadline -1s: give a positive duration"},
		{"negative limit", backend.Config{MaxMessageBytes: -1}, "message limit of -1 bytes: give a positive size"},
		{"no name", header("", "v"), `header "": a name has only letters`},
		{"space in name", header("x y", "v"), `header "x y": a name has only letters`},
		{"pseudo header", header(":path", "v"), `header ":path": a name has only letters`},
		{"line end", header("x-key", "top-secret\r\nx-evil: 1"), `header "x-key": its value has a character outside printable ASCII`},
		{"not ASCII", header("x-key", "geheim-ü"), `header "x-key": its value has a character outside`},
		{"reserved by gRPC", header("grpc-timeout", "1S"), `header "grpc-timeout": this name belongs to gRPC or HTTP/2`},
		{"answers", header("Bridge-Input-Responses-Bin", "\x01"), `header "bridge-input-responses-bin": the bridge sends it by itself`},
		{"capabilities", header("bridge-client-capabilities-bin", ""), `header "bridge-client-capabilities-bin": the bridge sends it by itself`},
		{"reserved by HTTP", header("Host", "h"), `header "host": this name belongs to gRPC or HTTP/2`},
		{"too large", header("x-key", strings.Repeat("v", 8<<10)), "the headers take 8197 bytes together: shorten them to 8192"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := backend.New(tt.config)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "geheim") {
				t.Errorf("the error shows the value: %v", err)
			}
		})
	}
}

func TestNewReportsAllHeaders(t *testing.T) {
	t.Parallel()
	_, err := backend.New(backend.Config{Headers: metadata.MD{"a b": {""}, "te": {""}, "fine": {""}}})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 2 {
		t.Errorf("error %v, want two faults", err)
	}
}

func TestUnaryWithoutConnection(t *testing.T) {
	t.Parallel()
	b := newBackend(t, backend.Config{})
	_, f := b.Unary(t.Context(), compile(t).method("Do"), nil)
	if f == nil || f.Execution != backend.NotExecuted || f.Code != codes.Unavailable {
		t.Errorf("failure %+v, want UNAVAILABLE, not executed", f)
	}
}

func TestMessageLimits(t *testing.T) {
	t.Parallel()
	l := memory()
	s := start(t, l, func(context.Context, *dynamicpb.Message) (proto.Message, error) {
		return compile(t).message("Answer", strings.Repeat("x", 2048)), nil
	})
	b := newBackend(t, backend.Config{Conn: dial(t, l), MaxMessageBytes: 1024})
	t.Run("request", func(t *testing.T) {
		_, f := b.Unary(t.Context(), s.method("Do"), s.wire(t, strings.Repeat("x", 2048)))
		check(t, f, codes.ResourceExhausted, backend.NotExecuted)
		contains(t, f, "the arguments take 2051 bytes on the wire: more than the limit of 1 KiB", "--max-message-size",
			"make the arguments smaller")
		if n := s.executions.Load(); n != 0 {
			t.Errorf("the backend saw %d calls", n)
		}
	})
	t.Run("reply", func(t *testing.T) {
		_, f := b.Unary(t.Context(), s.method("Do"), nil)
		check(t, f, codes.ResourceExhausted, backend.Executed)
		contains(t, f, "the reply is larger than the limit of 1 KiB", "--max-message-size", "page size")
	})
}

// TestForeignMessages: a connection that swaps the messages gets a clear error instead of a panic.
func TestForeignMessages(t *testing.T) {
	t.Parallel()
	l := memory()
	s := start(t, l, echo(compile(t)))
	b := newBackend(t, backend.Config{Conn: swapping{dial(t, l)}})
	_, f := b.Unary(t.Context(), s.method("Do"), nil)
	check(t, f, codes.Internal, backend.Unknown)
	contains(t, f, "cannot send a string as raw bytes")
}

// swapping stands for an interceptor that replaces the request.
type swapping struct{ *grpc.ClientConn }

func (s swapping) Invoke(ctx context.Context, path string, _, out any, o ...grpc.CallOption) error {
	return s.ClientConn.Invoke(ctx, path, "not a frame", out, o...)
}

func TestInvalidRequestWithMessages(t *testing.T) {
	t.Parallel()
	l := memory()
	s := start(t, l, echo(compile(t)))
	b := newBackend(t, backend.Config{Conn: dial(t, l), Messages: true})
	_, f := b.Unary(t.Context(), s.method("Do"), []byte{0xff})
	check(t, f, codes.Internal, backend.NotExecuted)
	contains(t, f, "the request is no valid probe.v1.Ask")
}

func check(t *testing.T, f *backend.Failure, code codes.Code, execution backend.Execution) {
	t.Helper()
	if f == nil {
		t.Fatal("the call succeeded")
	}
	if f.Code != code || f.Execution != execution {
		t.Errorf("%v, %s (cause: %v); want %v, %s", f.Code, f.Execution, errors.Unwrap(f), code, execution)
	}
}

func contains(t *testing.T, f *backend.Failure, parts ...string) {
	t.Helper()
	text := string(f.AppendText(nil))
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("text lacks %q:\n%s", part, text)
		}
	}
}
