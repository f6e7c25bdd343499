package backend

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgrpc/bridge/bridge/ask"
)

// maxHeaderName bounds either name of a header to forward: 128 bytes.
const maxHeaderName = 128

// CheckForward refuses a header that no configuration may forward, or a key of metadata that none may be forwarded as; the
// key may be "" for the header's own name. Names are held against the list of those as backends may read them: without
// regard to case, and `_` is as good as `-`. A name that has a word of credentials anywhere in it is one of them. The error
// names the header or the key and says why.
func CheckForward(header, key string) error {
	if err := checkForwardName("header", header, strings.ToLower(header)); err != nil {
		return err
	}
	if key == "" {
		return nil
	}
	return checkForwardName("metadata", key, key)
}

// CarriesCredentials reports whether the name of a header, in any case, has a word of credentials in it, such as authorization
// and x-api-key have. `_` and `.` are as good as `-`.
func CarriesCredentials(name string) bool {
	words := strings.ReplaceAll(fold(name), ".", "-")
	return slices.ContainsFunc(credentialWords, func(word string) bool { return strings.Contains(words, word) })
}

// denial is a name that is not forwarded, or with prefix all that begin so, and why.
type denial struct {
	name   string
	prefix bool
	reason string
}

// Reasons of a denial.
const (
	carriesCredentials = "it carries the client's credentials, which are for the bridge alone; " +
		"give the backend a credential of its own: headers, with secret"
	belongsToTransport = "it belongs to gRPC or HTTP, and is of this one connection"
	belongsToProxies   = "backends trust it because no client can set it; a proxy or the bridge does"
	belongsToProtocol  = "it belongs to MCP"
	belongsToTrace     = "the bridge sends the trace by itself"
	belongsToAnswers   = "the bridge sends it by itself, and backends take what it says for answers of the client's user"
)

// denied are the names that are never forwarded, beside those that [CarriesCredentials] knows.
var denied = []denial{
	{"proxy-", true, carriesCredentials},
	{"grpc-", true, belongsToTransport},
	{"host", false, belongsToTransport},
	{"connection", false, belongsToTransport},
	{"keep-alive", false, belongsToTransport},
	{"te", false, belongsToTransport},
	{"trailer", false, belongsToTransport},
	{"transfer-encoding", false, belongsToTransport},
	{"upgrade", false, belongsToTransport},
	{"http2-settings", false, belongsToTransport},
	{"content-", true, belongsToTransport},
	{"accept", true, belongsToTransport},
	{"user-agent", false, belongsToTransport},
	{"origin", false, belongsToTransport},
	{"x-forwarded-", true, belongsToProxies},
	{"forwarded", false, belongsToProxies},
	{"remote-user", false, belongsToProxies},
	{"x-remote-user", false, belongsToProxies},
	{"x-real-ip", false, belongsToProxies},
	{"x-envoy-", true, belongsToProxies},
	{"x-tenant", true, belongsToProxies},
	{"mcp-", true, belongsToProtocol},
	{"last-event-id", false, belongsToProtocol},
	{"traceparent", false, belongsToTrace},
	{"tracestate", false, belongsToTrace},
	{"baggage", false, belongsToTrace},
	{ask.ResponsesKey, false, belongsToAnswers},
	{ask.CapabilitiesKey, false, belongsToAnswers},
}

// credentialWords are in the names of headers that carry credentials, or what a proxy says of who has shown some.
var credentialWords = []string{
	"token", "secret", "password", "passwd", "credential", "api-key", "apikey", "auth", "cookie", "oidc", "jwt", "assertion",
	"saml",
}

// checkForwardName refuses a name for its form, and for what it means once it is in lower case.
func checkForwardName(what, name, lower string) error {
	switch {
	case name == "":
		return fmt.Errorf("a %s to forward has no name: give one", what)
	case len(name) > maxHeaderName:
		return fmt.Errorf("%s %q…: a name to forward has at most %d bytes", what, name[:maxHeaderName], maxHeaderName)
	case strings.Trim(lower, "0123456789abcdefghijklmnopqrstuvwxyz_.-") != "" && what == "metadata":
		return fmt.Errorf("%s %q: a key has only lower-case letters, digits, '-', '_' and '.'", what, name)
	case strings.Trim(lower, "0123456789abcdefghijklmnopqrstuvwxyz_.-") != "":
		return fmt.Errorf("%s %q: a name has only letters, digits, '-', '_' and '.'", what, name)
	}
	folded := fold(lower)
	for _, d := range denied {
		if folded == d.name || d.prefix && strings.HasPrefix(folded, d.name) {
			return fmt.Errorf("%s %q cannot be forwarded: %s", what, name, d.reason)
		}
	}
	if CarriesCredentials(lower) {
		return fmt.Errorf("%s %q cannot be forwarded: %s", what, name, carriesCredentials)
	}
	return nil
}

// fold makes names equal that a backend may take for the same.
func fold(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }
