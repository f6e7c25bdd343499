package main

import (
	"strings"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// parseHeaders reads the values of a header flag: name=text, name=@file or name=env:NAME.
func parseHeaders(flag string, values []string) ([]*configv1.Header, error) {
	var headers []*configv1.Header
	for _, v := range values {
		name, text, ok := strings.Cut(v, "=")
		if !ok {
			// What was given may be a secret in another spelling, such as curl's "Name: value": only its beginning is repeated.
			name, _, _ = strings.Cut(v, ":")
			name, _, _ = strings.Cut(name, " ")
			return nil, usagef("--%s %q…: write name=value, name=@file or name=env:VARIABLE", flag, name)
		}
		headers = append(headers, parseHeader(name, text))
	}
	return headers, nil
}

func parseHeader(name, text string) *configv1.Header {
	h := &configv1.Header{Name: strings.ToLower(name)}
	if file, ok := strings.CutPrefix(text, "@"); ok {
		h.Value = &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_File{File: file}}}
	} else if env, ok := strings.CutPrefix(text, "env:"); ok {
		h.Value = &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_Env{Env: env}}}
	} else {
		h.Value = &configv1.Header_Literal{Literal: text}
	}
	return h
}
