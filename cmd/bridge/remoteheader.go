package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// paramSchema is what of an input schema says which arguments are repeated in headers: those below properties alone.
type paramSchema struct {
	Type       json.RawMessage            `json:"type"`
	Header     *string                    `json:"x-mcp-header"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// headerToken is what may stand behind Mcp-Param- (RFC 9110, 5.6.2).
var headerToken = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// paramHeaders returns the headers in which a call repeats arguments: those to which the tool's input schema gives
// x-mcp-header, unless they are absent or null. A schema that says it wrongly is an error: clients must not call such a tool.
func paramHeaders(schema json.RawMessage, arguments []byte) (http.Header, error) {
	headers := http.Header{}
	seen := map[string]bool{}
	return headers, addParamHeaders(headers, seen, schema, arguments)
}

func addParamHeaders(headers http.Header, seen map[string]bool, schema json.RawMessage, value []byte) error {
	var s paramSchema
	_ = json.Unmarshal(schema, &s) // what is no schema of this form says nothing of headers
	if s.Header != nil {
		name := http.CanonicalHeaderKey("Mcp-Param-" + *s.Header)
		kind := strings.Trim(string(s.Type), `"`)
		switch {
		case !headerToken.MatchString(*s.Header), seen[name]:
			return fmt.Errorf("the tool's schema has the x-mcp-header %q, which is no header's name, or there twice", *s.Header)
		case kind != "string" && kind != "integer" && kind != "boolean":
			return fmt.Errorf("the tool's schema has the x-mcp-header %q at an argument that is no string, integer or boolean", *s.Header)
		}
		seen[name] = true
		if text, ok := paramText(value); ok {
			headers[name] = []string{headerText(text)}
		}
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(value, &fields) // what is no object has no fields
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if err := addParamHeaders(headers, seen, s.Properties[name], fields[name]); err != nil {
			return err
		}
	}
	return nil
}

// paramText writes an argument as a header has it; false for one that is absent, null or no scalar.
func paramText(value []byte) (string, bool) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "null" || value[0] == '{' || value[0] == '[' {
		return "", false
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text, true
	}
	return string(value), true
}

// headerText writes a text so that a header can carry it: as it is, or in base64 where it has other characters than visible
// ASCII and inner spaces, or looks like base64 itself.
func headerText(text string) string {
	const open, end = "=?base64?", "?="
	encoded := strings.HasPrefix(text, open) && strings.HasSuffix(text, end)
	visible := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if !encoded && visible && strings.TrimSpace(text) == text {
		return text
	}
	return open + base64.StdEncoding.EncodeToString([]byte(text)) + end
}
