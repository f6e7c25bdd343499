package bridge_test

import (
	"encoding/json"

	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// schemasOf describes the arguments and the results of a method of any kind.
func schemasOf(g *schema.Generator, method protoreflect.MethodDescriptor) (input, output schema.Schema) {
	input, output = g.Input(method.Input()), g.Output(method.Output(), nil)
	if method.IsStreamingClient() {
		input = g.InputStream(method.Input())
	}
	if method.IsStreamingServer() {
		output = g.OutputStream(method.Output(), nil)
	}
	return input, output
}

// messagesOf takes arguments apart: into the messages of a client stream, or the one request.
func messagesOf(t *rapid.T, method protoreflect.MethodDescriptor, arguments []byte) [][]byte {
	if !method.IsStreamingClient() {
		return [][]byte{arguments}
	}
	var stream struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(arguments, &stream); err != nil {
		t.Fatal(err)
	}
	messages := make([][]byte, len(stream.Messages))
	for i, message := range stream.Messages {
		messages[i] = message
	}
	return messages
}

// resultOf puts what became of a response into a result: twice, and with what is said where there is more, of a server stream.
func resultOf(method protoreflect.MethodDescriptor, response []byte) []byte {
	if !method.IsStreamingServer() {
		return response
	}
	list := append([]byte(`{"items":[`), response...)
	list = append(append(list, ','), response...)
	return append(list, `],"truncated":true,"reason":"messages","left":"unknown"}`...)
}
