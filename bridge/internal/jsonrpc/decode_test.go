package jsonrpc_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// ids lets cmp compare IDs by their raw form.
var ids = cmp.Options{
	cmp.Comparer(func(a, b jsonrpc.ID) bool { return a == b }), cmpopts.IgnoreUnexported(jsonrpc.Message{}),
}

// TestDecodeShapes reads each shape of JSON-RPC 2.0 §4 and §5.
func TestDecodeShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     jsonrpc.Message
	}{
		{
			"request", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"cursor":"a"}}`,
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.IntID(7), Method: "tools/list", Params: []byte(`{"cursor":"a"}`)},
		},
		{
			"request without params", `{"jsonrpc":"2.0","id":"x","method":"ping"}`,
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.StringID("x"), Method: "ping"},
		},
		{
			"members in any order, spaced", "\r\n\t { \"params\" : {  } , \"method\" : \"m\" , \"id\" : 0 , \"jsonrpc\" : \"2.0\" } \n",
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.IntID(0), Method: "m", Params: []byte(`{  }`)},
		},
		{
			"names and method with escapes", `{"\u006asonrpc":"\u0032.0","\u0069d":1,"method":"a\/b\u00e9\ud83d\ude00"}`,
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.IntID(1), Method: "a/bé😀"},
		},
		{
			"unknown members are ignored", `{"jsonrpc":"2.0","id":1,"method":"m","meta":{"id":2},"":[1,{"method":"n"}]}`,
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.IntID(1), Method: "m"},
		},
		{
			"empty method", `{"jsonrpc":"2.0","id":1,"method":""}`,
			jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.IntID(1)},
		},
		{
			"notification", `{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`,
			jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: "notifications/initialized", Params: []byte(`{}`)},
		},
		{
			"response", `{"jsonrpc":"2.0","id":"s1","result":{"action":"accept"}}`,
			jsonrpc.Message{Kind: jsonrpc.KindResponse, ID: jsonrpc.StringID("s1"), Result: []byte(`{"action":"accept"}`)},
		},
		{
			"response with a null result", `{"jsonrpc":"2.0","id":1,"result":null}`,
			jsonrpc.Message{Kind: jsonrpc.KindResponse, ID: jsonrpc.IntID(1), Result: []byte(`null`)},
		},
		{
			"error response", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no \"m\"","data":[1, 2]}}`,
			jsonrpc.Message{
				Kind: jsonrpc.KindResponse, ID: jsonrpc.IntID(1),
				Error: &jsonrpc.Error{Code: -32601, Message: `no "m"`, Data: []byte(`[1, 2]`)},
			},
		},
		{
			"error response with null id", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`,
			jsonrpc.Message{Kind: jsonrpc.KindResponse, Error: &jsonrpc.Error{Code: -32700, Message: "?"}},
		},
		{
			"error response without id", `{"jsonrpc":"2.0","error":{"code":-32700,"message":"?","more":1}}`,
			jsonrpc.Message{Kind: jsonrpc.KindResponse, Error: &jsonrpc.Error{Code: -32700, Message: "?"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonrpc.Decode([]byte(tt.in), jsonrpc.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, ids); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// TestDecodeInvalidRequest gives JSON that is no message: the code, what the
// error says, and the id it can be answered with.
func TestDecodeInvalidRequest(t *testing.T) {
	t.Parallel()
	one, none := jsonrpc.IntID(1), jsonrpc.ID{}
	tests := []struct {
		name, in, says string
		id             jsonrpc.ID
	}{
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "batches are not accepted", none},
		{"empty batch", `[]`, "batches are not accepted", none},
		{"string", `"ping"`, "must be an object, not a string", none},
		{"number", `1`, "must be an object, not a number", none},
		{"null", `null`, "must be an object, not null", none},
		{"boolean", `true`, "must be an object, not a boolean", none},
		{"empty object", `{}`, `"jsonrpc" must be`, none},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, `"jsonrpc" must be`, one},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"jsonrpc" must be`, one},
		{"jsonrpc a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `"jsonrpc" must be`, one},
		{"nothing to do", `{"jsonrpc":"2.0","id":1}`, "must have a method, a result or an error", one},
		{"method a number", `{"jsonrpc":"2.0","id":1,"method":5}`, "method must be a string, not a number", one},
		{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, "method must be a string, not null", one},
		{"params an array", `{"jsonrpc":"2.0","id":1,"method":"m","params":[]}`, "params must be an object, not an array", one},
		{"params null", `{"jsonrpc":"2.0","id":1,"method":"m","params":null}`, "params must be an object, not null", one},
		{"params a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":"{}"}`, "params must be an object, not a string", one},
		{"method and result", `{"jsonrpc":"2.0","id":1,"method":"m","result":{}}`, "not several", one},
		{"method and error", `{"jsonrpc":"2.0","id":1,"method":"m","error":{"code":1,"message":""}}`, "not several", one},
		{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`, "and not both", none},
		{"result without id", `{"jsonrpc":"2.0","result":{}}`, "must have the id", none},
		{"result with null id", `{"jsonrpc":"2.0","id":null,"result":{}}`, "id must be", none},
		{"error a string", `{"jsonrpc":"2.0","id":1,"error":"no"}`, "error must be an object, not a string", none},
		{"error without code", `{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}`, "error.code must be an integer", none},
		{"error code a fraction", `{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"no"}}`, "error.code must be an integer", none},
		{"error without message", `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`, "error.message must be a string", none},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonrpc.Decode([]byte(tt.in), jsonrpc.Limits{})
			wantError(t, err, jsonrpc.CodeInvalidRequest, tt.says)
			if diff := cmp.Diff(jsonrpc.Message{ID: tt.id}, got, ids); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// TestDecodeKeepsTheID reads the id of messages that the strict pass refuses
