package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// endpoint is the HTTP handler before a server of many tools.
type endpoint struct {
	http.Handler

	source  catalog.Source
	offered atomic.Pointer[catalog.Catalog]
	gate    *lifecycle.Gate
	server  *server.Server
}

// newEndpoint offers n tools.
func newEndpoint(t testing.TB, n int, opts catalog.Options) *endpoint {
	t.Helper()
	b, err := backend.New(backend.Config{Name: "many"})
	if err != nil {
		t.Fatal(err)
	}
	set, err := descriptor.New([]*descriptorpb.FileDescriptorProto{many(n)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &endpoint{source: catalog.Source{Backend: b, Set: set}}
	e.offered.Store(e.compile(t, opts))
	e.gate = lifecycle.NewGate(lifecycle.Config{})
	e.server = server.New(server.Config{Gate: e.gate, Catalog: e.offered.Load})
	t.Cleanup(e.server.Close)
	e.Handler = streamable.New(streamable.Config{Server: e.server, Gate: e.gate})
	return e
}

// compile makes a catalog without the methods that match the patterns.
func (e *endpoint) compile(t testing.TB, opts catalog.Options, hide ...string) *catalog.Catalog {
	t.Helper()
	source := e.source
	source.Hide = hide
	opts.Features = lifecycle.AllFeatures()
	c, err := catalog.Compile([]catalog.Source{source}, opts)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// many has n methods, each with a request of its own with some 3 KB of schema.
func many(n int) *descriptorpb.FileDescriptorProto {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("many.proto"), Package: proto.String("many.v1"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{message("Reply", 6)},
	}
	service := &descriptorpb.ServiceDescriptorProto{Name: proto.String("ManyService")}
	for i := range n {
		request := fmt.Sprintf("GetThing%dRequest", i)
		file.MessageType = append(file.MessageType, message(request, 38))
		service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
			Name:      proto.String(fmt.Sprintf("GetThing%d", i)),
			InputType: proto.String(".many.v1." + request), OutputType: proto.String(".many.v1.Reply"),
		})
	}
	file.Service = []*descriptorpb.ServiceDescriptorProto{service}
	return file
}

// message has so many fields.
func message(name string, fields int) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: &name}
	types := []descriptorpb.FieldDescriptorProto_Type{
		descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT64,
		descriptorpb.FieldDescriptorProto_TYPE_BOOL, descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
	}
	for i := range fields {
		m.Field = append(m.Field, &descriptorpb.FieldDescriptorProto{
			Name: proto.String(fmt.Sprintf("field_of_a_usual_length_%d", i)), Number: proto.Int32(int32(i) + 1),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), Type: types[i%len(types)].Enum(),
		})
	}
	return m
}

// listRequest makes the request of a modern client for a list, id and cursor being JSON.
func listRequest(t testing.TB, url, method, id, cursor string, header ...string) *http.Request {
	t.Helper()
	if cursor != "" {
		cursor = `"cursor":"` + cursor + `",`
	}
	text := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + cursor + modernMeta + `}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i := range len(header) / 2 {
		r.Header.Set(header[2*i], header[2*i+1])
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
	r.Header.Set("Mcp-Method", method)
	return r
}

// listening serves the endpoint on loopback, and returns its address.
func (e *endpoint) listening(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(e)
	t.Cleanup(s.Close)
	return s.URL
}

// received is an answer over HTTP: its head, the length that it says, whether the
// transport has unpacked it, and the body.
type received struct {
	http.Header

	length   int64
	unpacked bool
	body     []byte
}

// do sends a request and reads the answer. The transport ends with the test.
func do(t testing.TB, transport *http.Transport, r *http.Request) received {
	t.Helper()
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := transport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return received{}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		t.Errorf("status %d, error %v: %.200s", resp.StatusCode, err, body)
	}
	return received{resp.Header, resp.ContentLength, resp.Uncompressed, body}
}
