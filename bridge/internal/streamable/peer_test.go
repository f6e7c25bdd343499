package streamable_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// witness is a script that notes by whom it was asked.
type witness struct {
	script
	mu    sync.Mutex
	peers []lifecycle.Peer
}

func (w *witness) note(c *lifecycle.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.peers = append(w.peers, c.Peer())
}

func (w *witness) Admit(ctx context.Context, c *lifecycle.Conn, msg jsonrpc.Message, out server.Sink) streamable.Call {
	w.note(c)
	return w.script.Admit(ctx, c, msg, out)
}

func (w *witness) Listen(_ context.Context, c *lifecycle.Conn, _ server.Sink) error {
	w.note(c)
	return nil
}

// take returns what was noted since it was called last.
func (w *witness) take() []lifecycle.Peer {
	w.mu.Lock()
	defer w.mu.Unlock()
	peers := w.peers
	w.peers = nil
	return peers
}

// forwarding has the headers go on to backends.
func forwarding(names ...string) func(*streamable.Config) {
	return func(c *streamable.Config) { c.Forward = func() []string { return names } }
}

// witnessed returns a handler before a witness.
func witnessed(change ...func(*streamable.Config)) (*streamable.Handler, *witness) {
	w := &witness{script: script{gate: lifecycle.NewGate(lifecycle.Config{})}}
	return configured(w, w.gate, change), w
}

// TestPeer: of each request it is known over what it came and from where, by POST, in a batch and by GET, in both eras.
func TestPeer(t *testing.T) {
	t.Parallel()
	for version, major := range map[string]int{"1.1": 1, "2": 2} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			h, w := witnessed()
			s := httptest.NewUnstartedServer(h)
			s.EnableHTTP2 = major == 2
			s.StartTLS()
			t.Cleanup(func() { s.Client().CloseIdleConnections(); s.Close() })
			id := open(t, h, mcp.V20250326)
			w.take()
			for name, send := range map[string]func(){
				"modern": func() { post(t, s, modernRequest, modern) },
				"legacy": func() { post(t, s, call, in(id)) },
				"batch":  func() { post(t, s, "["+asked(1)+","+sent+"]", in(id)) },
				"GET":    func() { begin(t, s, "GET", "", in(id)).rest(t) },
			} {
				send()
				peers := w.take()
				if len(peers) == 0 {
					t.Errorf("%s: nobody asked", name)
				}
				for _, got := range peers {
					if got.Port == 0 {
						t.Errorf("%s: no port", name)
					}
					got.Port = 0
					want := lifecycle.Peer{Transport: "tcp", Protocol: "http", ProtocolVersion: version, Address: "127.0.0.1"}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s: peer (-want +got):\n%s", name, diff)
					}
				}
			}
		})
	}
}

// TestAddresses: what the server says of the other end is taken apart, whatever it is.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]struct {
		address string
		port    int
	}{
		"192.0.2.1:1234":      {"192.0.2.1", 1234},
		"[2001:db8::1]:65535": {"2001:db8::1", 65535},
		"[fe80::1%eth0]:80":   {"fe80::1%eth0", 80},
		"":                    {},
		"@":                   {},
		"pipe":                {},
		":80":                 {},
		"192.0.2.1:":          {},
		"192.0.2.1:http":      {},
		"192.0.2.1:-1":        {},
	} {
		h, w := witnessed()
		serve(h, request("POST", modernRequest, modern, func(r *http.Request) { r.RemoteAddr, r.ProtoMinor = remote, 0 }))
		peers := w.take()
		if len(peers) != 1 || peers[0].Address != want.address || peers[0].Port != want.port || peers[0].ProtocolVersion != "1.0" {
			t.Errorf("%q: got %+v", remote, peers)
		}
	}
}

