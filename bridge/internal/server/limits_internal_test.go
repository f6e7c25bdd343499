package server

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
)

// TestCallerOf: a caller is who is authorized, else the host that the request comes from, else one like all others without
// either. No name of one kind is one of another.
func TestCallerOf(t *testing.T) {
	t.Parallel()
	gate := lifecycle.NewGate(lifecycle.Config{})
	for name, tt := range map[string]struct{ principal, address, want string }{
		"nobody":                {"", "", ""},
		"principal":             {"alice", "192.0.2.1", "principal alice"},
		"principal like others": {"address 192.0.2.1", "", "principal address 192.0.2.1"},
		"IPv4":                  {"", "192.0.2.1", "address 192.0.2.1"},
		"IPv4 as IPv6":          {"", "::ffff:192.0.2.1", "address 192.0.2.1"},
		"IPv6":                  {"", "2001:db8:1:2:3:4:5:6", "address 2001:db8:1:2::/64"},
		"IPv6 of one host":      {"", "2001:db8:1:2:ffff::1", "address 2001:db8:1:2::/64"},
		"IPv6 of another host":  {"", "2001:db8:1:3::1", "address 2001:db8:1:3::/64"},
		"zone":                  {"", "fe80::1%eth0", "address fe80::/64"},
		"loopback":              {"", "::1", "address ::/64"},
		"no address":            {"", "@", "address @"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := gate.Stream()
			conn.SetPeer(lifecycle.Peer{Address: tt.address})
			if got := callerOf(&request{conn: conn, scope: &lifecycle.Scope{Principal: tt.principal}}); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
