package streamable_test

import (
	"net/http"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// served is a list of configured hosts, with wrong entries among them.
var served = []string{"MCP.example.com", "api.example.com:8443", "[2001:DB8::1]", "[2001:db8::2]:8443", "192.0.2.7", "bad/entry", ""}

// hostMatrix has values of the Host header, without configured hosts and with some.
var hostMatrix = []struct {
	name    string
	allowed []string
	host    string
	served  bool
}{
	{"localhost", nil, "localhost", true},
	{"localhost with a port", nil, "localhost:8080", true},
	{"localhost in capitals", nil, "LocalHost:1", true},
	{"127.0.0.1", nil, "127.0.0.1:8080", true},
	{"another loopback address", nil, "127.8.9.10", true},
	{"IPv6 loopback", nil, "[::1]:8080", true},
	{"IPv6 loopback in full", nil, "[0:0:0:0:0:0:0:1]", true},
	{"IPv4 in IPv6 loopback", nil, "[::ffff:127.0.0.1]", true},

	{"foreign", nil, "evil.example", false},
	{"loopback as a label of a foreign name", nil, "localhost.evil.example", false},
	{"an address as a label of a foreign name", nil, "127.0.0.1.evil.example", false},
	{"a name below localhost", nil, "evil.localhost", false},
	{"the root's dot", nil, "localhost.", false},
	{"another address", nil, "192.0.2.7", false},
	{"any address", nil, "0.0.0.0:8080", false},
	{"an abbreviated address", nil, "127.1", false},
	{"an address as a number", nil, "2130706433", false},
	{"an octal address", nil, "0177.0.0.1", false},
	{"a hexadecimal address", nil, "0x7f.0.0.1", false},
	{"IPv6 without brackets", nil, "::1", false},
	{"IPv6 with a zone", nil, "[::1%25lo]", false},
	{"IPv6 unfinished", nil, "[::1", false},
	{"brackets only", nil, "[]", false},
	{"text after the bracket", nil, "[::1]evil", false},
	{"text before the bracket", nil, "evil[::1]", false},
	{"an IPv4 address in brackets", nil, "[127.0.0.1]", false},
	{"user information", nil, "localhost@evil.example", false},
	{"user information before", nil, "evil.example@localhost", false},
	{"a path", nil, "localhost/evil.example", false},
	{"a query", nil, "localhost?evil.example", false},
	{"a fragment", nil, "localhost#evil.example", false},
	{"a backslash", nil, `localhost\evil.example`, false},
	{"an escape", nil, "localhost%00", false},
	{"a space", nil, "local host", false},
	{"two hosts", nil, "localhost,evil.example", false},
	{"two ports", nil, "localhost:80:81", false},
	{"a port that is none", nil, "localhost:http", false},
	{"port zero", nil, "localhost:0", false},
	{"a port with a zero before it", nil, "localhost:080", false},
	{"a port too large", nil, "localhost:65536", false},
	{"a negative port", nil, "localhost:-1", false},
	{"a signed port", nil, "localhost:+80", false},
	{"an empty port", nil, "localhost:", false},
	{"an empty port after brackets", nil, "[::1]:", false},
	{"outside ASCII", nil, "loc\u0430lhost", false},
	{"fullwidth", nil, "ｌocalhost", false},
	{"empty", nil, "", false},

	{"loopback beside configured hosts", served, "localhost:8080", true},
	{"configured", served, "mcp.example.com", true},
	{"configured, any port", served, "mcp.example.com:9", true},
	{"configured, any case", served, "Mcp.Example.Com", true},
	{"configured with its port", served, "api.example.com:8443", true},
	{"configured with another port", served, "api.example.com:8444", false},
	{"configured with a port, without", served, "api.example.com", false},
	{"below configured", served, "x.mcp.example.com", false},
	{"configured address", served, "192.0.2.7:80", true},
	{"configured IPv6", served, "[2001:db8:0::1]:80", true},
	{"configured IPv6 with its port", served, "[2001:db8::2]:8443", true},
	{"configured IPv6 without its port", served, "[2001:db8::2]", false},
	{"an address that looks like address and port", served, "[2001:db8::2:8443]", false},
	{"a wrong entry", served, "bad/entry", false},
	{"an empty entry", served, "", false},
}

// TestHosts walks the matrix.
func TestHosts(t *testing.T) {
	t.Parallel()
	for _, tt := range hostMatrix {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := &double{}
			resp := serve(endpoint(d, hosts(tt.allowed...)), request("POST", ping, host(tt.host)))
			if !tt.served {
				wantError(t, resp, 403, jsonrpc.CodeInvalidRequest, "")
				wantServed(t, d, 0)
				return
			}
			if resp.StatusCode != http.StatusOK {
				t.Errorf("status %d, body %s", resp.StatusCode, resp.body)
			}
			wantServed(t, d, 1)
		})
	}
}

// TestHostsOnEveryMethod: a host that is not served is refused before the method is looked at.
func TestHostsOnEveryMethod(t *testing.T) {
	t.Parallel()
	for _, tt := range hostMatrix {
		for _, method := range []string{"GET", "DELETE", "OPTIONS", "HEAD", "PUT"} {
			d := &double{}
			resp := serve(endpoint(d, hosts(tt.allowed...)), request(method, "", host(tt.host)))
			if (resp.StatusCode != http.StatusForbidden) != tt.served {
				t.Errorf("%s %s: status %d, body %s", method, tt.name, resp.StatusCode, resp.body)
			}
			wantServed(t, d, 0)
		}
	}
}

// TestCheckHost: what the list would silently ignore is told when it is configured.
func TestCheckHost(t *testing.T) {
	t.Parallel()
	for entry, good := range map[string]bool{
		"mcp.example.com": true, "mcp.example.com:8443": true, "[2001:db8::1]:1": true, "192.0.2.7": true, "my_host": true,
		"": false, "*": false, "*.example.com": false, "https://mcp.example.com": false, "mcp.example.com/mcp": false,
		"mcp.example.com:": false, "2001:db8::1": false, "münchen.example": false,
	} {
		if err := streamable.CheckHost(entry); (err == nil) != good {
			t.Errorf("CheckHost(%q) = %v", entry, err)
		}
	}
}
