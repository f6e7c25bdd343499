package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// threeTools are the tools of search mode, as they are listed.
var threeTools = []string{"call_method", "describe_method", "search_methods"}

// officialClient connects the client of the official Go SDK.
func officialClient(t *testing.T, b *bridge.Bridge) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: serveHTTP(t, b)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// askTool calls a tool and reads its structured content, which must be the same as its text; a failure fails the test.
func askTool(t *testing.T, s *mcp.ClientSession, tool, arguments string, to any) {
	t.Helper()
	result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil || result.IsError || len(result.Content) == 0 {
		t.Fatalf("%s %s: error %v, result %+v", tool, arguments, err, result)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	var said any
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(said, result.StructuredContent); diff != "" {
		t.Errorf("%s: text and structured content differ:\n%s", tool, diff)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatal(err)
	}
}

// hits is the result of search_methods.
type hits struct {
	Methods []struct {
		Name, Method, Backend string
		ReadOnly              *bool
	}
	Total int
	Hint  string
}

// TestSearchModeForOthers: somebody else's client lists the three tools, and goes from a purpose to a result. It checks each
// result against the output schema of its tool.
func TestSearchModeForOthers(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Name: "services", Conn: startServices(t)}}, bridge.WithMode(bridge.ModeSearch))
	s := officialClient(t, b)
	var listed []string
	for tool, err := range s.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, tool.Name)
	}
	if diff := cmp.Diff(threeTools, listed); diff != "" {
		t.Fatalf("listed (-want +got):\n%s", diff)
	}
	var found hits
	askTool(t, s, "search_methods", `{"query":"look up a book by its name","readOnly":true}`, &found)
	if len(found.Methods) == 0 || found.Methods[0].Name != "library_get_book" || found.Methods[0].Backend != "" {
		t.Fatalf("found %+v", found)
	}
	var described struct {
		Method, Backend string
		InputSchema     struct{ Properties map[string]any }
	}
	askTool(t, s, "describe_method", `{"name":"library_get_book"}`, &described)
	if described.Method != "library.v1.LibraryService.GetBook" || described.Backend != "services" ||
		described.InputSchema.Properties["name"] == nil {
		t.Errorf("described %+v", described)
	}
	var book struct{ Title string }
	askTool(t, s, "call_method", `{"name":"library_get_book","arguments":{"name":"books/dune"}}`, &book)
	if book.Title != "Dune" {
		t.Errorf("got %+v", book)
	}
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "library_get_book"})
	if err == nil || !strings.Contains(err.Error(), "call_method") {
		t.Errorf("a method as a tool: %v", err)
	}
}

// TestSearchModeOfCall: an embedder's call is a client's.
func TestSearchModeOfCall(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{Conn: startServices(t)}}, bridge.WithMode(bridge.ModeSearch))
	if _, err := b.Call(t.Context(), "library_get_book", []byte(`{"name":"books/dune"}`)); err == nil {
		t.Error("a method is called as a tool")
	}
	got, err := b.Call(t.Context(), "call_method", []byte(`{"name":"library_get_book","arguments":{"name":"books/dune"}}`))
	if err != nil || got.IsError || !strings.Contains(got.Text, `"Dune"`) {
		t.Errorf("error %v, result %+v", err, got)
	}
}

// crowd is how many methods the large backend has, in services of crowdService.
const crowd, crowdService = 3000, 50

