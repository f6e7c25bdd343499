//go:build real

package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	testpb "google.golang.org/grpc/interop/grpc_testing"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
)

// realVersions are the newest revision of each era.
var realVersions = []string{"2025-11-25", "2026-07-28"}

// TestRealInterop has the server with which implementations of gRPC are held against each other, that of grpc-go, answer calls
// of each kind of method: what grpc/doc/interop-test-descriptions.md asks of a client, with the sizes that it names.
func TestRealInterop(t *testing.T) {
	url := startServe(t, "--backend", address(t, "INTEROP_GRPC"), "--plaintext", "--descriptor-set", interopSet(t))
	for _, version := range realVersions {
		t.Run(version, func(t *testing.T) {
			s := connectHTTP(t, url, version)
			t.Run("unary", func(t *testing.T) { checkInteropUnary(t, s) })
			t.Run("status", func(t *testing.T) { checkInteropStatus(t, s) })
			t.Run("streams", func(t *testing.T) { checkInteropStreams(t, s) })
		})
	}
	t.Run("deadline", checkInteropDeadline)
}

// interopSet writes the descriptors of the server, which has no reflection, into a file.
func interopSet(t *testing.T) string {
	t.Helper()
	file := testpb.File_grpc_testing_test_proto
	set := &descriptorpb.FileDescriptorSet{}
	for i := range file.Imports().Len() {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file.Imports().Get(i)))
	}
	set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	data, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "interop.binpb")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkInteropUnary is empty_unary and large_unary.
func checkInteropUnary(t *testing.T, s *mcp.ClientSession) {
	if got := callJSON(t, s, "test_empty_call", `{}`); len(got) != 0 {
		t.Errorf("an empty call answered %v", got)
	}
	got := callJSON(t, s, "test_unary_call", `{"responseSize":314159,"payload":`+payload(271828)+`}`)
	if n := bodySize(t, got); n != 314159 {
		t.Errorf("a payload of %d bytes", n)
	}
}

// checkInteropStatus is status_code_and_message, special_status_message and unimplemented_method.
func checkInteropStatus(t *testing.T, s *mcp.ClientSession) {
	const status = `"responseStatus":{"code":2,"message":"test status message"}`
	special := "test with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈"
	quoted, err := json.Marshal(special)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ tool, arguments, want string }{
		"unary": {"test_unary_call", `{` + status + `}`, "UNKNOWN: test status message"},
		"bidi":  {"test_full_duplex_call", `{"messages":[{` + status + `}]}`, "UNKNOWN: test status message"},
		"special": {
			"test_unary_call", `{"responseStatus":{"code":2,"message":` + string(quoted) + `}}`, "and Unicode BMP ☺ and non-BMP 😈",
		},
		"not there":         {"test_unimplemented_call", `{}`, "UNIMPLEMENTED"},
		"service not there": {"unimplemented_unimplemented_call", `{}`, "UNIMPLEMENTED"},
	} {
		if text := callError(t, s, c.tool, c.arguments); !strings.Contains(text, c.want) || !strings.Contains(text, "outcome: ") {
			t.Errorf("%s says %q, which lacks %q or the outcome", name, text, c.want)
		}
	}
	// Data that came before the error is not lost.
	result := call(t, s, "test_full_duplex_call", `{"messages":[{"responseParameters":[{"size":31415}]},{`+status+`}]}`)
	all := text(result)
	if !result.IsError || !strings.Contains(all, body(31415)) || !strings.Contains(all, "UNKNOWN: test status message") {
		t.Errorf("data and an error answered (isError=%t) %.200q", result.IsError, all)
	}
}

// checkInteropStreams is client_streaming, server_streaming, ping_pong and empty_stream, and ping_pong half-duplex.
func checkInteropStreams(t *testing.T, s *mcp.ClientSession) {
	requests, responses := []int{27182, 8, 1828, 45904}, []int{31415, 9, 2653, 58979}
	in, out, pings := make([]string, 4), make([]string, 4), make([]string, 4)
	for i := range requests {
		in[i] = `{"payload":` + payload(requests[i]) + `}`
		out[i] = fmt.Sprintf(`{"size":%d}`, responses[i])
		pings[i] = `{"responseParameters":[` + out[i] + `],"payload":` + payload(requests[i]) + `}`
	}
	if got := callJSON(t, s, "test_streaming_input_call", messages(in...)); got["aggregatedPayloadSize"] != 74922.0 {
		t.Errorf("the sum of the requests is %v", got)
	}
	wantSizes(t, callJSON(t, s, "test_streaming_output_call", `{"responseParameters":[`+strings.Join(out, ",")+`]}`), responses...)
	wantSizes(t, callJSON(t, s, "test_full_duplex_call", messages(pings...)), responses...)
	wantSizes(t, callJSON(t, s, "test_half_duplex_call", messages(pings...)), responses...)
	wantSizes(t, callJSON(t, s, "test_full_duplex_call", messages()))
}

