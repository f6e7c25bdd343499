package streamable

import (
	"net/http"
	"slices"
	"strings"
)

// What a page of an allowed origin may send and read (Fetch, CORS protocol). Credentials of the browser are never
// allowed: a client authorizes itself by a header of its own.
var (
	corsMethods = strings.Join([]string{http.MethodPost, http.MethodDelete}, ", ")
	corsHeaders = strings.Join([]string{
		"Content-Type", "Accept", "Authorization", "Mcp-Protocol-Version", headerSession, "Mcp-Method", "Mcp-Name", "Last-Event-ID",
	}, ", ")
)

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
		header.Set("Access-Control-Expose-Headers", headerSession)
	}
}

// preflight answers the question a browser asks before it sends a cross-origin request. Without configured origins
// nobody may ask.
func (h *Handler) preflight(x *exchange, r *http.Request) {
	asked := r.Header.Get("Access-Control-Request-Method")
	if !h.origins.has(r.Header.Get("Origin")) || asked == "" {
		x.refuse(notAllowed(r.Method, h.allow()))
		return
	}
	header := x.w.Header()
	header.Add("Vary", "Access-Control-Request-Method, Access-Control-Request-Headers")
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", corsHeaders)
	header.Set("Access-Control-Max-Age", corsMaxAge)
	x.send(http.StatusNoContent, nil)
}

// allow lists the methods of the endpoint for the Allow header.
func (h *Handler) allow() string {
	methods := []string{http.MethodPost, http.MethodDelete}
	if len(h.origins) > 0 {
		methods = slices.Concat(methods, []string{http.MethodOptions})
	}
	return strings.Join(methods, ", ")
}
