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
		documents[r.version].valid(t, r.version, "ProgressNotification",
			(&mcp.Progress{Token: []byte("7"), Progress: 1e21}).AppendNotification(nil, r.features))
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
	for i, status := range []mcp.TaskStatus{mcp.TaskWorking, mcp.TaskInputRequired, mcp.TaskCompleted, mcp.TaskFailed, mcp.TaskCancelled} {
		task := task
		task.Status = status
		task.TTL = time.Duration(i-2) * time.Minute // without a limit too
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

// TestTaskTTL: how long a task is kept is a number of milliseconds, and null where there is no limit.
func TestTaskTTL(t *testing.T) {
	t.Parallel()
	for ttl, want := range map[time.Duration]string{
		time.Hour: "3600000", 1500 * time.Microsecond: "1", time.Millisecond: "1", 0: "null", -time.Second: "null",
	} {
		task := mcp.Task{ID: "i", Status: mcp.TaskWorking, TTL: ttl}
		for name, data := range map[string][]byte{"created": task.AppendCreated(nil, nil), "got": task.AppendJSON(nil, newest, nil)} {
			if got, _ := jsonrpc.Find(data, "ttlMs"); string(got) != want {
				t.Errorf("%v, %s: ttlMs is %s, want %s", ttl, name, got, want)
			}
		}
	}
}

// TestSampleResults: what a revision's schema allows as the answer of a client's model is read, and nothing is read that none
// of them allows. An array of blocks is of 2025-11-25 and later; it is read in every revision, where it has no other meaning.
func TestSampleResults(t *testing.T) {
	t.Parallel()
	const one = `{"type":"text","text":"a"}`
	documents := schemas(t)
	for name, data := range map[string]string{
		"a block":              `{"role":"assistant","model":"m","content":` + one + `}`,
		"a reason":             `{"role":"user","model":"m","stopReason":"endTurn","content":` + one + `}`,
		"an empty reason":      `{"role":"user","model":"m","stopReason":"","content":` + one + `}`,
		"a reason of its own":  `{"role":"assistant","model":"m","stopReason":"vendor/tired","content":` + one + `}`,
		"a null reason":        `{"role":"assistant","model":"m","stopReason":null,"content":` + one + `}`,
		"a number as reason":   `{"role":"assistant","model":"m","stopReason":1,"content":` + one + `}`,
		"two blocks":           `{"role":"assistant","model":"m","content":[` + one + `,` + one + `]}`,
		"no blocks":            `{"role":"assistant","model":"m","content":[]}`,
		"null as content":      `{"role":"assistant","model":"m","content":null}`,
		"null as a block":      `{"role":"assistant","model":"m","content":[null]}`,
		"a text as content":    `{"role":"assistant","model":"m","content":"a"}`,
		"no content":           `{"role":"assistant","model":"m"}`,
		"no model":             `{"role":"assistant","content":` + one + `}`,
		"null as model":        `{"role":"assistant","model":null,"content":` + one + `}`,
		"an empty model":       `{"role":"assistant","model":"","content":` + one + `}`,
		"no role":              `{"model":"m","content":` + one + `}`,
		"a role of others":     `{"role":"system","model":"m","content":` + one + `}`,
		"an array":             `[]`,
		"members of its own":   `{"role":"user","model":"m","content":` + one + `,"x":1,"_meta":{}}`,
		"resultType (MRTR)":    `{"role":"user","model":"m","content":` + one + `,"resultType":"complete"}`,
		"a use of a tool":      `{"role":"assistant","model":"m","content":{"type":"tool_use","id":"i","name":"n","input":{}}}`,
		"two uses of one tool": `{"role":"assistant","model":"m","content":[{"type":"tool_use","id":"i","name":"n","input":{}},` + one + `]}`,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		_, err = mcp.ParseSampleResult([]byte(data))
		allowed := false
		for version, d := range documents {
			schema, _, broken := d.definition(version, "CreateMessageResult")
			if broken != nil {
				t.Fatal(broken)
			}
			allowed = allowed || schema.Validate(value) == nil
		}
		if allowed != (err == nil) {
			t.Errorf("%s: allowed by a schema: %t, read: %v", name, allowed, err)
		}
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
