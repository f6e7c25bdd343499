package backend_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestTrace: a call carries the trace that its context has, and a configured one instead of that.
func TestTrace(t *testing.T) {
	t.Parallel()
	const parent, other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"
	for name, c := range map[string]struct {
		headers       metadata.MD
		trace         backend.Trace
		parent, state []string
	}{
		"none":       {nil, backend.Trace{}, nil, nil},
		"parent":     {metadata.MD{"x": {"y"}}, backend.Trace{Parent: parent}, []string{parent}, nil},
		"both":       {nil, backend.Trace{Parent: parent, State: "a=1"}, []string{parent}, []string{"a=1"}},
		"configured": {metadata.MD{"traceparent": {other}}, backend.Trace{Parent: parent, State: "a=1"}, []string{other}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := memory()
			var got metadata.MD
			s := start(t, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
				got, _ = metadata.FromIncomingContext(ctx)
				return compile(t).message("Answer", ""), nil
			})
			b := newBackend(t, backend.Config{Conn: dial(t, l), Headers: c.headers})
			if _, f := b.Unary(backend.WithTrace(t.Context(), c.trace), s.method("Do"), nil); f != nil {
				t.Fatal(f)
			}
			if diff := cmp.Diff([][]string{c.parent, c.state}, [][]string{got["traceparent"], got["tracestate"]}); diff != "" {
				t.Error(diff)
			}
			if len(c.headers) > 0 && len(c.headers["traceparent"]) == 0 && len(got["x"]) != 1 {
				t.Errorf("the configured headers are missing: %v", got)
			}
		})
	}
}
