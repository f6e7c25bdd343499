package backend_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// TestCheckForward: what is denied is denied in any spelling, as a header and as metadata, and so is what is no name.
func TestCheckForward(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Authorization", "PROXY-AUTHORIZATION", "proxy_authenticate", "Cookie", "Set-Cookie", "set_cookie", "grpc-timeout", "Grpc_Trace-Bin",
		"Host", "Connection", "keep-alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "HTTP2-Settings",
		"Content-Type", "content_length", "Accept", "Accept-Encoding", "Mcp-Session-Id", "MCP_Protocol_Version", "mcp-param-x",
		"X-Forwarded-For", "x_forwarded_host", "Forwarded", "X-Real-IP", "x_real_ip", "X-Envoy-Original-Path", "X-Tenant", "X-Tenant-Id",
		"x_tenant_id", "Bridge-Input-Responses-Bin", "bridge_client-capabilities_bin", "Traceparent", "tracestate", "Baggage", "User-Agent", "user_agent", "Origin", "Last-Event-ID",
		"X-Authorization", "X-Auth-Token", "x_auth_request_email", "X-Amzn-Oidc-Data", "X_AMZN_OIDC_IDENTITY", "X-Goog-IAP-JWT-Assertion",
		"Api_Key", "x.api.key", "X-ApiKey", "X-Client-Secret", "X-Password", "x_passwd", "X-Credentials", "X-Saml-Response", "Cookie2",
		"Remote_User", "X-Remote-User", "X-Forwarded-User",
		"", ":path", "x y", "x:y", "x\r\ny", "x\x00", "é", "x/y", strings.Repeat("x", 129),
	} {
		if err := backend.CheckForward(name, ""); err == nil {
			t.Errorf("header %q may be forwarded", name)
		}
		if err := backend.CheckForward("X-Ok", strings.ToLower(name)); err == nil && name != "" {
			t.Errorf("a header may be forwarded as %q", name)
		}
	}
	for _, name := range []string{
		"X-Request-Id", "x_request_id", "X.Y", "Acme-Region", "x-forwarde", "hostile", "x-bin", "x-key", "x-api", "x-remote-users", "prox",
		strings.Repeat("x", 128),
	} {
		if err := errors.Join(backend.CheckForward(name, ""), backend.CheckForward("X-Ok", strings.ToLower(name))); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestCheckForwardTexts: the error names what is at fault and why.
func TestCheckForwardTexts(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]backend.Forward{
		`header "Cookie" cannot be forwarded: it carries the client's credentials, which are for the bridge alone; ` +
			`give the backend a credential of its own: headers, with secret`: {Header: "Cookie"},
		`metadata "api_key" cannot be forwarded: it carries the client's credentials, which are for the bridge alone; ` +
			`give the backend a credential of its own: headers, with secret`: {Header: "X-A", Metadata: "api_key"},
		`metadata "x_tenant" cannot be forwarded: backends trust it because no client can set it; a proxy or the bridge does`: {
			Header: "X-A", Metadata: "x_tenant",
		},
		`metadata "X-A": a key has only lower-case letters, digits, '-', '_' and '.'`: {Header: "X-A", Metadata: "X-A"},
		`header "X A": a name has only letters, digits, '-', '_' and '.'`:             {Header: "X A"},
		`a header to forward has no name: give one`:                                   {Metadata: "x-a"},
	} {
		if err := backend.CheckForward(f.Header, f.Metadata); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// TestForwardFaults: headers that cannot be forwarded together, or not at all, are faults of the configuration, all at once.
func TestForwardFaults(t *testing.T) {
	t.Parallel()
	many := make([]backend.Forward, backend.MaxForwarded+1)
	for i := range many {
		many[i].Header = fmt.Sprintf("X-%d", i)
	}
	for name, tt := range map[string]struct {
		static  metadata.MD
		forward []backend.Forward
		want    string
	}{
		"denied":      {nil, []backend.Forward{{Header: "Cookie"}, {Header: "Host"}}, `header "Cookie" cannot`},
		"all at once": {nil, []backend.Forward{{Header: "Cookie"}, {Header: "Host"}}, `header "Host" cannot`},
		"static": {
			metadata.MD{"X-A": {"1"}},
			[]backend.Forward{{Header: "x-a"}},
			`header "X-A" is forwarded as "x-a", which a static header is sent as: remove`,
		},
		"as static": {metadata.MD{"x_a": {"1"}}, []backend.Forward{{Header: "X-B", Metadata: "x-a"}}, `which a static header is sent as`},
		"twice": {
			nil, []backend.Forward{{Header: "X-A"}, {Header: "X-B", Metadata: "x_a"}}, `is forwarded as "x_a", which header "X-A" is sent as`,
		},
		"too many": {nil, many, `33 headers to forward: at most 32 are`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := backend.New(backend.Config{Headers: tt.static, Forward: tt.forward})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestForward: a call carries of the client's headers those that are configured, under the configured keys, beside the static
// ones; and nothing else of them.
func TestForward(t *testing.T) {
	t.Parallel()
	config := backend.Config{
		Headers: metadata.MD{"x-static": {"s"}},
		Forward: []backend.Forward{
			{Header: "x-request-id"},
			{Header: "X-Region", Metadata: "region"},
			{Header: "X-Region", Metadata: "zone"},
			{Header: "X-Blob", Metadata: "blob-bin"},
		},
	}
	for name, tt := range map[string]struct{ headers, want map[string][]string }{
		"none":      {nil, nil},
		"others":    {map[string][]string{"X-Other": {"1"}, "X-Static": {"2"}, "x-request-id": {"not canonical"}, "region": {"a key"}}, nil},
		"one":       {map[string][]string{"X-Request-Id": {"a"}}, metadata.MD{"x-request-id": {"a"}}},
		"values":    {map[string][]string{"X-Request-Id": {"a", "", "b, c"}}, metadata.MD{"x-request-id": {"a", "", "b, c"}}},
		"two keys":  {map[string][]string{"X-Region": {"eu"}}, metadata.MD{"region": {"eu"}, "zone": {"eu"}}},
		"no values": {map[string][]string{"X-Region": {}}, nil},
		"bytes":     {map[string][]string{"X-Blob": {"AP8N", "AA==", "AA", ""}}, metadata.MD{"blob-bin": {"\x00\xff\r", "\x00", "\x00", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sent := sentWith(t, config, backend.WithForwarded(t.Context(), tt.headers))
			want := metadata.Join(metadata.MD{"x-static": {"s"}}, tt.want)
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestForwardNothing: without a configuration nothing is forwarded.
func TestForwardNothing(t *testing.T) {
	t.Parallel()
	if sent := sentWith(t, backend.Config{}, backend.WithForwarded(t.Context(), map[string][]string{"X-A": {"1"}})); len(sent) > 0 {
		t.Errorf("sent %v", sent)
	}
}

// TestUnforwardable: a value that metadata cannot have, and too much of it, fails the call before it is sent. The text names the
// header and never its value.
func TestUnforwardable(t *testing.T) {
	t.Parallel()
	config := backend.Config{Forward: []backend.Forward{
		{Header: "X-A"}, {Header: "X-A", Metadata: "x-b"}, {Header: "X-Blob", Metadata: "blob-bin"},
	}}
	for name, tt := range map[string]struct {
		headers map[string][]string
		want    string
	}{
		"line end": {
			map[string][]string{"X-A": {"fine", "secret\r\nx: y"}}, `"X-A" of the client's request cannot be forwarded: a value has a character`,
		},
		"nul":       {map[string][]string{"X-A": {"secret\x00"}}, "outside printable ASCII"},
		"not ASCII": {map[string][]string{"X-A": {"sécret"}}, "outside printable ASCII"},
		"not base64": {
			map[string][]string{"X-Blob": {"secret!"}}, `"X-Blob" of the client's request cannot be forwarded: a value is not base64`,
		},
		"list":               {map[string][]string{"X-Blob": {"AAAA,AAAA"}}, "a value is not base64"},
		"line end in base64": {map[string][]string{"X-Blob": {"AA\nAA"}}, "outside printable ASCII"},
		"many":               {map[string][]string{"X-A": make([]string, 17)}, "they may have 32 values and 8 KiB in all"},
		"large":              {map[string][]string{"X-A": {strings.Repeat("x", 4<<10)}}, "they may have 32 values and 8 KiB in all"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := config
			config.Conn = stub{err: errors.New("was sent")}
			b, do := newBackend(t, config), compile(t).method("Do")
			_, f := b.Unary(backend.WithForwarded(t.Context(), tt.headers), do, nil)
			if f == nil || f.Code != codes.FailedPrecondition || f.Execution != backend.NotExecuted ||
				!strings.Contains(f.Message, tt.want) || strings.Contains(f.Message, "cret") {
				t.Errorf("got %v", f)
			}
			var watching *backend.Failure
			err := b.Watch(backend.WithForwarded(t.Context(), tt.headers), compile(t).method("Watch"), nil, nil, nil)
			if !errors.As(err, &watching) || watching.Message != f.Message {
				t.Errorf("got %v of a watch", err)
			}
		})
	}
}

// sentWith returns the metadata of a call.
func sentWith(t testing.TB, c backend.Config, ctx context.Context) metadata.MD {
	t.Helper()
	var sent metadata.MD
	c.Conn = keeper{sent: &sent}
	if _, f := newBackend(t, c).Unary(ctx, compile(t).method("Do"), nil); f == nil || f.Code != codes.NotFound {
		t.Fatalf("not sent: %v", f)
	}
	return sent
}

// keeper is a connection that keeps the metadata of its last call.
type keeper struct {
	stub
	sent *metadata.MD
}

func (k keeper) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	*k.sent, _ = metadata.FromOutgoingContext(ctx)
	return status.Error(codes.NotFound, "")
}
