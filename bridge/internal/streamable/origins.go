package streamable

import (
	"fmt"
	"strings"
)

// CheckOrigin says what is wrong with an entry of Config.AllowedOrigins, or nil. An entry is a serialised web origin,
// scheme://host or scheme://host:port, as a browser sends it. Neither "*" nor "null" is taken: the first would let every
// web page call the tools, the second every sandboxed frame and local file.
func CheckOrigin(entry string) error {
	if _, ok := normalOrigin(entry); !ok {
		return fmt.Errorf("allowed origin %q: give scheme://host or scheme://host:port, such as https://app.example.com, without path, and "+
			"neither * nor null", entry)
	}
	return nil
}

// originList is the allow-list of the Origin header: serialised origins.
type originList map[string]struct{}

// newOriginList leaves out what CheckOrigin refuses, so that a wrong entry allows nothing.
func newOriginList(entries []string) originList {
	list := make(originList, len(entries))
	for _, e := range entries {
		if o, ok := normalOrigin(e); ok {
			list[o] = struct{}{}
		}
	}
	return list
}

func (l originList) has(origin string) bool {
	_, ok := l[origin]
	return ok
}

// webOriginAllowed reports whether a web origin needs no entry of its own: its scheme is http or https and its host is
// one that this server itself is reached by. A page from there either comes from this machine or from this server's own
// site; every other page is foreign, also when it has made its name point here (MCP, Streamable HTTP: "servers MUST
// validate the Origin header on all incoming connections to prevent DNS rebinding attacks").
func webOriginAllowed(origin string, hosts hostList) bool {
	scheme, host, ok := strings.Cut(origin, "://")
	return ok && (scheme == "http" || scheme == "https") && hosts.allows(host)
}

// normalOrigin writes an origin the way browsers serialise it: lower case and without the scheme's default port
// (RFC 6454 section 6.2).
func normalOrigin(entry string) (string, bool) {
	scheme, host, ok := strings.Cut(strings.ToLower(entry), "://")
	if !ok || !isScheme(scheme) {
		return "", false
	}
	if _, _, ok := splitHost(host); !ok {
		return "", false
	}
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host, true
}

// isScheme admits the scheme of a URI in lower case (RFC 3986 section 3.1).
func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z'
		other := '0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}
