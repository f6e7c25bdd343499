package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	benchv1 "github.com/mcpgrpc/bridge/tools/bench/gen/bench/v1"
)

// sdkServer is the least that offers a gRPC method as a tool with the official SDK and the public parts of protobuf-go: stateless
// Streamable HTTP with JSON answers, dynamicpb and protojson. It knows the messages by their descriptors alone, as one has to
// that learns them by reflection, and it holds no argument against a schema.
func sdkServer(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	conn, err := dial(args)
	if err != nil {
		return err
	}
	defer conn.Close()
	method := benchv1.File_bench_v1_bench_proto.Services().ByName("OrderService").Methods().ByName("Echo")
	server := mcp.NewServer(&mcp.Implementation{Name: "minimal", Version: "1"}, nil)
	server.AddTool(
		&mcp.Tool{Name: tool, InputSchema: map[string]any{"type": "object"}, OutputSchema: map[string]any{"type": "object"}},
		handler(conn, method))
	return serveHTTP(ctx, stdin, stdout, mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
}

// handler calls method on conn.
func handler(conn *grpc.ClientConn, method protoreflect.MethodDescriptor) mcp.ToolHandler {
	path := fmt.Sprintf("/%s/%s", method.Parent().FullName(), method.Name())
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		in, out := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
		if err := protojson.Unmarshal(req.Params.Arguments, in); err != nil {
			return nil, err
		}
		if err := conn.Invoke(ctx, path, in, out); err != nil {
			return nil, err
		}
		answer, err := protojson.MarshalOptions{EmitUnpopulated: true}.Marshal(out)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(answer)}},
			StructuredContent: json.RawMessage(answer),
		}, nil
	}
}
