package jsonrpc_test

import (
	"fmt"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// ExampleDecode reads a request, looks into its params and answers it.
func ExampleDecode() {
	body := []byte(`{"jsonrpc":"2.0","id":"a-1","method":"tools/call","params":{"name":"library_get_book","arguments":{}}}`)
	msg, err := jsonrpc.Decode(body, jsonrpc.DefaultLimits)
	if err != nil {
		fmt.Printf("%s\n", jsonrpc.AppendError(nil, msg.ID, err))
		return
	}
	raw, _ := jsonrpc.Find(msg.Params, "name")
	name, _ := jsonrpc.Unquote(raw)
	fmt.Println(msg.Kind, msg.Method, name)
	fmt.Printf("%s\n", jsonrpc.AppendResult(nil, msg.ID, []byte(`{"content":[]}`)))
	// Output:
	// request tools/call library_get_book
	// {"jsonrpc":"2.0","id":"a-1","result":{"content":[]}}
}

// ExampleDecode_refused answers a message that gives a name twice.
func ExampleDecode_refused() {
	msg, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`), jsonrpc.DefaultLimits)
	fmt.Printf("%s\n", jsonrpc.AppendError(nil, msg.ID, err))
	// Output:
	// {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"invalid JSON at byte 40: the name \"method\" a second time in one object: give each name once"}}
}
