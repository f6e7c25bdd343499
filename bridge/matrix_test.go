package bridge_test

import (
	"strings"
	"testing"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/services/library"
)

// sources are the ways to describe the sample services.
func sources(conn grpc.ClientConnInterface) map[string]descriptor.Source {
	set := descriptor.FileSetBytes("library.binpb", library.DescriptorSet())
	return map[string]descriptor.Source{
		"reflection": descriptor.Reflection(conn),
		"file set":   set,
		"protos":     descriptor.Files([]string{"../proto", "../proto/third_party"}, []string{"library/v1/library.proto"}),
		"registered": descriptor.Registered("library.v1.LibraryService"),
		"overlay":    descriptor.Overlay(descriptor.Reflection(conn), set),
	}
}

// TestMatrix makes the same calls in every revision, over both transports, with descriptors from every source.
func TestMatrix(t *testing.T) {
	t.Parallel()
	conn := startServices(t)
	for name, source := range sources(conn) {
		t.Run(name, func(t *testing.T) {
			b := newBridge(t, []bridge.Backend{{Conn: conn, Descriptors: source}})
			url := serveHTTP(t, b)
			for _, version := range revisions {
				t.Run(version+"/http", func(t *testing.T) { t.Parallel(); checkCalls(t, httpClient(t, url, version)) })
				t.Run(version+"/stdio", func(t *testing.T) { t.Parallel(); checkCalls(t, stdioClient(t, b, version)) })
			}
		})
	}
}

// checkCalls makes one call of each kind of outcome.
func checkCalls(t *testing.T, c *client) {
	t.Helper()
	got := c.call(t, "library_get_book", `{"name":"books/dune"}`)
	if got.IsError || !strings.Contains(got.Content[0].Text, `"name":"books/dune"`) {
		t.Errorf("get: %+v", got)
	}
	if structured := got.StructuredContent != nil; structured != (c.version >= "2025-06-18") {
		t.Errorf("get: structuredContent present: %v", structured)
	}
	if structured := string(got.StructuredContent); structured != "" && structured != got.Content[0].Text {
		t.Errorf("get: text %s and structuredContent %s differ", got.Content[0].Text, structured)
	}
	if want := map[bool]string{true: "complete"}[c.version == modern]; got.ResultType != want {
		t.Errorf("get: resultType %q, want %q", got.ResultType, want)
	}
	checkFailure(t, c, "library_get_book", `{"name":"books/none"}`, "NOT_FOUND", "outcome: executed")
	checkFailure(t, c, "library_get_book", `{"nam":"books/dune"}`, `"name"`, "outcome: not_executed")
	if r := c.request(t, "tools/call", map[string]any{"name": "library_get_bok", "arguments": map[string]any{}}); r.Error == nil ||
		r.Error.Code != -32602 {
		t.Errorf("an unknown tool was answered with %+v", r)
	}
	if r := c.request(t, "no/such", nil); r.Error == nil || r.Error.Code != -32601 {
		t.Errorf("an unknown method was answered with %+v", r)
	}
}

// checkFailure makes a call that must end as a tool error whose text holds all of want.
func checkFailure(t *testing.T, c *client, tool, arguments string, want ...string) {
	t.Helper()
	got := c.call(t, tool, arguments)
	if !got.IsError || got.StructuredContent != nil || len(got.Content) == 0 {
		t.Fatalf("%s %s: %+v is no tool error", tool, arguments, got)
	}
	for _, w := range want {
		if !strings.Contains(got.Content[0].Text, w) {
			t.Errorf("%s %s says %q, which lacks %q", tool, arguments, got.Content[0].Text, w)
		}
	}
}
