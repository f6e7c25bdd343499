package main

import (
	"regexp"
	"strings"
)

// mends says which flag helps against errors that come from below, where nobody knows of flags. The first fragment found
// counts.
var mends = []struct{ fragment, mend string }{
	{"first record does not look like a TLS handshake", "the server speaks no TLS: add --plaintext"},
	{"error reading server preface", "this is no plaintext gRPC server: leave --plaintext out if it speaks TLS, or correct the port"},
	{"failed to verify certificate", "see --tls-ca for who is trusted and --tls-server-name for the name that is expected"},
	{"certificate required", "the server wants a client certificate: see --tls-cert and --tls-key"},
	{"write: broken pipe", "the server cut the connection off; if it wants a client certificate, see --tls-cert and --tls-key"},
	{"certificate authorities: ", "correct --tls-ca"},
	{`backend "default": client certificate `, "correct --tls-cert and --tls-key"},
	{`backend "default": header "`, "see --header"},
	{`backend "default": the headers take `, "see --header"},
	{`backend "default": reflection: `, "see --reflection-header"},
	{"connection refused", "start the server or correct --backend"},
	{"produced zero addresses", "correct the host in --backend"},
	{"no such host", "correct the host in --backend"},
	{"offers no reflection", "see --descriptor-set and --proto"},
	{"listing the services was refused", "see --header and --reflection-header"},
	{"over a limit of descriptor loading: not done after", "correct --backend, or give the descriptors compiled with --descriptor-set"},
	{"over a limit of descriptor loading", "give those of the services to be offered alone, with --descriptor-set or --proto"},
	{"reflection of ", "correct --backend, or give the descriptors with --descriptor-set or --proto"},
	{"descriptor set ", "correct --descriptor-set"},
	{"does not exist, neither below", "correct --proto or --proto-path"},
	{"import path ", "correct --proto-path"},
	{"not found below ", "see --proto-path"},
	{"out of the import paths", "see --proto-path"},
	{"tools/list names those there are", "bridge tools lists them"},
	{"needs a client with the capability ", "this program has no capability of a client: use one that has this one"},
}

// asides are what errors say to those who write programs, who have options and limits instead of flags.
var asides = regexp.MustCompile(` \([^()]*\bWith[A-Z]\w+[^()]*\)|; [^;]*\braise descriptor\.Limits\.\w+`)

// withMend adds the mend for an error to its text, if one is known.
func withMend(text string) string {
	text = asides.ReplaceAllString(text, "")
	for _, m := range mends {
		if strings.Contains(text, m.fragment) {
			return text + "; " + m.mend
		}
	}
	return text
}
