package server

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
)

// TestMissingArguments: what the schema requires and the call lacked is named where the backend found fault with the
// arguments.
func TestMissingArguments(t *testing.T) {
	t.Parallel()
	tool := &catalog.Tool{Required: []string{"name", "pageSize"}}
	const tail = "\noutcome: executed (the backend processed the call and answered with this error)\nretry: "
	for _, tt := range []struct {
		name, arguments string
		code            codes.Code
		want            string
	}{
		{"both", `{}`, codes.InvalidArgument, "\nmissing: name, pageSize are required and were not given"},
		{"no arguments", ``, codes.InvalidArgument, "\nmissing: name, pageSize are required and were not given"},
		{"one", `{"pageSize":0}`, codes.InvalidArgument, "\nmissing: name is required and was not given"},
		{"null", `{"name":null,"page_size":1}`, codes.InvalidArgument, "\nmissing: name is required and was not given"},
		{"none, spelt as in the file", `{"name":"","page_size":1}`, codes.InvalidArgument, ""},
		{"another code", `{}`, codes.NotFound, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			failure := &backend.Failure{Code: tt.code, Message: "bad", Execution: backend.Executed}
			result := outcome(tool, []byte(tt.arguments), &fault{kind: faultBackend, failure: failure})
			_, text, _ := strings.Cut(string(result.Text), ": bad")
			if !strings.HasPrefix(text, tt.want+tail) {
				t.Errorf("got %s", result.Text)
			}
		})
	}
}

// TestMissingArgumentsInALongText: the line gives way to the end of the text.
func TestMissingArgumentsInALongText(t *testing.T) {
	t.Parallel()
	failure := &backend.Failure{Code: codes.InvalidArgument, Message: "bad", Execution: backend.Executed}
	tool := &catalog.Tool{Required: []string{strings.Repeat("n", maxErrorText)}}
	text := string(outcome(tool, nil, &fault{kind: faultBackend, failure: failure}).Text)
	if text != string(failure.AppendText(nil)) {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}
