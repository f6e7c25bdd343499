package ask_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// TestRequire: the status has its code and one detail, with the requests in their order and the state.
func TestRequire(t *testing.T) {
	t.Parallel()
	requests := []*bridgev1.InputRequest{
		ask.URL("login", "Log in.", "https://example.com/login"), ask.Sample("poem", "A poem.", 5), ask.Roots("roots"),
	}
	for name, c := range map[string]struct {
		err     error
		message string
		want    *bridgev1.InputRequired
	}{
		"requests": {
			ask.Require(requests...), "the client is asked for login, poem, roots",
			&bridgev1.InputRequired{Requests: requests},
		},
		"with a state": {
			ask.RequireWithState([]byte("s"), requests[2]), "the client is asked for roots",
			&bridgev1.InputRequired{Requests: requests[2:], State: []byte("s")},
		},
		"a state alone": {
			ask.RequireWithState([]byte("s")), "the call is to be made again",
			&bridgev1.InputRequired{State: []byte("s")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := status.Convert(c.err)
			if s.Code() != ask.Code || s.Message() != c.message {
				t.Errorf("got %s: %s", s.Code(), s.Message())
			}
			if diff := cmp.Diff([]any{c.want}, s.Details(), protocmp.Transform()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestForm: the schema of each kind of field, with what can be said of it.
func TestForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields []ask.Field
		want   string
	}{
		"none":    {nil, `{"type":"object","properties":{}}`},
		"boolean": {[]ask.Field{ask.Bool("b", ask.Default(true))}, `{"type":"object","properties":{"b":{"type":"boolean","default":true}}}`},
		"string": {
			[]ask.Field{ask.String("s", ask.Title("T"), ask.Description("D"), ask.Format("email"))},
			`{"type":"object","properties":{"s":{"type":"string","title":"T","description":"D","format":"email"}}}`,
		},
		"numbers, in their order": {
			[]ask.Field{ask.Number("n"), ask.Integer("i", ask.Required()), ask.Integer("a", ask.Required())},
			`{"type":"object","properties":{"n":{"type":"number"},"i":{"type":"integer"},"a":{"type":"integer"}},"required":["i","a"]}`,
		},
		"enumeration": {
			[]ask.Field{ask.Enum("e", []string{"x", "y"}, ask.Default("x"), ask.Required())},
			`{"type":"object","properties":{"e":{"type":"string","enum":["x","y"],"default":"x"}},"required":["e"]}`,
		},
		"quotes":            {[]ask.Field{ask.Bool(`a"b`)}, `{"type":"object","properties":{"a\"b":{"type":"boolean"}}}`},
		"what JSON has not": {[]ask.Field{ask.Number("n", ask.Default(math.NaN()))}, `{"type":"object","properties":{"n":{"type":"number"}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask.Form("k", "m", c.fields...)
			if got := r.GetForm().GetRequestedSchema(); got != c.want || r.GetKey() != "k" || r.GetForm().GetMessage() != "m" {
				t.Errorf("got %s\nwant %s\nof %v", got, c.want, r)
			}
		})
	}
}
