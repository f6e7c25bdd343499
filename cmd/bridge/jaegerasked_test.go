//go:build real

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// dearOrder is an order that the shop does not take without asking.
const dearOrder = `{"customer":"Ada","items":[{"sku":"DESK","quantity":2}]}`

// Spans of calls that have more to them than an answer, as in traceCase; %next is the id of the request after %id.
const (
	wasAsked = ` [input_required bridge.input.requests=1 bridge.input.round=1]`

	trackedSpans = `
client CLIENT %tool
 bridge SERVER tools/call %tool` + calledAttributes + ` link=POST /mcp` +
		` [progress bridge.progress=1 bridge.progress.total=4] [progress bridge.progress=2 bridge.progress.total=4]` +
		` [progress bridge.progress=3 bridge.progress.total=4] [progress bridge.progress=4 bridge.progress.total=4]
  bridge CLIENT orders.v1.OrderService/TrackOrder rpc.response.status_code=OK
   samples SERVER orders.v1.OrderService/TrackOrder rpc.response.status_code=OK`

	askingSpans = `
client CLIENT %tool
 bridge SERVER tools/call %tool` + calledAttributes + ` link=POST /mcp` + wasAsked + `
  bridge CLIENT orders.v1.OrderService/PlaceOrder rpc.response.status_code=FAILED_PRECONDITION
   samples SERVER orders.v1.OrderService/PlaceOrder rpc.response.status_code=FAILED_PRECONDITION`

	askedSpans = askingSpans + `
  bridge CLIENT orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK
   samples SERVER orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK`

	retriedSpans = askingSpans + `
  bridge SERVER tools/call %tool` + nextAttributes + ` link=POST /mcp
   bridge CLIENT orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK
    samples SERVER orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK`

	apartSpans = `
client CLIENT %tool
 bridge SERVER tools/call %tool` + calledAttributes + ` link=POST /mcp link=tools/call %tool
  bridge CLIENT orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK
   samples SERVER orders.v1.OrderService/PlaceOrder rpc.response.status_code=OK`

	taskSpans = `
client CLIENT %tool
 bridge SERVER tools/call %tool` + calledAttributes + ` link=POST /mcp
  bridge CLIENT orders.v1.OrderService/ExportOrders rpc.response.status_code=OK
   samples SERVER orders.v1.OrderService/ExportOrders rpc.response.status_code=OK
  bridge INTERNAL task %tool gen_ai.tool.name=%tool [progress]`

	pollSpans = `
   bridge CLIENT google.longrunning.Operations/GetOperation rpc.response.status_code=OK
    samples SERVER google.longrunning.Operations/GetOperation rpc.response.status_code=OK`

	nextAttributes = ` gen_ai.operation.name=execute_tool gen_ai.tool.name=%tool jsonrpc.request.id=%next mcp.method.name=tools/call` +
		` mcp.protocol.version=%version%session network.transport=%transport`
)

// checkAsked has the shop stream, ask and take its time over a connection.
func (j *jaegerTest) checkAsked(t *testing.T, c tracedClient) {
	t.Helper()
	t.Run("progress", func(t *testing.T) { j.checkProgress(t, c) })
	if c.version != "2026-07-28" {
		t.Run("asked", func(t *testing.T) { j.checkQuestion(t, c) })
		return
	}
	t.Run("asked", func(t *testing.T) { j.checkRetry(t, c) })
	t.Run("asked apart", func(t *testing.T) { j.checkRetryApart(t, c) })
	t.Run("task", func(t *testing.T) { j.checkTask(t, c) })
}

// checkProgress: what the client is told of a stream is on the span of its call.
func (j *jaegerTest) checkProgress(t *testing.T, c tracedClient) {
	t.Helper()
	r := j.begin(t, "order_track_order", `{"name":"orders/1001"}`)
	r.meta = `"progressToken":"way",`
	if body := c.ask(t, r); !strings.Contains(body, "ORDER_STATE_DELIVERED") {
		t.Errorf("tracked %s", body)
	}
	r.span.End()
	j.compare(t, c, r, trackedSpans)
}

