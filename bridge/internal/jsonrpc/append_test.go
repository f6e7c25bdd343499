package jsonrpc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// TestAppend writes one of each message, byte for byte.
func TestAppend(t *testing.T) {
	t.Parallel()
	failure := &jsonrpc.Error{Code: -32602, Message: "no \"x\"\n"}
	detailed := &jsonrpc.Error{Code: 1, Message: "", Data: []byte(`{"a":1}`)}
	one := jsonrpc.IntID(1)
	tests := []struct {
		name string
		got  []byte
		want string
	}{
		{"request", jsonrpc.AppendRequest(nil, jsonrpc.StringID("s-1"), "roots/list", nil), `{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}`},
		{
			"request with params", jsonrpc.AppendRequest(nil, one, "a\"b", []byte(`{"c":2}`)),
			`{"jsonrpc":"2.0","id":1,"method":"a\"b","params":{"c":2}}`,
		},
		{"notification", jsonrpc.AppendNotification(nil, "n", nil), `{"jsonrpc":"2.0","method":"n"}`},
		{"notification with params", jsonrpc.AppendNotification(nil, "n", []byte(`{}`)), `{"jsonrpc":"2.0","method":"n","params":{}}`},
		{"result", jsonrpc.AppendResult(nil, one, []byte(`{"tools":[]}`)), `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`},
		{"empty result", jsonrpc.AppendResult(nil, one, nil), `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"error", jsonrpc.AppendError(nil, one, failure), `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no \"x\"\n"}}`},
		{"error with data", jsonrpc.AppendError(nil, one, detailed), `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":{"a":1}}}`},
		{"error without id", jsonrpc.AppendError(nil, jsonrpc.ID{}, failure), `{"jsonrpc":"2.0","error":{"code":-32602,"message":"no \"x\"\n"}}`},
		{"after other bytes", jsonrpc.AppendNotification([]byte("data: "), "n", nil), `data: {"jsonrpc":"2.0","method":"n"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, string(tt.got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAppendProperty decodes what was appended.
func TestAppendProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawMessage(t)
		got, err := jsonrpc.Decode(appendMessage(want), jsonrpc.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, ids); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// drawMessage makes a message of any shape.
func drawMessage(t *rapid.T) jsonrpc.Message {
	msg := jsonrpc.Message{
		Kind:   rapid.SampledFrom([]jsonrpc.Kind{jsonrpc.KindRequest, jsonrpc.KindNotification, jsonrpc.KindResponse}).Draw(t, "kind"),
		ID:     jsonrpc.StringID(rapid.String().Draw(t, "id")),
		Method: rapid.String().Draw(t, "method"),
	}
	raw := rapid.SampledFrom([][]byte{nil, []byte(`{}`), []byte(`{"a":[1,"é"]}`)}).Draw(t, "raw")
	switch {
	case msg.Kind == jsonrpc.KindNotification:
		msg.ID, msg.Params = jsonrpc.ID{}, raw
	case msg.Kind == jsonrpc.KindRequest:
		msg.Params = raw
	case raw == nil:
		msg.Method, msg.Error = "", &jsonrpc.Error{
			Code: rapid.IntRange(-40000, 40000).Draw(t, "code"), Message: rapid.String().Draw(t, "message"),
		}
	default:
		msg.Method, msg.Result = "", raw
	}
	return msg
}

// appendMessage writes msg by the function for its shape.
func appendMessage(msg jsonrpc.Message) []byte {
	switch {
	case msg.Kind == jsonrpc.KindRequest:
		return jsonrpc.AppendRequest(nil, msg.ID, msg.Method, msg.Params)
	case msg.Kind == jsonrpc.KindNotification:
		return jsonrpc.AppendNotification(nil, msg.Method, msg.Params)
	case msg.Error != nil:
		return jsonrpc.AppendError(nil, msg.ID, msg.Error)
	default:
		return jsonrpc.AppendResult(nil, msg.ID, msg.Result)
	}
}

// TestErrorf formats, and reads as an error.
func TestErrorf(t *testing.T) {
	t.Parallel()
	var err error = jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no method %q", "x")
	if got, want := err.Error(), `no method "x" (code -32601)`; got != want {
		t.Errorf("Error() = %s, want %s", got, want)
	}
}
