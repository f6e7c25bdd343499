package streamable_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// TestOrigins is the Origin matrix, on every method: a request of a foreign page is refused with 403 before anything
// else is looked at.
func TestOrigins(t *testing.T) {
	t.Parallel()
	configured := []string{
		"https://App.example.com", "https://app.example.com:8443", "http://plain.example:80", "vscode-webview://panel", "*", "null",
		"https://app.example.org/",
	}
	tests := []struct {
		name    string
		allowed []string
		origin  string
		served  bool
	}{
		{"localhost", nil, "http://localhost:3000", true},
		{"localhost by TLS", nil, "https://localhost", true},
		{"127.0.0.1", nil, "http://127.0.0.1:8080", true},
		{"IPv6 loopback", nil, "http://[::1]:8080", true},
		{"a page of a served host", nil, "https://mcp.example.com", true},

		{"foreign", nil, "https://evil.example", false},
		{"foreign, with a loopback label", nil, "http://localhost.evil.example", false},
		{"foreign, with loopback user information", nil, "http://localhost@evil.example", false},
		{"sandboxed frame or file", nil, "null", false},
		{"empty", nil, "", false},
		{"no scheme", nil, "localhost", false},
		{"another scheme of loopback", nil, "file://localhost", false},
		{"an extension", nil, "chrome-extension://localhost", false},
		{"a scheme in capitals", nil, "HTTP://localhost", false},
		{"a path", nil, "http://localhost/", false},
		{"two origins", nil, "http://localhost, https://evil.example", false},
		{"two origins with a space", nil, "http://localhost https://evil.example", false},
		{"a star", nil, "*", false},

		{"configured", configured, "https://app.example.com", true},
		{"configured, other port", configured, "https://app.example.com:8443", true},
		{"configured with its default port", configured, "http://plain.example", true},
		{"configured with a scheme of its own", configured, "vscode-webview://panel", true},
		{"configured, other scheme", configured, "http://app.example.com", false},
		{"configured, port not given", configured, "https://app.example.com:444", false},
		{"configured, below", configured, "https://x.app.example.com", false},
		{"a star configured", configured, "https://evil.example", false},
		{"null configured", configured, "null", false},
		{"configured with a path", configured, "https://app.example.org", false},
	}
	for _, tt := range tests {
		for _, method := range []string{"POST", "GET", "DELETE", "OPTIONS", "PUT"} {
			t.Run(tt.name+" "+method, func(t *testing.T) {
				t.Parallel()
				d := &double{}
				h := endpoint(d, origins(tt.allowed...), hosts("mcp.example.com"))
				resp := serve(h, request(method, ping, header("Origin", tt.origin)))
				if (resp.StatusCode != http.StatusForbidden) != tt.served {
					t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
				}
				if !tt.served {
					wantError(t, resp, 403, jsonrpc.CodeInvalidRequest, "")
					wantServed(t, d, 0)
				}
			})
		}
	}
}

