package backend_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// neverForwarded are the names that no call may carry for a client, as a backend that takes `_` for `-` reads them.
var neverForwarded = []string{
	"authorization", "proxy-*", "cookie", "set-cookie", "grpc-*", "host", "connection", "keep-alive", "te", "trailer", "transfer-encoding",
	"upgrade", "content-*", "accept*", "mcp-*", "x-forwarded-*", "forwarded", "x-real-ip", "x-envoy-*", "x-tenant*", "traceparent",
	"tracestate", "baggage", "user-agent", "origin", "last-event-id", ":*", "cookie2", "remote-user", "x-remote-user",
}

// neverWithin are the words that no name may have that a call carries for a client.
var neverWithin = []string{
	"token", "secret", "password", "passwd", "credential", "api-key", "apikey", "auth", "cookie", "oidc", "jwt", "assertion",
	"saml",
}

// FuzzForward: whatever is configured and whatever a client sends, nothing that is never forwarded gets through, nor anything
// malformed; gRPC takes what does, as it is; and a static header keeps its value.
func FuzzForward(f *testing.F) {
	for _, seed := range [][3]string{
		{"X-Request-Id", "", "a"},
		{"X_Forwarded_For", "x-a", "a"},
		{"X-A", "authorization", "Bearer x"},
		{"X-Blob", "blob-bin", "AP8N"},
		{"x-a", "x-static", "b"},
		{"X-A", "x-\u212a", "a\r\n"},
		{"x-a", "x_static", " "},
		{"GRPC-Timeout", "x", "1S"},
		{"x-bin", "", "AA="},
		{"X-A", "te", "trailers"},
		{"X", ":path", "/"},
		{"X-Amzn-Oidc-Data", "", "a.b.c"},
		{"X-A", "x_api_key", "a"},
		{"Remote_User", "", "root"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	l := memory()
	var received metadata.MD
	answer := compile(f).message("Answer", "")
	s := start(f, l, func(ctx context.Context, _ *dynamicpb.Message) (proto.Message, error) {
		received, _ = metadata.FromIncomingContext(ctx)
		return answer, nil
	})
	conn := dial(f, l)
	plain := carried(f, s, backend.Config{Conn: conn}, nil, &received)
	f.Fuzz(func(t *testing.T, header, key, value string) {
		c := backend.Config{Conn: conn, Headers: metadata.MD{"x-static": {"s"}}, Forward: []backend.Forward{{Header: header, Metadata: key}}}
		allowed := backend.CheckForward(header, key) == nil
		if _, err := backend.New(c); (err == nil) != allowed && (err == nil || !strings.Contains(err.Error(), "a static header")) {
			t.Fatalf("allowed %v, and New says %v", allowed, err)
		} else if err != nil {
			return
		}
		headers := map[string][]string{http.CanonicalHeaderKey(header): {value}, "Authorization": {"Bearer x"}, "X-Static": {"c"}}
		got := carried(t, s, c, headers, &received)
		if got == nil {
			return
		}
		if want := []string{"s"}; !slices.Equal(got["x-static"], want) {
			t.Errorf("the static header became %q", got["x-static"])
		}
		for name, values := range got {
			if name != "x-static" && !slices.Equal(values, plain[name]) {
				mayCarry(t, name, values, value)
			}
		}
	})
}

// carried makes a call and returns the metadata with which it arrived; nil where it was refused for what the client sent, which
// is the only thing that it may be refused for.
func carried(t testing.TB, s *server, c backend.Config, headers map[string][]string, received *metadata.MD) metadata.MD {
	t.Helper()
	*received = nil
	_, f := newBackend(t, c).Unary(backend.WithForwarded(t.Context(), headers), s.method("Do"), nil)
	if f == nil {
		return maps.Clone(*received)
	}
	ours := strings.Contains(f.Message, "cannot be forwarded") || strings.Contains(f.Message, "are too many")
	if !ours || f.Execution != backend.NotExecuted {
		t.Fatalf("gRPC or the server refused the call: %v", f)
	}
	if len(*received) > 0 {
		t.Fatal("the call was refused and sent")
	}
	return nil
}

// mayCarry holds metadata that comes from a client against what may.
func mayCarry(t *testing.T, name string, values []string, value string) {
	t.Helper()
	read := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	for _, never := range neverForwarded {
		if start, prefix := strings.CutSuffix(never, "*"); read == never || prefix && strings.HasPrefix(read, start) {
			t.Errorf("%s arrives", name)
		}
	}
	for _, never := range neverWithin {
		if strings.Contains(read, never) {
			t.Errorf("%s arrives", name)
		}
	}
	if !strings.HasSuffix(name, "-bin") && (len(values) != 1 || values[0] != value) {
		t.Errorf("%s arrives as %q, was %q", name, values, value)
	}
}