// checkQuestion: a client that is asked while its call goes on has both calls of the backend in one span of its call.
func (j *jaegerTest) checkQuestion(t *testing.T, c tracedClient) {
	t.Helper()
	r := j.begin(t, "order_place_order", dearOrder)
	j.checkPlaced(t, c, r)
	r.span.End()
	j.compare(t, c, r, askedSpans)
}

// checkRetry: a call that is made again with the answers goes on with the trace of the first, where it names none itself.
func (j *jaegerTest) checkRetry(t *testing.T, c tracedClient) {
	t.Helper()
	r := j.begin(t, "order_place_order", dearOrder)
	state := j.checkAsks(t, c, r)
	j.asked++
	j.checkPlaced(t, c, tracedRequest{id: r.id + 1, tool: r.tool, arguments: r.arguments, params: state})
	r.span.End()
	j.compare(t, c, r, strings.ReplaceAll(retriedSpans, "%next", fmt.Sprint(r.id+1)))
}

// checkRetryApart: a call that is made again with the answers and is in another trace by then is linked to the first.
func (j *jaegerTest) checkRetryApart(t *testing.T, c tracedClient) {
	t.Helper()
	first := j.begin(t, "order_place_order", dearOrder)
	state := j.checkAsks(t, c, first)
	first.span.End()
	again := j.begin(t, first.tool, first.arguments)
	again.params = state
	j.checkPlaced(t, c, again)
	again.span.End()
	j.compare(t, c, first, askingSpans)
	j.compare(t, c, again, apartSpans)
	j.checkLinked(t, first.trace(), again.trace())
}

// checkLinked: a span of the second trace is linked to the first.
func (j *jaegerTest) checkLinked(t *testing.T, first, second string) {
	t.Helper()
	for _, s := range j.ask(t, second) {
		for _, l := range s.Links {
			if l.TraceID == first {
				return
			}
		}
	}
	t.Errorf("nothing is linked to trace %s", first)
}

// checkAsks makes a call that leads to a question, and returns what the next has to bring of it.
func (*jaegerTest) checkAsks(t *testing.T, c tracedClient, r tracedRequest) string {
	t.Helper()
	var answer struct {
		Result struct {
			ResultType   string `json:"resultType"`
			RequestState string `json:"requestState"`
		} `json:"result"`
	}
	if body := c.ask(t, r); json.Unmarshal([]byte(body), &answer) != nil || answer.Result.ResultType != "input_required" {
		t.Fatalf("the shop does not ask: %s", body)
	}
	return fmt.Sprintf(`"requestState":%q,"inputResponses":{"confirmation":%s},`, answer.Result.RequestState, agreed)
}

// checkPlaced makes a call that leads to an order, with what the user has answered.
func (*jaegerTest) checkPlaced(t *testing.T, c tracedClient, r tracedRequest) {
	t.Helper()
	if body := c.ask(t, r); !strings.Contains(body, `"structuredContent"`) || !strings.Contains(body, "ring twice") {
		t.Errorf("placed %s", body)
	}
}

// checkTask: what the bridge asks of an operation behind its answer is in the trace of the call that began it. How often it
// asks depends on how fast all is.
func (j *jaegerTest) checkTask(t *testing.T, c tracedClient) {
	t.Helper()
	r := j.begin(t, "order_export_orders", `{"customer":"Grace"}`)
	var began struct {
		Result struct {
			TaskID string `json:"taskId"`
		} `json:"result"`
	}
	if body := c.ask(t, r); json.Unmarshal([]byte(body), &began) != nil || began.Result.TaskID == "" {
		t.Fatalf("it is no task: %s", body)
	}
	r.span.End()
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		j.asked++
		body := c.ask(t, tracedRequest{id: j.asked + 1000, task: began.Result.TaskID})
		if strings.Contains(body, `"status":"completed"`) {
			break
		}
		if !strings.Contains(body, `"status":"working"`) || time.Now().After(deadline) {
			t.Fatalf("the task does not end well: %s", body)
		}
	}
	j.compareLongest(t, c, r, taskSpans+pollSpans, pollSpans)
}