// checkInteropDeadline is timeout_on_sleeping_server: what came before the deadline is the result.
func checkInteropDeadline(t *testing.T) {
	config := filepath.Join(t.TempDir(), "bridge.yaml")
	writeConfig(t, config, `backends:
  - target: `+address(t, "INTEROP_GRPC")+`
    plaintext: {}
    deadline: 1s
    descriptors: {files: {descriptor_set: `+interopSet(t)+`}}
`)
	s := connectHTTP(t, startServe(t, "--config", config), "2026-07-28")
	got := callJSON(t, s, "test_streaming_output_call", `{"responseParameters":[{"size":9},{"size":9,"intervalUs":30000000}]}`)
	wantSizes(t, got, 9)
	if got["truncated"] != true || got["reason"] != "deadline" {
		t.Errorf("at its deadline a stream came to %v", got)
	}
	sleeps := `{"messages":[{"payload":` + payload(27182) + `,"responseParameters":[{"size":9,"intervalUs":30000000}]}]}`
	if text := callError(t, s, "test_full_duplex_call", sleeps); !strings.Contains(text, "DEADLINE_EXCEEDED") {
		t.Errorf("at its deadline a stream without data says %s", text)
	}
}

// TestRealRouteGuide drives the example of gRPC's tutorials, described by its source: each kind of method, and a list that
// is longer than what a result may have.
func TestRealRouteGuide(t *testing.T) {
	backend, path := address(t, "ROUTEGUIDE_GRPC"), address(t, "ROUTEGUIDE_PROTO_PATH")
	url := startServe(t, "--backend", backend, "--plaintext", "--proto-path", path, "--proto", "route_guide.proto")
	for i, version := range realVersions {
		t.Run(version, func(t *testing.T) { checkRouteGuide(t, connectHTTP(t, url, version), i+1) })
	}
	t.Run("bound", func(t *testing.T) {
		config := filepath.Join(t.TempDir(), "bridge.yaml")
		writeConfig(t, config, `backends:
  - target: `+backend+`
    plaintext: {}
    descriptors: {files: {proto_paths: [`+path+`], protos: [route_guide.proto]}}
limits: {max_stream_messages: 7}
`)
		s := connectHTTP(t, startServe(t, "--config", config), "2026-07-28")
		got := callJSON(t, s, "route_guide_list_features", everywhere)
		if len(items(t, got)) != 7 || got["truncated"] != true || got["reason"] != "messages" || got["left"] == "" {
			t.Errorf("at its bound a list came to %v", got)
		}
	})
}

// everywhere is a rectangle that has all features of the example in it.
const everywhere = `{"lo":{"latitude":400000000,"longitude":-750000000},"hi":{"latitude":420000000,"longitude":-730000000}}`

// checkRouteGuide makes a call of each kind. Notes stay where they were left: each client leaves its own at another place.
func checkRouteGuide(t *testing.T, s *mcp.ClientSession, place int) {
	t.Helper()
	const trail = "Berkshire Valley Management Area Trail, Jefferson, NJ, USA"
	if got := callJSON(t, s, "route_guide_get_feature", `{"latitude":409146138,"longitude":-746188906}`); got["name"] != trail {
		t.Errorf("there is %v", got)
	}
	listed := callJSON(t, s, "route_guide_list_features", everywhere)
	if found := items(t, listed); len(found) != 100 || listed["truncated"] != nil || !strings.Contains(fmt.Sprint(found), trail) {
		t.Errorf("%d features: %v", len(found), listed)
	}
	route := callJSON(t, s, "route_guide_record_route", messages(`{"latitude":407838351,"longitude":-746143763}`,
		`{"latitude":408122808,"longitude":-743999179}`, `{"latitude":1,"longitude":1}`))
	if route["pointCount"] != 3.0 || route["featureCount"] != 2.0 || route["distance"] == 0.0 {
		t.Errorf("the route is %v", route)
	}
	note := func(text string) string {
		return fmt.Sprintf(`{"location":{"latitude":%d,"longitude":%d},"message":%q}`, place, os.Getpid(), text)
	}
	chat := items(t, callJSON(t, s, "route_guide_route_chat", messages(note("first"), note("second"))))
	var said []any
	for _, item := range chat {
		said = append(said, item["message"])
	}
	if fmt.Sprint(said) != "[first first second]" {
		t.Errorf("the notes are %v", said)
	}
}

// messages are the arguments of a method whose requests stream.
func messages(each ...string) string { return `{"messages":[` + strings.Join(each, ",") + `]}` }

// body is so many zero bytes, as JSON has them.
func body(size int) string { return base64.StdEncoding.EncodeToString(make([]byte, size)) }

func payload(size int) string { return `{"body":"` + body(size) + `"}` }

// items are those of a result that was collected.
func items(t *testing.T, result map[string]any) (found []map[string]any) {
	t.Helper()
	list, ok := result["items"].([]any)
	if !ok {
		t.Fatalf("a result without items: %v", result)
	}
	for _, item := range list {
		found = append(found, item.(map[string]any))
	}
	return found
}

// bodySize is the size of the payload of a response.
func bodySize(t *testing.T, response map[string]any) int {
	t.Helper()
	p, _ := response["payload"].(map[string]any)
	encoded, _ := p["body"].(string)
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}

func wantSizes(t *testing.T, result map[string]any, want ...int) {
	t.Helper()
	var got []int
	for _, item := range items(t, result) {
		got = append(got, bodySize(t, item))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("payloads of %v bytes, want %v", got, want)
	}
}

// text is all that a result says.
func text(result *mcp.CallToolResult) string {
	var all strings.Builder
	for _, block := range result.Content {
		if t, ok := block.(*mcp.TextContent); ok {
			all.WriteString(t.Text)
		}
	}
	return all.String()
}

func writeConfig(t *testing.T, path, config string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}
