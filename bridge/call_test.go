package bridge_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/library"
)

// double is a connection whose calls a test answers.
type double struct {
	grpc.ClientConnInterface
	invoke func(ctx context.Context, method string, request, reply any) error
}

func (d double) Invoke(ctx context.Context, method string, request, reply any, _ ...grpc.CallOption) error {
	return d.invoke(ctx, method, request, reply)
}

// TestCallErrors: what never becomes a call is an error, and not a result.
func TestCallErrors(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: libraryOnly}})
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"unknown tool":   {"library_get_bok", "{}", "library_get_book"},
		"not JSON":       {"library_get_book", "{name:1}", "library_get_book"},
		"duplicate name": {"library_get_book", `{"name":"a","name":"b"}`, `"name"`},
		"trailing data":  {"library_get_book", `{} {}`, "library_get_book"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := b.Call(t.Context(), c.tool, []byte(c.arguments))
			if !errors.Is(err, bridge.ErrProtocol) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

// fused is a connection whose first call blows.
type fused struct {
	grpc.ClientConnInterface
	blown atomic.Bool
}

func (f *fused) Invoke(ctx context.Context, method string, request, reply any, opts ...grpc.CallOption) error {
	if f.blown.CompareAndSwap(false, true) {
		panic("blown")
	}
	return f.ClientConnInterface.Invoke(ctx, method, request, reply, opts...)
}

// TestPanicFailsOneCall: a panic below a call is that call's internal error, and the next call is served.
func TestPanicFailsOneCall(t *testing.T) {
	t.Parallel()
	conn := &fused{ClientConnInterface: startServices(t, library.New())}
	b := newBridge(t, []bridge.Backend{{Descriptors: libraryOnly, Conn: conn}})
	c := httpClient(t, serveHTTP(t, b), "2025-11-25")
	params := map[string]any{"name": "library_get_book", "arguments": map[string]any{"name": "books/dune"}}
	r := c.request(t, "tools/call", params)
	if r.Error == nil || r.Error.Code != -32603 || strings.Contains(r.Error.Message, "blown") ||
		strings.Contains(r.Error.Message, "goroutine") {
		t.Errorf("the panic was answered with %+v", r)
	}
	if got := c.call(t, "library_get_book", `{"name":"books/dune"}`); got.IsError {
		t.Errorf("the call after the panic: %+v", got)
	}
}

// TestInternalFaultIsNoProtocolError: who calls from within the program can tell a fault of the bridge's from a mistake.
func TestInternalFaultIsNoProtocolError(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Descriptors: libraryOnly, Conn: &fused{}}})
	r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`))
	if err == nil || errors.Is(err, bridge.ErrProtocol) || !strings.Contains(err.Error(), "library_get_book") ||
		!strings.Contains(err.Error(), "log") {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestMessages: with Messages set, a connection that takes proto.Message values only will do.
func TestMessages(t *testing.T) {
	t.Parallel()
	conn := startServices(t, library.New())
	b := newBridge(t, []bridge.Backend{{Descriptors: libraryOnly, Messages: true, Conn: double{
		invoke: func(ctx context.Context, method string, request, reply any) error {
			if _, ok := request.(proto.Message); !ok {
				t.Errorf("%s was called with a %T", method, request)
			}
			return conn.Invoke(ctx, method, request, reply)
		},
	}}})
	r, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`))
	if err != nil || r.IsError || !strings.Contains(r.Text, "Dune") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestCancelled: when the caller's context ends, so does the call at the backend.
func TestCancelled(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	b := newBridge(t, []bridge.Backend{{Descriptors: libraryOnly, Conn: double{
		invoke: func(ctx context.Context, _ string, _, _ any) error {
			close(begun)
			<-ctx.Done()
			close(ended)
			return ctx.Err()
		},
	}}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	if r, err := b.Call(ctx, "library_get_book", []byte(`{"name":"books/dune"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", r, err)
	}
	<-ended
}

// TestClientHeadersStayHere: nothing that an HTTP client sends becomes metadata; the configured headers do.
func TestClientHeadersStayHere(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t), Headers: map[string][]string{"authorization": {"Bearer of-the-bridge"}}}})
	c := httpClient(t, serveHTTP(t, b), modern)
	send := c.send
	c.send = func(t *testing.T, message []byte, h http.Header) []byte {
		h.Set("Authorization", "Bearer of-the-client")
		h.Set("Cookie", "crumbs")
		h.Set("X-Forwarded-For", "10.0.0.1")
		h.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		return send(t, message, h)
	}
	got := c.call(t, "echo_metadata", `{}`)
	text := got.Content[0].Text
	if got.IsError || !strings.Contains(text, "of-the-bridge") {
		t.Errorf("the configured header did not arrive: %s", text)
	}
	for _, leak := range []string{"of-the-client", "crumbs", "10.0.0.1", "mcp-"} {
		if strings.Contains(text, leak) {
			t.Errorf("%q reached the backend: %s", leak, text)
		}
	}
}

// TestStreamingMethodsAreTools: of the methods that stream only a hidden one is unknown, and answers as if it were not there.
func TestStreamingMethodsAreTools(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: noConn{}, Descriptors: echoOnly, Hide: []string{"*.Collect"}}})
	if _, err := b.Call(t.Context(), "echo_collect", nil); !errors.Is(err, bridge.ErrProtocol) ||
		!strings.Contains(err.Error(), "tools/list") {
		t.Errorf("the hidden method: %v", err)
	}
	if _, err := b.Call(t.Context(), "echo_count", nil); errors.Is(err, bridge.ErrProtocol) {
		t.Errorf("a server stream: %v", err)
	}
}
