package bridge_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/library"
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
