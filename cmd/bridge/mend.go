package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// mends says what helps against errors that come from below, where it is not known how the bridge was told: which flag, and
// which key of a configuration file. The first fragment found counts.
var mends = []struct{ fragment, flag, key string }{
	{
		"first record does not look like a TLS handshake", "the server speaks no TLS: add --plaintext",
		"the server speaks no TLS: set plaintext: {}",
	},
	{
		"error reading server preface", "this is no plaintext gRPC server: leave --plaintext out if it speaks TLS, or correct the port",
		"this is no plaintext gRPC server: leave plaintext out if it speaks TLS, or correct the port in target",
	},
	{
		"failed to verify certificate", "see --tls-ca for who is trusted and --tls-server-name for the name that is expected",
		"see tls.ca_file for who is trusted and tls.server_name for the name that is expected",
	},
	{
		"certificate required", "the server wants a client certificate: see --tls-cert and --tls-key",
		"the server wants a client certificate: see tls.cert_file and tls.key_file",
	},
	{
		"write: broken pipe", "the server cut the connection off; if it wants a client certificate, see --tls-cert and --tls-key",
		"the server cut the connection off; if it wants a client certificate, see tls.cert_file and tls.key_file",
	},
	{"certificate authorities: ", "correct --tls-ca", "correct tls.ca_file"},
	{`": client certificate `, "correct --tls-cert and --tls-key", "correct tls.cert_file and tls.key_file"},
	{`": header "`, "see --header", "see headers"},
	{`": the headers take `, "see --header", "see headers"},
	{`": reflection: `, "see --reflection-header", "see descriptors.reflection.headers"},
	{"connection refused", "start the server or correct --backend", "start the server or correct target"},
	{"produced zero addresses", "correct the host in --backend", "correct the host in target"},
	{"no such host", "correct the host in --backend", "correct the host in target"},
	{"offers no reflection", "see --descriptor-set and --proto", "see descriptors.files"},
	{"listing the services was refused", "see --header and --reflection-header", "see headers and descriptors.reflection.headers"},
	{
		"over a limit of descriptor loading: not done after", "correct --backend, or give the descriptors compiled with --descriptor-set",
		"correct target, or give the descriptors compiled as descriptors.files.descriptor_set",
	},
	{
		"over a limit of descriptor loading", "give those of the services to be offered alone, with --descriptor-set or --proto",
		"give those of the services to be offered alone, as descriptors.files",
	},
	{
		"reflection of ", "correct --backend, or give the descriptors with --descriptor-set or --proto",
		"correct target, or give the descriptors as descriptors.files",
	},
	{"descriptor set ", "correct --descriptor-set", "correct descriptor_set"},
	{"does not exist, neither below", "correct --proto or --proto-path", "correct protos or proto_paths"},
	{"import path ", "correct --proto-path", "correct proto_paths"},
	{"not found below ", "see --proto-path", "see proto_paths"},
	{"out of the import paths", "see --proto-path", "see proto_paths"},
	{"tools/list names those there are", "bridge tools lists them", "bridge tools lists them"},
	{needsElicitation, askMend, askMend},
	{"needs a client with the capability ", otherMend, otherMend},
}

// needsElicitation begins what a bridge says of a tool that asks its user.
const needsElicitation = "needs a client with the capability elicitation"

// askMend says how a tool can ask the user of the program.
const askMend = "run the command at a terminal, with the arguments on its command line, " +
	"or give --answer: the form as JSON, or decline or cancel; --answer '{}' shows the form"

// onceMoreMend says it where it has asked, and more than was answered.
const onceMoreMend = "give one more, or run the command at a terminal, with the arguments on its command line"

// otherMend says what can call a tool that the program cannot.
const otherMend = "this program has a user alone, and neither tasks, a model nor roots: use a client that has this one"

// asides are what errors say to those who write programs, who have options and limits instead of flags.
var asides = regexp.MustCompile(` \([^()]*\bWith[A-Z]\w+[^()]*\)|; [^;]*\braise descriptor\.Limits\.\w+`)

// withMend adds the mend for an error of a command to its text, if one is known.
func withMend(cmd *cobra.Command, text string) string {
	text = asides.ReplaceAllString(text, "")
	if f := cmd.Flags().Lookup("url"); f != nil && f.Changed {
		if strings.Contains(text, "connection refused") || strings.Contains(text, "no such host") {
			text += "; start the server or correct --url"
		}
		if strings.Contains(text, needsElicitation) {
			text += "; " + askMend
		}
		return text
	}
	if cmd.Flags().Lookup("backend") == nil { // it asks no backend, so that no mend of one's is meant
		return text
	}
	for _, m := range mends {
		switch {
		case !strings.Contains(text, m.fragment):
			continue
		case fromFile(cmd):
			return text + "; " + m.key
		}
		return text + "; " + m.flag
	}
	return text
}
