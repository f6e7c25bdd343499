package admin_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/admin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// double is a bridge whose health the test sets.
type double struct {
	mu     sync.Mutex
	health bridge.Health
}

func (d *double) Health(context.Context) bridge.Health {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.health
}

func (d *double) set(h bridge.Health) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.health = h
}

func up(name string) bridge.BackendHealth {
	return bridge.BackendHealth{Name: name, Described: true, Connected: true}
}

func down(name string) bridge.BackendHealth {
	return bridge.BackendHealth{Name: name, Described: true, Reason: "10.0.0.7: refused"}
}

func handler(t *testing.T, c admin.Config) *admin.Handler {
	t.Helper()
	h, err := admin.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func ask(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, http.NoBody))
	return w
}

// TestReadiness: what /readyz says by each policy.
func TestReadiness(t *testing.T) {
	t.Parallel()
	both := []bridge.BackendHealth{up("library"), up("echo")}
	one := []bridge.BackendHealth{up("library"), down("echo")}
	none := []bridge.BackendHealth{down("library"), {Name: "echo", Connected: true}}
	for _, tt := range []struct {
		name   string
		policy admin.Readiness
		health bridge.Health
		want   string
	}{
		{
			"default, all up", "",
			bridge.Health{Backends: both},
			`200 {"ready":true,"backends":[{"name":"library","up":true},{"name":"echo","up":true}]}`,
		},
		{
			"default, one up", "",
			bridge.Health{Backends: one},
			`200 {"ready":true,"backends":[{"name":"library","up":true},{"name":"echo","up":false}]}`,
		},
		{
			"any, none up", admin.ReadinessAny,
			bridge.Health{Backends: none},
			`503 {"ready":false,"backends":[{"name":"library","up":false},{"name":"echo","up":false}]}`,
		},
		{
			"all, all up", admin.ReadinessAll,
			bridge.Health{Backends: both},
			`200 {"ready":true,"backends":[{"name":"library","up":true},{"name":"echo","up":true}]}`,
		},
		{
			"all, one up", admin.ReadinessAll,
			bridge.Health{Backends: one},
			`503 {"ready":false,"backends":[{"name":"library","up":true},{"name":"echo","up":false}]}`,
		},
		{
			"none, none up", admin.ReadinessNone,
			bridge.Health{Backends: none},
			`200 {"ready":true,"backends":[{"name":"library","up":false},{"name":"echo","up":false}]}`,
		},
		{
			"none, draining", admin.ReadinessNone,
			bridge.Health{Draining: true, Backends: both[:1]},
			`503 {"ready":false,"backends":[{"name":"library","up":true}]}`,
		},
		{"all, draining", admin.ReadinessAll, bridge.Health{Draining: true}, `503 {"ready":false,"backends":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := ask(handler(t, admin.Config{Bridge: &double{health: tt.health}, Readiness: tt.policy}), http.MethodGet, "/readyz")
			got := strconv.Itoa(w.Code) + " " + w.Body.String()
			if got != tt.want+"\n" || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("got %s, headers %v\nwant %s", got, w.Header(), tt.want)
			}
		})
	}
}

// TestPages: which paths and methods are served.
func TestPages(t *testing.T) {
	t.Parallel()
	metrics := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "calls 7\n") })
	with := handler(t, admin.Config{Bridge: &double{}, Metrics: metrics})
	without := handler(t, admin.Config{Bridge: &double{}})
	for _, tt := range []struct {
		name, method, path string
		handler            http.Handler
		status             int
		body               string
	}{
		{"lives", "GET", "/healthz", without, 200, "ok\n"},
		{"head", "HEAD", "/healthz", without, 200, ""},
		{"metrics", "GET", "/metrics", with, 200, "calls 7\n"},
		{"no metrics", "GET", "/metrics", without, 404, "there are no metrics here\n"},
		{"post", "POST", "/readyz", without, 405, "GET and HEAD are served here\n"},
		{"delete", "DELETE", "/metrics", with, 405, "GET and HEAD are served here\n"},
		{"elsewhere", "GET", "/", without, 404, "not found: there are /healthz, /readyz and /metrics\n"},
		{"below", "GET", "/healthz/", without, 404, "not found: there are /healthz, /readyz and /metrics\n"},
		{"endpoint", "POST", "/mcp", without, 404, "not found: there are /healthz, /readyz and /metrics\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.handler)
			defer server.Close()
			req, err := http.NewRequestWithContext(t.Context(), tt.method, server.URL+tt.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tt.status || string(body) != tt.body {
				t.Errorf("status %d, body %q, error %v; want %d, %q", resp.StatusCode, body, err, tt.status, tt.body)
			}
			if allow := resp.Header.Get("Allow"); (allow == "GET, HEAD") != (tt.status == 405) {
				t.Errorf("Allow: %q", allow)
			}
		})
	}
}

// TestReasonsAreLogged: why a bridge is not ready, or a backend down while it is, is for the log, once for each reason, and not
// for whoever asks.
func TestReasonsAreLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	d := &double{health: bridge.Health{Backends: []bridge.BackendHealth{up("library")}}}
	h := handler(t, admin.Config{Bridge: d, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	}))})
	for _, health := range []bridge.Health{
		{Backends: []bridge.BackendHealth{up("library")}},
		{Backends: []bridge.BackendHealth{down("library")}},
		{Backends: []bridge.BackendHealth{down("library")}},
		{Backends: []bridge.BackendHealth{{Name: "library"}}},
		{Backends: []bridge.BackendHealth{up("library")}},
		{Backends: []bridge.BackendHealth{up("library")}},
		{Backends: []bridge.BackendHealth{up("library"), down("echo")}},
		{Backends: []bridge.BackendHealth{up("library"), down("echo")}},
		{Draining: true, Backends: []bridge.BackendHealth{down("library"), up("echo")}},
		{Backends: []bridge.BackendHealth{up("library"), up("echo")}},
		{Backends: []bridge.BackendHealth{up("library"), up("echo")}},
		{Backends: []bridge.BackendHealth{up("library"), down("echo")}},
		{Draining: true},
		{},
		{},
		{Backends: []bridge.BackendHealth{up("echo")}},
	} {
		d.set(health)
		if body := ask(h, "GET", "/readyz").Body.String(); strings.Contains(body, "10.0.0.7") {
			t.Errorf("the client is told %s", body)
		}
	}
	want := `level=WARN msg="a backend is down" backend=library reason="10.0.0.7: refused"
level=WARN msg="not ready" reason="library: 10.0.0.7: refused"
level=WARN msg="a backend is down" backend=library reason="not there"
level=WARN msg="not ready" reason="library: not there"
level=INFO msg="a backend is up again" backend=library
level=INFO msg="ready again"
level=WARN msg="a backend is down" backend=echo reason="10.0.0.7: refused"
level=INFO msg="a backend is up again" backend=echo
level=WARN msg="a backend is down" backend=echo reason="10.0.0.7: refused"
level=WARN msg="not ready" reason="no backend"
level=INFO msg="ready again"
`
	if log.String() != want {
		t.Errorf("logged:\n%swant:\n%s", log.String(), want)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]admin.Config{
		"no Bridge":                {},
		`unknown readiness "most"`: {Bridge: &double{}, Readiness: "most"},
	} {
		if _, err := admin.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