// TestSearchModeOfThousands: with thousands of methods the list has three tools, and each method is found and called.
func TestSearchModeOfThousands(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{
		{Name: "crowd", Conn: echoingConn(t), Descriptors: crowdOf(t)},
		{Name: "services", Conn: startServices(t)},
	}, bridge.WithMode(bridge.ModeSearch))
	c := httpClient(t, serveHTTP(t, b), modern).connect(t)
	page := c.request(t, "tools/list", nil)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(page.Result, &list); err != nil || len(list.Tools) != len(threeTools) {
		t.Fatalf("error %v, list %s", err, page.Result)
	}
	s := officialClient(t, b)
	for _, number := range []int{0, 1234, crowd - 1} {
		var found hits
		started := time.Now()
		askTool(t, s, "search_methods", fmt.Sprintf(`{"query":"removing the gadget%d"}`, number), &found)
		t.Logf("%d of %d hits in %v", len(found.Methods), found.Total, time.Since(started))
		if len(found.Methods) == 0 || found.Methods[0].Method != crowdMethod(number) || found.Methods[0].Backend != "crowd" {
			t.Fatalf("found %+v, want %s first", found, crowdMethod(number))
		}
		var echoed struct{ Id string }
		askTool(t, s, "call_method", fmt.Sprintf(`{"name":%q,"arguments":{"id":"x%d"}}`, found.Methods[0].Name, number), &echoed)
		if want := fmt.Sprintf("x%d", number); echoed.Id != want {
			t.Errorf("%s returns %q, want %q", found.Methods[0].Name, echoed.Id, want)
		}
	}
	var all, few hits
	askTool(t, s, "search_methods", `{"query":"","backend":"crowd","limit":50}`, &all)
	askTool(t, s, "search_methods", `{"query":"","service":"crowd.v1.Service7"}`, &few)
	if all.Total != crowd || len(all.Methods) != 50 || few.Total != crowdService || len(few.Methods) != 10 {
		t.Errorf("%d of %d and %d of %d", len(all.Methods), all.Total, len(few.Methods), few.Total)
	}
}

// crowdMethod is the full name of one of the methods.
func crowdMethod(number int) string {
	return fmt.Sprintf("crowd.v1.Service%d.DeleteGadget%d", number/crowdService, number)
}

// crowdOf describes the large backend.
func crowdOf(t *testing.T) descriptor.Source {
	t.Helper()
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("crowd.proto"), Package: proto.String("crowd.v1"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: proto.String("Gadget"),
			Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("id"), Number: proto.Int32(1), JsonName: proto.String("id"),
				Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			}},
		}},
	}
	for number := range crowd {
		if number%crowdService == 0 {
			name := fmt.Sprintf("Service%d", number/crowdService)
			file.Service = append(file.Service, &descriptorpb.ServiceDescriptorProto{Name: proto.String(name)})
		}
		service := file.Service[len(file.Service)-1]
		service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
			Name:      proto.String(fmt.Sprintf("DeleteGadget%d", number)),
			InputType: proto.String(".crowd.v1.Gadget"), OutputType: proto.String(".crowd.v1.Gadget"),
		})
	}
	data, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	return descriptor.FileSetBytes("crowd", data)
}

// echoingConn is a connection to a server that returns whatever it is sent, by any method.
func echoingConn(t *testing.T) *grpc.ClientConn {
	t.Helper()
	lis := bufconn.Listen(1 << 20)
	server := grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		var message descriptorpb.UninterpretedOption // any message keeps what it does not know
		if err := stream.RecvMsg(&message); err != nil {
			return err
		}
		return stream.SendMsg(&message)
	}))
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	conn, err := grpc.NewClient("passthrough:///crowd", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.Stop()
		<-done
	})
	return conn
}

// TestSearchDoc: the answers in docs/search.md are those that the sample service gives.
func TestSearchDoc(t *testing.T) {
	t.Parallel()
	b := newBridge(t, []bridge.Backend{{
		Name: "library", Conn: startServices(t),
		Descriptors: descriptor.Files([]string{"../proto", "../proto/third_party"}, []string{"library/v1/library.proto"}),
	}}, bridge.WithMode(bridge.ModeSearch))
	exchanges := regexp.MustCompile("(?s)```json\n// (\\w+)\n(.*?)```\n\n```json\n(.*?)```").FindAllStringSubmatch(readDoc(t, "search.md"), -1)
	var called []string
	for _, exchange := range exchanges {
		called = append(called, exchange[1])
		got, err := b.Call(t.Context(), exchange[1], []byte(exchange[2]))
		if err != nil || got.IsError {
			t.Fatalf("%s: error %v, result %+v", exchange[1], err, got)
		}
		var want, have any
		if err := json.Unmarshal([]byte(exchange[3]), &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(got.JSON, &have); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s %s (-documented +got):\n%s", exchange[1], exchange[2], diff)
		}
	}
	slices.Sort(called)
	if diff := cmp.Diff(threeTools, slices.Compact(called)); diff != "" {
		t.Errorf("shown are (-want +got):\n%s", diff)
	}
}
