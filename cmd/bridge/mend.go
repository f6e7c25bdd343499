package main

import "strings"

// mends says which flag helps against errors that come from below, where nobody knows of flags. The first fragment found
// counts.
var mends = []struct{ fragment, mend string }{
	{"first record does not look like a TLS handshake", "the server speaks no TLS: add --plaintext"},
	{"error reading server preface", "this is no plaintext gRPC server: leave --plaintext out if it speaks TLS, or correct the port"},
	{"failed to verify certificate", "see --tls-ca for who is trusted and --tls-server-name for the name that is expected"},
	{"certificate required", "the server wants a client certificate: see --tls-cert and --tls-key"},
	{"connection refused", "start the server or correct --backend"},
	{"produced zero addresses", "correct the host in --backend"},
	{"no such host", "correct the host in --backend"},
	{"offers no reflection", "see --descriptor-set and --proto"},
	{"WithHeaders sends a credential", "see --header and --reflection-header"},
}

// withMend adds the mend for an error to its text, if one is known.
func withMend(text string) string {
	for _, m := range mends {
		if strings.Contains(text, m.fragment) {
			return text + "; " + m.mend
		}
	}
	return text
}