// elsewhere.
func TestDecodeKeepsTheID(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in string
		want     jsonrpc.ID
	}{
		{"fault after the id", `{"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1,"x":2}}`, jsonrpc.StringID("a")},
		{"text cut off", `{"jsonrpc":"2.0","id":12,"method":`, jsonrpc.IntID(12)},
		{"text cut off in the id", `{"jsonrpc":"2.0","id":12`, jsonrpc.ID{}}, // of 123, perhaps
		{"text cut off after the id", `{"jsonrpc":"2.0","id":"a"`, jsonrpc.ID{}},
		{"number with a leading zero", `{"jsonrpc":"2.0","id":01,"method":"m"}`, jsonrpc.ID{}},
		{"hexadecimal number", `{"jsonrpc":"2.0","id":0x10,"method":"m"}`, jsonrpc.ID{}},
		{"negative number with a leading zero", `{"jsonrpc":"2.0","id":-01,"method":"m"}`, jsonrpc.ID{}},
		{"number in groups", `{"jsonrpc":"2.0","id":1_000,"method":"m"}`, jsonrpc.ID{}},
		{"number with a space", `{"jsonrpc":"2.0","id":1 000,"method":"m"}`, jsonrpc.ID{}},
		{"number with a broken fraction", `{"jsonrpc":"2.0","id":1.,"method":"m"}`, jsonrpc.ID{}},
		{"string in two parts", `{"jsonrpc":"2.0","id":"a""b","method":"m"}`, jsonrpc.ID{}},
		{"fault after the space after the id", `{"jsonrpc":"2.0","id":1 ,x`, jsonrpc.IntID(1)},
		{"string cut off in the id", `{"jsonrpc":"2.0","id":"ab`, jsonrpc.ID{}},
		{"data after the message", `{"jsonrpc":"2.0","id":3,"method":"m"}}`, jsonrpc.IntID(3)},
		{"fault before the id", `{"params":tru,"id":3}`, jsonrpc.ID{}},
		{"id given twice", `{"jsonrpc":"2.0","id":1,"id":2}`, jsonrpc.ID{}},
		{"id given twice, escaped", `{"jsonrpc":"2.0","id":1,"i\u0064":1}`, jsonrpc.ID{}},
		{"id of no accepted kind", `{"jsonrpc":"2.0","id":1.5,"method":`, jsonrpc.ID{}},
		{"id deeper down", `{"jsonrpc":"2.0","params":{"id":1},`, jsonrpc.ID{}},
		{"id in a batch", `[{"jsonrpc":"2.0","id":1,`, jsonrpc.ID{}},
		{"a response: the id is ours", `{"jsonrpc":"2.0","id":1,"result":{},`, jsonrpc.ID{}},
		{"an error response: the id is ours", `{"jsonrpc":"2.0","id":1,"error":{},"x":`, jsonrpc.ID{}},
		{"a request with a result", `{"jsonrpc":"2.0","id":1,"result":{},"method":"m",`, jsonrpc.IntID(1)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := jsonrpc.Decode([]byte(tt.in), jsonrpc.Limits{})
			if err == nil || err.Code != jsonrpc.CodeParse {
				t.Fatalf("Decode(%s) = %v, want code %d", tt.in, err, jsonrpc.CodeParse)
			}
			if diff := cmp.Diff(jsonrpc.Message{ID: tt.want}, got, ids); diff != "" {
				t.Errorf("Decode(%s) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

// TestDecodeAllocates only what outlives the input: the size of params does
// not matter.
func TestDecodeAllocates(t *testing.T) {
	data := callOf(300)
	got := testing.AllocsPerRun(100, func() {
		if _, err := jsonrpc.Decode(data, jsonrpc.DefaultLimits); err != nil {
			t.Fatal(err)
		}
	})
	if got > 3 {
		t.Errorf("Decode allocates %v times for %d bytes, want the id, the method and the notes only", got, len(data))
	}
}

// TestDecodeSlicesAreCapped appends to what Decode returns, which must not
// write into the input behind it.
func TestDecodeSlicesAreCapped(t *testing.T) {
	t.Parallel()
	const in = `{"jsonrpc":"2.0","id":1,"params":{"a":1},"method":"m"}`
	data := []byte(in)
	msg, err := jsonrpc.Decode(data, jsonrpc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	value, _ := jsonrpc.Find(msg.Params, "a")
	_ = append(msg.Params, 'x')
	_ = append(value, 'x')
	if string(data) != in {
		t.Errorf("input became %s", data)
	}
}

// TestKindString names the kinds.
func TestKindString(t *testing.T) {
	t.Parallel()
	for kind, want := range map[jsonrpc.Kind]string{
		jsonrpc.KindRequest:      "request",
		jsonrpc.KindNotification: "notification",
		jsonrpc.KindResponse:     "response",
		jsonrpc.Kind(0):          "unknown",
	} {
		if got := kind.String(); got != want {
			t.Errorf("Kind(%d) = %q, want %q", kind, got, want)
		}
	}
}
