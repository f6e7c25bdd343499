package streamable

import (
	"net/http"
	"strings"
)

// single lists the headers, in canonical form, of which two values could be understood differently by two readers. Each
// header whose name begins with mcpPrefix is one of them too.
var single = []string{"Host", "Origin", "Content-Type", "Authorization", headerLastEvent}

// mcpPrefix begins the canonical name of every header of the protocol but Last-Event-ID, mcpParamPrefix that of a header
// which repeats an argument.
const (
	mcpPrefix      = "Mcp-"
	mcpParamPrefix = mcpPrefix + "Param-"
)

// guard holds the head of a request, whatever its method, against what two readers could understand differently, and
// against the allow-lists of Host and Origin. It reads nothing of the body.
func (h *Handler) guard(r *http.Request) *refusal {
	if name := repeated(r); name != "" {
		return refuse(http.StatusBadRequest, "the header %s is given more than once: send it once", name)
	}
	if !h.hosts.allows(r.Host) {
		return refuse(http.StatusForbidden,
			"the Host header names a host that is not served here: connect to localhost or 127.0.0.1, or have the server's operator allow this host")
	}
	if origin, given := r.Header["Origin"]; given && !h.originAllowed(origin[0]) {
		return refuse(http.StatusForbidden,
			"pages of this Origin may not call this server: have the server's operator allow the origin, or send no Origin when you "+
				"are not a browser")
	}
	return nil
}

// repeated returns the name of a security-relevant header that is given more than once, "" when there is none. net/http
// itself takes Host out of the header and refuses a second one in HTTP/1; in HTTP/2 a Host header may stand beside
// :authority.
func repeated(r *http.Request) string {
	for _, name := range single {
		if len(r.Header[name]) > 1 {
			return name
		}
	}
	if host := r.Header["Host"]; len(host) == 1 && host[0] != r.Host {
		return "Host"
	}
	for name, values := range r.Header {
		if strings.HasPrefix(name, mcpPrefix) && len(values) > 1 {
			return name
		}
	}
	return ""
}

func (h *Handler) originAllowed(origin string) bool {
	return h.origins.has(origin) || webOriginAllowed(origin, h.hosts)
}
