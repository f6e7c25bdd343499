package mcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// form is a question to a user.
var form = mcp.ElicitParams{Message: "m", RequestedSchema: []byte(`{"type":"object","properties":{"a":{"type":"boolean"}}}`)}

// sample is a question to a model with all that there can be.
func sample() *mcp.SampleParams {
	warm := 0.25
	return &mcp.SampleParams{
		Messages: []mcp.PromptMessage{
			{Content: mcp.Content{Kind: mcp.ContentText, Text: "t"}},
			{Role: mcp.RoleAssistant, Content: mcp.Content{Kind: mcp.ContentImage, Data: []byte{1}, MimeType: "image/png"}},
		},
		SystemPrompt: "s", MaxTokens: 7, Temperature: &warm, StopSequences: []string{"x"}, ModelHints: []string{"h", "i"},
	}
}

// TestQuestionsAreValidInEveryRevision holds the requests of servers against the official schemas of the revisions that have
// them.
func TestQuestionsAreValidInEveryRevision(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	id := jsonrpc.StringID("q")
	for _, r := range revisions {
		d := documents[r.version]
		request := func(method string, params []byte) []byte {
			if r.features.Modern { // where it is no request of its own
				return []byte(`{"method":"` + method + `","params":` + string(params) + `}`)
			}
			return jsonrpc.AppendRequest(nil, id, method, params)
		}
		d.conforms(t, r.version, "CreateMessageRequest", request(mcp.MethodSample, sample().AppendJSON(nil, r.features)))
		if !r.features.Elicitation {
			continue
		}
		d.conforms(t, r.version, "ElicitRequest", request(mcp.MethodElicit, form.AppendJSON(nil, r.features)))
		if r.features.URLElicitation {
			page := mcp.ElicitParams{Message: "m", URL: "https://example.com/a", ElicitationID: "e"}
			d.conforms(t, r.version, "ElicitRequest", request(mcp.MethodElicit, page.AppendJSON(nil, r.features)))
		}
	}
	asks := mcp.InputRequiredResult{
		Requests: []mcp.InputRequest{
			{Key: "f", Method: mcp.MethodElicit, Params: form.AppendJSON(nil, newest)},
			{Key: "s", Method: mcp.MethodSample, Params: sample().AppendJSON(nil, newest)},
			{Key: "r", Method: mcp.MethodListRoots},
		},
		State: "sealed", Meta: meta(newest),
	}
	documents[mcp.V20260728].conforms(t, mcp.V20260728, "InputRequiredResult", asks.AppendJSON(nil))
	again := mcp.InputRequiredResult{State: "sealed"}
	documents[mcp.V20260728].valid(t, mcp.V20260728, "InputRequiredResult", again.AppendJSON(nil))
	if want, got := `{"resultType":"input_required","requestState":"sealed"}`, string(again.AppendJSON(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestProgress: notifications/progress, in each revision and with all that there can be.
func TestProgress(t *testing.T) {
	t.Parallel()
	documents := schemas(t)
	total := 4.0
	p := mcp.Progress{Token: []byte(`"t"`), Progress: 0.5, Total: &total, Message: "half"}
	for _, r := range revisions {
		documents[r.version].valid(t, r.version, "ProgressNotification", p.AppendNotification(nil, r.features))
		documents[r.version].valid(t, r.version, "ProgressNotification", (&mcp.Progress{Token: []byte("7"), Progress: 1e21}).AppendNotification(nil, r.features))
	}
	want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":0.5,"total":4,"message":"half"}}`
	if diff := cmp.Diff(want, string(p.AppendNotification(nil, newest))); diff != "" {
		t.Error(diff)
	}
}

// TestTasks holds all forms of a task against the extension's own schema.
func TestTasks(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 28, 1, 2, 3, 4e6, time.FixedZone("", 3600))
	task := mcp.Task{ID: "i", StatusMessage: "m", CreatedAt: at, LastUpdatedAt: at, TTL: time.Minute, PollInterval: time.Second}
	compiler := jsonschema.NewCompiler()
	check := func(definition string, data []byte) {
		t.Helper()
		schema, err := compiler.Compile(official + "ext-tasks.json#/$defs/" + definition)
		if err != nil {
			t.Skipf("the official schema is not there: %v", err)
		}
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s is no %s: %v", data, definition, err)
		}
	}
	for _, status := range []mcp.TaskStatus{mcp.TaskWorking, mcp.TaskInputRequired, mcp.TaskCompleted, mcp.TaskFailed, mcp.TaskCancelled} {
		task := task
		task.Status = status
		task.Result, task.Error = []byte(`{"content":[],"resultType":"complete"}`), []byte(`{"code":-32603,"message":"m"}`)
		task.Requests = []mcp.InputRequest{{Key: "k", Method: mcp.MethodElicit, Params: form.AppendJSON(nil, newest)}}
		check("CreateTaskResult", task.AppendCreated(nil, meta(newest)))
		check("GetTaskResult", task.AppendJSON(nil, newest, meta(newest)))
		check("TaskStatusNotification", task.AppendNotification(nil, nil))
	}
	task.Status = mcp.TaskWorking
	want := `{"resultType":"task","taskId":"i","status":"working","statusMessage":"m","createdAt":"2026-07-28T00:02:03.004Z",` +
		`"lastUpdatedAt":"2026-07-28T00:02:03.004Z","ttlMs":60000,"pollIntervalMs":1000}`
	if diff := cmp.Diff(want, string(task.AppendCreated(nil, nil))); diff != "" {
		t.Error(diff)
	}
}

// TestAskingParams: params of the wrong shape are -32602 and say which member it is.
func TestAskingParams(t *testing.T) {
	t.Parallel()
	retry := func(params string) *jsonrpc.Error {
		_, err := mcp.ParseRetry(jsonrpc.ObjectOf([]byte(params)))
		return err
	}
	update := func(params string) *jsonrpc.Error {
		_, _, err := mcp.ParseUpdateTask(jsonrpc.ObjectOf([]byte(params)))
		return err
	}
	for params, c := range map[string]struct {
		parse func(string) *jsonrpc.Error
		want  string
	}{
		`{}`: {retry, ""},
		`{"inputResponses":null,"requestState":null}`: {retry, ""},
		`{"inputResponses":{},"requestState":""}`:     {retry, ""},
		`{"inputResponses":[]}`:                       {retry, "inputResponses"},
		`{"requestState":1}`:                          {retry, "requestState"},
		`{"inputResponses":{}}`:                       {update, "taskId"},
		`{"taskId":"a","inputResponses":1}`:           {update, "inputResponses"},
		`{"taskId":"a","inputResponses":{"k":1}}`:     {update, ""},
	} {
		err := c.parse(params)
		if (err == nil) != (c.want == "") || err != nil && (err.Code != jsonrpc.CodeInvalidParams || !strings.Contains(err.Message, c.want)) {
			t.Errorf("%s: %v, want %q", params, err, c.want)
		}
	}
}
