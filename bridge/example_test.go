package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/echo"
	"github.com/mcpgrpc/bridge/services/library"
	"github.com/mcpgrpc/bridge/services/orders"
)

// A bridge is an http.Handler: mount it where MCP clients are to find it.
func ExampleNew() {
	conn, err := grpc.NewClient("localhost:50051", grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	b, err := bridge.New(context.Background(), []bridge.Backend{{Conn: conn}})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	http.Handle("/mcp", b)
	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
}

// What would be offered can be seen without a backend when descriptors come from files.
func ExampleInspect() {
	report, err := bridge.Inspect(context.Background(), []bridge.Backend{{
		Descriptors: descriptor.FileSetBytes("library.binpb", library.DescriptorSet()),
		Hide:        []string{"*.DeleteBook"},
	}})
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range report.Tools {
		fmt.Println(tool.Name)
	}
	for _, left := range report.Omitted {
		fmt.Println(left.Method, "is left out:", left.Reason)
	}
	// Output:
	// library_create_book
	// library_get_book
	// library_list_books
	// library_update_book
	// library.v1.LibraryService.DeleteBook is left out: hidden by the pattern "*.DeleteBook"
}

// Each request becomes a span, below that of the client where it sends one in `_meta`. With the stats handler of otelgrpc on
// the connection, the gRPC call is a span below it, and the trace goes on in the backend.
func ExampleWithTelemetry() {
	provider := trace.NewTracerProvider() // with an exporter, by trace.WithBatcher
	defer func() { _ = provider.Shutdown(context.Background()) }()
	conn, err := grpc.NewClient("localhost:50051",
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStatsHandler(otelgrpc.NewClientHandler(
			otelgrpc.WithTracerProvider(provider), otelgrpc.WithPropagators(propagation.TraceContext{}))))
	if err != nil {
		log.Fatal(err)
	}
	b, err := bridge.New(context.Background(), []bridge.Backend{{
		Conn:        conn,
		Descriptors: descriptor.FileSetBytes("library.binpb", library.DescriptorSet()),
		Release:     func() { _ = conn.Close() },
	}}, bridge.WithTelemetry(bridge.Telemetry{TracerProvider: provider}))
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	fmt.Println(len(b.Report().Tools), "tools")
	// Output: 5 tools
}

// A backend that asks its user something is answered by the program that calls it.
func ExampleAnswering() {
	shop := orders.New()
	defer shop.Close()
	lis := bufconn.Listen(1 << 20)
	backend := grpc.NewServer()
	shop.Register(backend)
	go func() { _ = backend.Serve(lis) }()
	defer backend.Stop()
	conn, err := grpc.NewClient("passthrough:///shop", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	b, err := bridge.New(context.Background(), []bridge.Backend{{
		Conn: conn, Descriptors: descriptor.FileSetBytes("orders.binpb", orders.DescriptorSet()),
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	answer := func(_ context.Context, inputRequests []byte) ([]byte, error) {
		var asked map[string]struct{ Params struct{ Message string } }
		if err := json.Unmarshal(inputRequests, &asked); err != nil {
			return nil, err
		}
		fmt.Println(asked["confirmation"].Params.Message)
		return []byte(`{"confirmation":{"action":"accept","content":{"agree":true}}}`), nil
	}
	result, err := b.Call(context.Background(), "order_place_order", []byte(`{"customer":"Bo","items":[{"sku":"DESK","quantity":3}]}`),
		bridge.Answering([]byte(`{"elicitation":{"form":{}}}`), answer))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("failed:", result.IsError)
	// Output:
	// Place an order for Bo that costs 1047.00?
	// failed: false
}

// Several backends are one list of tools. One that is away takes only its own tools with it, and Replace changes them without
// dropping a call.
func ExampleNew_severalBackends() {
	backend := func(name, target string, set []byte) bridge.Backend {
		conn, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			log.Fatal(err)
		}
		return bridge.Backend{
			Name: name, Conn: conn, Descriptors: descriptor.FileSetBytes(name+".binpb", set),
			Quota:   bridge.Quota{InFlight: 100},
			Release: func() { _ = conn.Close() },
		}
	}
	books := backend("books", "localhost:50051", library.DescriptorSet())
	b, err := bridge.New(context.Background(), []bridge.Backend{books, backend("echo", "localhost:50052", echo.DescriptorSet())})
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	for _, h := range b.Health(context.Background()).Backends {
		fmt.Println(h.Name, h.Described)
	}
	if err := b.Replace(context.Background(), []bridge.Backend{books}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(b.Report().Tools), "tools")
	// Output:
	// books true
	// echo true
	// 5 tools
}
