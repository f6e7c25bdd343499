package streamable

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// CheckHost says what is wrong with an entry of Config.AllowedHosts, or nil. An entry is a host name, an IPv4 address or
// an IPv6 address in brackets, with or without a port: "mcp.example.com", "mcp.example.com:8443", "[2001:db8::1]".
// Patterns are not known.
func CheckHost(entry string) error {
	if _, _, ok := splitHost(entry); !ok {
		return fmt.Errorf("allowed host %q: give a host or host:port, such as mcp.example.com or [2001:db8::1]:8443, without scheme or path",
			entry)
	}
	return nil
}

// hostList is the allow-list of the Host header: normalised entries, host or host:port. Loopback names and addresses
// are allowed without an entry, on any port: a page whose own origin they are already runs on this machine, while the
// name that a DNS-rebinding page comes from is a foreign one (MCP, Streamable HTTP, security warning).
type hostList map[string]struct{}

// newHostList leaves out what CheckHost refuses, so that a wrong entry allows nothing.
func newHostList(entries []string) hostList {
	list := make(hostList, len(entries))
	for _, e := range entries {
		if host, port, ok := splitHost(e); ok {
			list[joinHost(host, port)] = struct{}{}
		}
	}
	return list
}

// allows reports whether a request for host (host or host:port, as in the Host header) is served. An entry with a port
// covers that port alone, an entry without one covers every port.
func (l hostList) allows(value string) bool {
	host, port, ok := splitHost(value)
	if !ok {
		return false
	}
	if isLoopback(host) || l.has(host) {
		return true
	}
	return port != "" && l.has(joinHost(host, port))
}

func (l hostList) has(entry string) bool {
	_, ok := l[entry]
	return ok
}

// splitHost takes host or host:port apart and normalises the host: lower case, addresses in their canonical form
// without brackets. It refuses everything that two parsers could read in two ways: delimiters of a URI, user
// information, escapes, spaces, zones, characters outside ASCII, an IPv6 address without brackets.
func splitHost(value string) (host, port string, ok bool) {
	if end := strings.LastIndexByte(value, ']'); end >= 0 {
		host, port, ok = splitBracketed(value, end)
	} else {
		host, port, ok = splitPlain(value)
	}
	return host, port, ok && isPort(port)
}

func splitBracketed(value string, end int) (host, port string, ok bool) {
	if value[0] != '[' {
		return "", "", false
	}
	addr, err := netip.ParseAddr(value[1:end])
	if err != nil || !addr.Is6() || addr.Zone() != "" {
		return "", "", false
	}
	rest, hasPort := strings.CutPrefix(value[end+1:], ":")
	if hasPort == (rest == "") {
		return "", "", false
	}
	return addr.Unmap().String(), rest, true
}

func splitPlain(value string) (host, port string, ok bool) {
	host, port, hasPort := strings.Cut(value, ":")
	if hasPort && port == "" || host == "" || !isHostName(host) {
		return "", "", false
	}
	return strings.ToLower(host), port, true
}

func joinHost(host, port string) string {
	if port == "" {
		return host
	}
	return net.JoinHostPort(host, port)
}

// isHostName admits the characters of registered names and IPv4 addresses; a name outside ASCII comes as punycode.
func isHostName(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}

// isPort admits 1 to 65535 without leading zeros, and the absent port.
func isPort(s string) bool {
	if s == "" {
		return true
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return err == nil && n > 0 && s[0] != '0'
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
