package bridge_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/orders"
)

// withTasks are the capabilities of a client that has tasks.
var withTasks = map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}}

// state is a task as tasks/get and the call that began it answer.
type state struct {
	ResultType    string          `json:"resultType"`
	TaskID        string          `json:"taskId"`
	Status        string          `json:"status"`
	StatusMessage string          `json:"statusMessage"`
	TTL           int             `json:"ttlMs"`
	PollInterval  int             `json:"pollIntervalMs"`
	Result        json.RawMessage `json:"result"`
}

// shopBridge is a bridge before a shop whose steps take so long.
func shopBridge(t *testing.T, step time.Duration, deadline time.Duration) *bridge.Bridge {
	t.Helper()
	conn := startServices(t, host.Described(orders.New(orders.WithStep(step)), orders.DescriptorSet()))
	return newBridge(t, []bridge.Backend{{Conn: conn, Deadline: deadline}},
		bridge.WithTasks(bridge.TaskOptions{TTL: time.Minute, PollInterval: 10 * time.Millisecond}))
}

// over returns a client of each transport.
func over(t *testing.T, b *bridge.Bridge, version string) map[string]*client {
	t.Helper()
	return map[string]*client{"http": httpClient(t, serveHTTP(t, b), version), "stdio": stdioClient(t, b, version)}
}

// task makes a request that answers with a task.
func (c *client) task(t *testing.T, method string, params map[string]any) state {
	t.Helper()
	r := c.request(t, method, params)
	if r.Error != nil {
		t.Fatalf("%s: %d %s", method, r.Error.Code, r.Error.Message)
	}
	var s state
	if err := json.Unmarshal(r.Result, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTasks: an operation is a task for a client that has tasks, until it is done; what it comes to is the tool's result.
func TestTasks(t *testing.T) {
	t.Parallel()
	b := shopBridge(t, 250*time.Millisecond, 0) // long enough to be asked for meanwhile
	for transport, c := range over(t, b, modern) {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			c.can = withTasks
			began := c.task(t, "tools/call", map[string]any{"name": "order_export_orders", "arguments": map[string]any{}})
			if began.ResultType != "task" || began.Status != "working" || began.TTL != 60_000 || began.PollInterval != 10 || len(began.TaskID) < 20 {
				t.Fatalf("began %+v", began)
			}
			seen := map[string]bool{}
			now := began
			for end := time.Now().Add(30 * time.Second); now.Status == "working" && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
				now = c.task(t, "tasks/get", map[string]any{"taskId": began.TaskID})
				seen[now.StatusMessage] = true
			}
			if now.Status != "completed" || now.ResultType != "complete" || !strings.Contains(string(now.Result), `orders/1001`) {
				t.Errorf("ended %+v: %s", now, now.Result)
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(said string) bool { return strings.Contains(said, `"total":2`) }) {
				t.Errorf("it said %v", seen)
			}
			if r := c.request(t, "tasks/cancel", map[string]any{"taskId": began.TaskID}); r.Error != nil {
				t.Errorf("cancelling what has ended: %v", r.Error)
			}
		})
	}
}

// TestTaskCancelled: a task that is given up is cancelled, and so is its operation.
func TestTaskCancelled(t *testing.T) {
	t.Parallel()
	b := shopBridge(t, time.Hour, 0)
	c := httpClient(t, serveHTTP(t, b), modern)
	c.can = withTasks
	began := c.task(t, "tools/call", map[string]any{"name": "order_export_orders", "arguments": map[string]any{}})
	if r := c.request(t, "tasks/cancel", map[string]any{"taskId": began.TaskID}); r.Error != nil {
		t.Fatal(r.Error)
	}
	if now := c.task(t, "tasks/get", map[string]any{"taskId": began.TaskID}); now.Status != "cancelled" {
		t.Errorf("it is %+v", now)
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		got := c.call(t, "operations_get_operation", `{"name":"operations/1"}`)
		if strings.Contains(string(got.StructuredContent), `"done":true`) && strings.Contains(string(got.StructuredContent), `"code":1`) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the operation goes on: %+v", got)
		}
	}
}

// TestTaskRefusals: who has no tasks is told so, and so is who asks for one that is not there.
func TestTaskRefusals(t *testing.T) {
	t.Parallel()
	c := httpClient(t, serveHTTP(t, shopBridge(t, time.Millisecond, 0)), modern)
	for _, method := range []string{"tasks/get", "tasks/cancel"} {
		if r := c.request(t, method, map[string]any{"taskId": "none"}); r.Error == nil || r.Error.Code != -32021 ||
			string(r.Error.Data) != `{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}` {
			t.Errorf("%s without the extension: %+v", method, r)
		}
	}
	c.can = withTasks
	for _, method := range []string{"tasks/get", "tasks/cancel", "tasks/update"} {
		params := map[string]any{"taskId": "none", "inputResponses": map[string]any{}}
		if r := c.request(t, method, params); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%s of none: %+v", method, r)
		}
	}
}

// TestOperationsWithoutTasks: who has no tasks waits for an operation as long as a call may last, and is then told its name
// and how to ask for it.
func TestOperationsWithoutTasks(t *testing.T) {
	t.Parallel()
	quick, slow := shopBridge(t, 5*time.Millisecond, 0), shopBridge(t, time.Hour, 300*time.Millisecond)
	for _, version := range revisions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			if got := httpClient(t, serveHTTP(t, quick), version).call(t, "order_export_orders", `{}`); got.IsError ||
				!strings.Contains(got.Content[0].Text, `"done":true`) {
				t.Errorf("a quick one: %+v", got)
			}
			got := httpClient(t, serveHTTP(t, slow), version).call(t, "order_export_orders", `{}`)
			if got.IsError || len(got.Content) != 2 || !strings.Contains(got.Content[0].Text, `"done":false`) ||
				!strings.Contains(got.Content[1].Text, `call operations_get_operation with {"name": "operations/`) {
				t.Errorf("a slow one: %+v", got)
			}
		})
	}
}
