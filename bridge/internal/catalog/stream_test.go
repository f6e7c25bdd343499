package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
)

// streams are methods of all kinds, whose messages hold progress, logs and answers.
const streams = `
	message Ask { string name = 1 [(google.api.field_behavior) = REQUIRED]; bridge.v1.InputResponses answers = 2;
		repeated bridge.v1.InputResponses more = 3; map<string, bridge.v1.InputResponses> most = 4; }
	message Told {
		string text = 1;
		oneof event { bridge.v1.Progress progress = 2; bridge.v1.Log log = 3; string note = 4; }
		bridge.v1.Progress kept = 5;
	}
	service S {
		rpc Unary(Ask) returns (Told);
		// Tells all.
		rpc Server(Ask) returns (stream Told) { option (bridge.v1.method).stream = { max_messages: 3 max_bytes: 4 }; }
		// Takes all.
		rpc Client(stream Ask) returns (Told);
		rpc Bidi(stream Ask) returns (stream Told);
		// Tells the end.
		rpc Last(Ask) returns (stream Told) { option (bridge.v1.method).stream.last_only = true; }
		rpc Steps(Ask) returns (stream bridge.v1.Progress);
	}`

// TestStreams: how messages stand in arguments and results, with neither events nor answers among them.
func TestStreams(t *testing.T) {
	t.Parallel()
	const (
		ask  = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`
		asks = `{"type":"object","properties":{"messages":{"type":"array","description":"The messages to send, in order.","items":` + ask +
			`}},"required":["messages"]}`
		kept = `"kept":{"type":"object","properties":{"progress":{"type":["number","string"]},"total":{"type":["number","string"]},` +
			`"message":{"type":"string"}}}`
		told   = `{"type":"object","properties":{"text":{"type":"string"},"note":{"type":"string"},` + kept + `}}`
		ending = `},"truncated":{"type":"boolean"},"reason":{"type":"string"},"left":{"type":"string"}}}`
		list   = `{"type":"object","properties":{"items":{"type":"array","items":`
	)
	c := compile(t, catalog.Options{}, annotated(t, "b", streams))
	silent(t, c)
	for _, want := range []struct{ tool, stream, required, input, output, ends string }{
		{
			"s_server", "client=false server=true last=false messages=3 bytes=4 events=true", "name", ask, list + told + ending,
			"Tells all. Returns a list of Told.",
		},
		{
			"s_client", "client=true server=false last=false messages=0 bytes=0 events=false", "messages", asks, "",
			"Takes all. Takes a list of Ask.",
		},
		{
			"s_bidi", "client=true server=true last=false messages=0 bytes=0 events=true", "messages", asks, list + told + ending,
			"each has name (required). Returns a list of Told.",
		},
		{
			"s_last", "client=false server=true last=true messages=0 bytes=0 events=true", "name", ask, told,
			"Tells the end. Returns the last Told.",
		},
		{
			"s_steps", "client=false server=true last=false messages=0 bytes=0 events=true", "name", ask,
			list + `{"type":"object","properties":{}}` + ending, "Returns a list of Progress.",
		},
		{"s_unary", "unary", "name", ask, "", "Returns Told."},
	} {
		made := tool(t, c, want.tool)
		output := string(made.Definition.OutputSchema)
		if want.output == "" {
			want.output = output
		}
		got := []string{
			made.Stream.String(), strings.Join(made.Required, " "), string(made.Definition.InputSchema), output, string(made.FullInput()),
		}
		if diff := cmp.Diff([]string{want.stream, want.required, want.input, want.output, want.input}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.tool, diff)
		}
		if !strings.HasSuffix(made.Definition.Description, want.ends) {
			t.Errorf("%s is described as %q", want.tool, made.Definition.Description)
		}
		if made.Responses == nil || made.Responses.Name() != "answers" {
			t.Errorf("%s has its answers in %v", want.tool, made.Responses)
		}
		if _, err := made.Codec.AppendWire(nil, []byte(`{"name":"x","answers":{}}`)); err == nil ||
			strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s lets a client give answers: %v", want.tool, err)
		}
	}
}

// TestStreamDefinitionsOfRich: definitions that items refer to stand at the root.
func TestStreamDefinitionsOfRich(t *testing.T) {
	t.Parallel()
	source := annotated(t, "b", `
		message Tree { string name = 1; Tree left = 2; Tree right = 3; }
		service S { rpc Grow(stream Tree) returns (stream Tree); }`)
	source.Profile = schema.Rich
	made := tool(t, compile(t, catalog.Options{}, source), "s_grow").Definition
	for _, s := range []string{string(made.InputSchema), string(made.OutputSchema)} {
		if defs := strings.Index(s, `,"$defs":{"Tree":`); defs < 0 || strings.LastIndex(s[:defs], `"items":`) < 0 ||
			strings.Count(s, "$defs\":{") != 1 {
			t.Errorf("the schema is %s", s)
		}
	}
	if !strings.Contains(string(made.InputSchema), `"required":["messages"],"additionalProperties":false,"$defs"`) {
		t.Errorf("the input schema is %s", made.InputSchema)
	}
}

// TestStreamFaults: options that do nothing are told.
func TestStreamFaults(t *testing.T) {
	t.Parallel()
	c := compile(t, catalog.Options{}, annotated(t, "b", `
		message M { string region = 1 [(bridge.v1.field).header = "Region"]; }
		service S {
			rpc Unary(M) returns (M) { option (bridge.v1.method).stream.last_only = true; }
			rpc Client(stream M) returns (M) { option (bridge.v1.method).stream.max_bytes = 5; }
			rpc Bound(M) returns (stream M) { option (bridge.v1.method).stream.max_messages = -1; }
			rpc Prompt(M) returns (M) { option (bridge.v1.method) = { prompt {} stream {} task: TASK_MODE_OPTIONAL }; }
		}`))
	for _, words := range [][]string{
		{"S.Unary: stream does nothing"},
		{"S.Client: stream does nothing"},
		{"S.Client: ", "test.M.region", "messages of a stream"},
		{"S.Bound: stream.max_messages is ignored: it is -1"},
		{"S.Prompt: stream does nothing"},
		{"S.Prompt: task does nothing"},
	} {
		told(t, c, catalog.Ignored, words...)
	}
	if params := tool(t, c, "s_client").HeaderParams; params != nil {
		t.Errorf("headers repeat %v", params)
	}
}

// operations are methods that return operations, or what is called so.
const operations = `
	syntax = "proto3"; package google.longrunning;
	import "bridge/v1/annotations.proto"; import "google/protobuf/any.proto"; import "google/rpc/status.proto";
	message M {}
	message Operation {
		string name = 1; google.protobuf.Any metadata = 2; bool done = 3;
		oneof result { google.rpc.Status error = 4; google.protobuf.Any response = 5; }
	}
	service S {
		rpc Plain(M) returns (M);
		rpc Marked(M) returns (M) { option (bridge.v1.method).task = TASK_MODE_REQUIRED; }
		rpc Long(M) returns (Operation);
		rpc Waited(M) returns (Operation) { option (bridge.v1.method).task = TASK_MODE_NEVER; }
		rpc Many(M) returns (stream Operation);
	}`

// TestTasks: types and options say what is a task, and nothing of it is in what clients are shown.
func TestTasks(t *testing.T) {
	t.Parallel()
	set := load(t, filesIn(writeProto(t, operations), "../../../proto"))
	c := compile(t, catalog.Options{}, catalog.Source{Backend: named(t, "b"), Set: set})
	silent(t, c)
	for name, want := range map[string]struct {
		mode      catalog.TaskMode
		operation bool
	}{
		"s_plain": {catalog.Never, false}, "s_marked": {catalog.Required, false}, "s_long": {catalog.Optional, true},
		"s_waited": {catalog.Never, true}, "s_many": {catalog.Never, false},
	} {
		made := tool(t, c, name)
		if made.Task != want.mode || made.Operation != want.operation {
			t.Errorf("%s: task %v, operation %v", name, made.Task, made.Operation)
		}
		for revision, f := range revisions {
			if wire := string((&made.Definition).AppendJSON(nil, f)); strings.Contains(wire, "execution") || strings.Contains(wire, "taskSupport") {
				t.Errorf("%s in %s is %s", name, revision, wire)
			}
		}
	}
}