// TestBrowserPosts has the POSTs that a web page can make a browser send without asking first (the "simple requests" of
// the Fetch standard), and what a DNS-rebinding page sends. None reaches the server.
func TestBrowserPosts(t *testing.T) {
	t.Parallel()
	types := []string{"text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""}
	pages := map[string]func(*http.Request){
		"foreign page":       header("Origin", "https://evil.example"),
		"sandboxed frame":    header("Origin", "null"),
		"no origin":          header("Origin"),
		"loopback page":      header("Origin", "http://localhost:3000"),
		"cross-site, marked": header("Sec-Fetch-Site", "cross-site"),
	}
	for page, from := range pages {
		for _, contentType := range types {
			t.Run(page+" "+contentType, func(t *testing.T) {
				t.Parallel()
				d := &double{}
				change := header("Content-Type", contentType)
				if contentType == "" {
					change = header("Content-Type")
				}
				resp := serve(endpoint(d), request("POST", ping, from, change, header("Accept", "*/*")))
				if resp.StatusCode != http.StatusForbidden && resp.StatusCode != http.StatusUnsupportedMediaType {
					t.Errorf("status %d", resp.StatusCode)
				}
				wantServed(t, d, 0)
			})
		}
	}
	t.Run("rebound name", func(t *testing.T) {
		t.Parallel()
		d := &double{} // same-origin for the browser: it may send JSON, and leaves Origin out of a GET
		h := endpoint(d)
		wantError(t, serve(h, request("POST", ping, host("rebind.evil.example:8080"), header("Origin", "http://rebind.evil.example:8080"))), 403,
			jsonrpc.CodeInvalidRequest, "")
		wantError(t, serve(h, request("GET", "", host("rebind.evil.example:8080"))), 403, jsonrpc.CodeInvalidRequest, "")
		wantServed(t, d, 0)
	})
}

// TestPreflight: an OPTIONS is answered for configured origins alone, and their pages may read answers.
func TestPreflight(t *testing.T) {
	t.Parallel()
	const page = "https://app.example.com"
	h := endpoint(&double{}, origins(page))
	asks := header("Access-Control-Request-Method", "POST")

	resp := serve(h, request("OPTIONS", "", header("Origin", page), asks))
	want := http.Header{
		"Access-Control-Allow-Origin":  {page},
		"Access-Control-Allow-Methods": {"GET, POST, DELETE"},
		"Access-Control-Allow-Headers": {
			"Content-Type, Accept, Authorization, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID",
		},
		"Access-Control-Expose-Headers": {"Mcp-Session-Id, Retry-After"},
		"Access-Control-Max-Age":        {"600"},
		"Cache-Control":                 {"no-store"},
		"Vary":                          {"Origin", "Access-Control-Request-Method, Access-Control-Request-Headers"},
		"X-Content-Type-Options":        {"nosniff"},
	}
	if resp.StatusCode != http.StatusNoContent || len(resp.body) != 0 {
		t.Errorf("status %d body %q", resp.StatusCode, resp.body)
	}
	wantHeader(t, resp.Header, want)

	asksMore := header("Access-Control-Request-Headers", "content-type,mcp-param-region, mcp-param-shelf-id,x-else,mcp-param-,mcp-param-a b")
	resp = serve(h, request("OPTIONS", "", header("Origin", page), asks, asksMore))
	want.Set("Access-Control-Allow-Headers", want.Get("Access-Control-Allow-Headers")+", Mcp-Param-Region, Mcp-Param-Shelf-Id")
	wantHeader(t, resp.Header, want)
	many := header("Access-Control-Request-Headers", strings.Repeat("mcp-param-x,", 10_000))
	resp = serve(h, request("OPTIONS", "", header("Origin", page), asks, many))
	if got := resp.Header.Get("Access-Control-Allow-Headers"); strings.Count(got, "Mcp-Param-X") != 64 {
		t.Errorf("allowed are %s", got)
	}

	resp = serve(h, request("POST", ping, header("Origin", page)))
	wantHeader(t, resp.Header, http.Header{
		"Access-Control-Allow-Origin":   {page},
		"Access-Control-Expose-Headers": {"Mcp-Session-Id, Retry-After"},
		"Cache-Control":                 {"no-store"},
		"Content-Length":                {"36"},
		"Content-Type":                  {"application/json"},
		"Vary":                          {"Origin"},
		"X-Content-Type-Options":        {"nosniff"},
	})

	for name, change := range map[string]func(*http.Request){
		"a loopback page": func(r *http.Request) { header("Origin", "http://localhost")(r); asks(r) },
		"no page":         asks,
		"no question":     header("Origin", page),
	} {
		resp := serve(h, request("OPTIONS", "", change))
		if wantError(t, resp, 405, jsonrpc.CodeInvalidRequest, ""); resp.Header.Get("Allow") != "GET, POST, DELETE, OPTIONS" {
			t.Errorf("%s: Allow %q", name, resp.Header.Get("Allow"))
		}
	}
	resp = serve(endpoint(&double{}), request("POST", ping, header("Origin", "http://localhost:3000")))
	if resp.Header.Get("Access-Control-Allow-Origin") != "" || resp.Header.Get("Vary") != "" {
		t.Errorf("without configured origins: headers %v", resp.Header)
	}
}

// TestCheckOrigin: what the list would silently ignore is told when it is configured.
func TestCheckOrigin(t *testing.T) {
	t.Parallel()
	for entry, good := range map[string]bool{
		"https://app.example.com": true, "http://localhost:3000": true, "HTTPS://App.example.com:443": true, "app+x.1-y://host": true,
		"": false, "*": false, "null": false, "app.example.com": false, "https://": false, "https://app.example.com/": false,
		"https://*.example.com": false, "://host": false, "1a://host": false,
	} {
		if err := streamable.CheckOrigin(entry); (err == nil) != good {
			t.Errorf("CheckOrigin(%q) = %v", entry, err)
		}
	}
}