// TestForwarded: the headers that backends may be sent reach the server by their exact names, and no others do.
func TestForwarded(t *testing.T) {
	t.Parallel()
	many := manyValues(31)
	for name, tt := range map[string]struct {
		header http.Header
		want   map[string][]string
	}{
		"none": {
			header: http.Header{"X-Other": {"a"}, "X_shelf": {"b"}, "X-Shelf-Id": {"c"}, "Authorization": {"d"}},
		},
		"some": {
			header: http.Header{"X-Shelf": {"a"}, "X-Other": {"b"}},
			want:   map[string][]string{"X-Shelf": {"a"}},
		},
		"all": {
			header: http.Header{"X-Shelf": {"a", "b"}, "X-Request-Id": {""}},
			want:   map[string][]string{"X-Shelf": {"a", "b"}, "X-Request-Id": {""}},
		},
		"white space": {
			header: http.Header{"X-Shelf": {" a b\t", "c"}},
			want:   map[string][]string{"X-Shelf": {"a b", "c"}},
		},
		"as much as may be": {
			header: http.Header{"X-Shelf": {longValue}},
			want:   map[string][]string{"X-Shelf": {longValue}},
		},
		"as many as may be": {
			header: http.Header{"X-Shelf": many, "X-Request-Id": {"r"}},
			want:   map[string][]string{"X-Shelf": many, "X-Request-Id": {"r"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, peers := sendForwarded(t, tt.header)
			if len(peers) != 1 {
				t.Fatalf("asked %d times: status %d, body %s", len(peers), resp.StatusCode, resp.body)
			}
			if diff := cmp.Diff(tt.want, peers[0].Forwarded); diff != "" {
				t.Errorf("forwarded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUnforwardable: what cannot be metadata, and too much of it, is refused by the name of the header, and never repeated.
func TestUnforwardable(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		header http.Header
		says   string
	}{
		"too many": {http.Header{"X-Shelf": manyValues(33)}, "the header X-Shelf there are more than 32 values"},
		"too many together": {
			http.Header{"X-Shelf": manyValues(31), "X-Request-Id": {"r", "s"}}, "the header X-Request-Id there are more than 32 values",
		},
		"too long": {http.Header{"X-Shelf": {longValue + "~"}}, "the header X-Shelf there are more than 8192 bytes"},
		"too long together": {
			http.Header{"X-Shelf": {longValue}, "X-Request-Id": {""}}, "the header X-Request-Id there are more than 8192 bytes",
		},
		"a letter":            {http.Header{"X-Shelf": {"secret é"}}, "the header X-Shelf has a character outside printable ASCII"},
		"a control":           {http.Header{"X-Shelf": {"a"}, "X-Request-Id": {"a", "secret\x7f"}}, "the header X-Request-Id has a character"},
		"a tab in the middle": {http.Header{"X-Shelf": {"secret\tb"}}, "the header X-Shelf has a character"},
		"a line end":          {http.Header{"X-Shelf": {"secret\r\nx-admin: 1"}}, "the header X-Shelf has a character"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, peers := sendForwarded(t, tt.header)
			says := wantError(t, resp, 400, jsonrpc.CodeInvalidRequest, "")
			if len(peers) != 0 || !strings.Contains(says, tt.says) || strings.Contains(says, "secret") {
				t.Errorf("asked %d times, message %q", len(peers), says)
			}
		})
	}
}

// longValue takes, with the name X-Shelf, as many bytes as headers may that are forwarded.
var longValue = strings.Repeat("~", 8<<10-len("X-Shelf"))

// manyValues returns n short values.
func manyValues(n int) []string { return slices.Repeat([]string{"v"}, n) }

// sendForwarded sends a request with headers, of which X-Shelf and X-Request-Id may go on, and returns who was asked for it.
func sendForwarded(t *testing.T, headers http.Header) (answer, []lifecycle.Peer) {
	t.Helper()
	h, w := witnessed(forwarding("X-Shelf", "X-Request-Id"))
	resp := serve(h, request("POST", modernRequest, modern, func(r *http.Request) {
		for name, values := range headers {
			r.Header[name] = values
		}
	}))
	return resp, w.take()
}

// TestForwardedChanges: what may be forwarded is asked for each request, of pages too.
func TestForwardedChanges(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	names := []string{"X-Shelf"}
	h, w := witnessed(origins(page), func(c *streamable.Config) { c.Forward = func() []string { return names } })
	sends := func() (forwarded map[string][]string, allowed string) {
		serve(h, request("POST", modernRequest, modern, header("X-Shelf", "a"), header("X-Region", "b")))
		resp := serve(h, request("OPTIONS", "", header("Origin", page), header("Access-Control-Request-Method", "POST"),
			header("Access-Control-Request-Headers", "mcp-param-a,x-region,x-tenant")))
		return w.take()[0].Forwarded, resp.Header.Get("Access-Control-Allow-Headers")
	}
	forwarded, allowed := sends()
	wantForwarded(t, map[string][]string{"X-Shelf": {"a"}}, forwarded, "X-Shelf", allowed)
	names = []string{"X-Region"}
	forwarded, allowed = sends()
	wantForwarded(t, map[string][]string{"X-Region": {"b"}}, forwarded, "X-Region", allowed)
}

// wantForwarded holds what was forwarded, and what pages may send, against the wanted.
func wantForwarded(t *testing.T, want, forwarded map[string][]string, name, allowed string) {
	t.Helper()
	diff := cmp.Diff(want, forwarded)
	if diff != "" || !strings.HasSuffix(allowed, "Last-Event-ID, "+name+", Mcp-Param-A") {
		t.Errorf("pages may send %s, forwarded (-want +got):\n%s", allowed, diff)
	}
}
