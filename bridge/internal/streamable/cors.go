package streamable

import (
	"net/http"
	"slices"
	"strings"
)

// What a page of an allowed origin may send and read (Fetch, CORS protocol). Credentials of the browser are never
// allowed: a client authorizes itself by a header of its own. That header is why no "*" stands for all others: it does
// not cover Authorization. Headers that repeat arguments, of which each tool has its own, are allowed as they are asked
// for: see [Handler.allowedHeaders].
var (
	served      = []string{http.MethodGet, http.MethodPost, http.MethodDelete}
	corsMethods = strings.Join(served, ", ")
	corsHeaders = []string{
		"Content-Type", "Accept", "Authorization", "Mcp-Protocol-Version", headerSession, "Mcp-Method", "Mcp-Name", "Last-Event-ID",
	}
)

// corsExposed are the headers that a page may read: that of its session, and when to come again.
const corsExposed = headerSession + ", Retry-After"

// corsMaxParams is how many headers that repeat arguments are allowed at once.
const corsMaxParams = 64

// corsMaxAge is how long a browser may remember a preflight, in seconds.
const corsMaxAge = "600"

// share lets a page of a configured origin read the answer. Loopback pages that are allowed without an entry get no
// permission to read: what the operator has not named works as far as the same-origin policy lets it.
func (h *Handler) share(header http.Header, origin string) {
	if len(h.origins) == 0 {
		return
	}
	header.Add("Vary", "Origin")
	if h.origins.has(origin) {
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", corsExposed)
	}
}

// preflight answers the question a browser asks before it sends a cross-origin request. Without configured origins
// nobody may ask.
func (h *Handler) preflight(x *exchange, r *http.Request) {
	asked := r.Header.Get("Access-Control-Request-Method")
	if !h.origins.has(r.Header.Get("Origin")) || asked == "" {
		x.refuse(notAllowed(h.allow()))
		return
	}
	header := x.w.Header()
	header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", strings.Join(h.allowedHeaders(r.Header["Access-Control-Request-Headers"]), ", "))
	header.Set("Access-Control-Max-Age", corsMaxAge)
	x.send(http.StatusNoContent, nil)
}

// allowedHeaders returns the headers that a page may send, those for backends among them, with those asked for that repeat
// arguments. A browser asks in lower case and in order (Fetch, "CORS-unsafe request-header names").
func (h *Handler) allowedHeaders(asked []string) []string {
	allowed := slices.Concat(corsHeaders, h.toForward())
	most := len(allowed) + corsMaxParams
	for _, value := range asked {
		for name := range strings.SplitSeq(value, ",") {
			name = http.CanonicalHeaderKey(strings.Trim(name, " \t"))
			rest, found := strings.CutPrefix(name, mcpParamPrefix)
			if found && isToken(rest) && len(allowed) < most {
				allowed = append(allowed, name)
			}
		}
	}
	return allowed
}

// isToken admits the characters of a header's name (RFC 9110 section 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// allow lists the methods of the endpoint for the Allow header.
func (h *Handler) allow() string {
	methods := served
	if len(h.origins) > 0 {
		methods = slices.Concat(methods, []string{http.MethodOptions})
	}
	return strings.Join(methods, ", ")
}
