package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/longrunning/autogen/longrunningpb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
)

// ended waits for the end of a task.
func (c *client) ended(t *testing.T, began state) state {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		now := c.task(t, "tasks/get", map[string]any{"taskId": began.TaskID})
		if now.Status != "working" {
			return now
		}
		if time.Now().After(end) {
			t.Fatalf("the task goes on: %+v", now)
		}
	}
}

// quickPolls are tasks that are asked for often.
func quickPolls(o bridge.TaskOptions) bridge.Option {
	o.PollInterval = 10 * time.Millisecond
	return bridge.WithTasks(o)
}

// TestOperationLost: of an operation that the backend has begun and then does not tell about, nobody says that it was not, nor
// that it may be begun once more.
func TestOperationLost(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]error{
		"vanished":      status.Error(codes.NotFound, "no such operation"),
		"no operations": status.Error(codes.Unimplemented, "unknown service google.longrunning.Operations"),
		"forbidden":     status.Error(codes.PermissionDenied, "not for you"),
		"aborted":       status.Error(codes.Aborted, "not now"),
		"exhausted":     status.Error(codes.ResourceExhausted, "slowly"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, backend := startJobs(t, func(_ context.Context, method string) (proto.Message, error) {
				if method == "Start" {
					return &longrunningpb.Operation{Name: "operations/7"}, nil
				}
				return nil, lost
			})
			url := serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{})))
			waits, tasks := httpClient(t, url, "2025-11-25"), httpClient(t, url, modern)
			tasks.can = withTasks
			now := tasks.ended(t, tasks.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}}))
			for era, text := range map[string]string{"legacy": waits.call(t, "job_start", `{}`).Content[0].Text, "task": string(now.Result)} {
				if !strings.Contains(text, "outcome: executed") || !strings.Contains(text, "retry: no") || !strings.Contains(text, "operations/7") {
					t.Errorf("%s: %s", era, text)
				}
			}
		})
	}
}

// TestOperationAskedAgain: what passes does not end the asking: a quota without room, no answer within the backend's deadline,
// and a backend that says when to come again.
func TestOperationAskedAgain(t *testing.T) {
	t.Parallel()
	invited, err := status.New(codes.Aborted, "come again").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		first func(ctx context.Context) error
		quota bridge.Quota
	}{
		"quota":   {func(context.Context) error { return nil }, bridge.Quota{PerSecond: 5, Burst: 1}},
		"hangs":   {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, bridge.Quota{}},
		"invites": {func(context.Context) error { return invited.Err() }, bridge.Quota{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			_, backend := startJobs(t, func(ctx context.Context, method string) (proto.Message, error) {
				if method == "GetOperation" && asked.Add(1) == 1 {
					if err := c.first(ctx); err != nil {
						return nil, err
					}
				}
				return &longrunningpb.Operation{Name: "operations/7", Done: method != "Start"}, nil
			})
			backend.Deadline, backend.Quota = time.Second, c.quota
			client := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}))), modern)
			client.can = withTasks
			now := client.ended(t, client.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}}))
			if now.Status != "completed" || strings.Contains(string(now.Result), "isError") {
				t.Errorf("got %+v: %s", now, now.Result)
			}
		})
	}
}

// TestOperationRenamed: an operation is asked for by the name under which it was begun, whatever it is called later.
func TestOperationRenamed(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	j, backend := startJobs(t, func(_ context.Context, method string) (proto.Message, error) {
		if method == "Start" {
			return &longrunningpb.Operation{Name: "operations/7"}, nil
		}
		return &longrunningpb.Operation{Name: "operations/8", Done: asked.Add(1) == 3}, nil
	})
	b := newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}))
	httpClient(t, serveHTTP(t, b), "2025-11-25").call(t, "job_start", `{}`)
	j.mu.Lock()
	defer j.mu.Unlock()
	if diff := cmp.Diff([]string{"operations/7", "operations/7", "operations/7"}, j.named); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
}

// TestOperationWithoutRoom: an operation for which there is no room as a task has begun all the same.
func TestOperationWithoutRoom(t *testing.T) {
	t.Parallel()
	_, backend := startJobs(t, func(context.Context, string) (proto.Message, error) {
		return &longrunningpb.Operation{Name: "operations/7"}, nil
	})
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{Max: 1}))), modern)
	c.can = withTasks
	start := map[string]any{"name": "job_start", "arguments": map[string]any{}}
	c.task(t, "tools/call", start)
	r := c.request(t, "tools/call", start)
	if r.Error == nil || !strings.Contains(r.Error.Message, "operations/7") || string(r.Error.Data) != `{"outcome":"executed"}` {
		t.Errorf("got %+v", r.Error)
	}
}

// TestTaskOfChangedState: what a request brings that is not for it is refused before there is a task.
func TestTaskOfChangedState(t *testing.T) {
	t.Parallel()
	j, backend := startJobs(t, func(context.Context, string) (proto.Message, error) { return &emptypb.Empty{}, nil })
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend})), modern)
	c.can = withTasks
	r := c.request(t, "tools/call", map[string]any{"name": "job_work", "arguments": json.RawMessage(`{}`), "requestState": "forged"})
	if r.Error == nil || r.Error.Code != -32602 || j.called("Work") != 0 {
		t.Errorf("got %+v %s, and %d calls", r.Error, r.Result, j.called("Work"))
	}
}

// TestTaskOfAnswers: answers to what was asked before there was a task are those of the task.
func TestTaskOfAnswers(t *testing.T) {
	t.Parallel()
	_, backend := startJobs(t, func(ctx context.Context, _ string) (proto.Message, error) {
		if !ask.FromContext(ctx).Has("where") {
			return nil, ask.Require(ask.Roots("where"))
		}
		return &emptypb.Empty{}, nil
	})
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}))), modern)
	c.can = map[string]any{"roots": map[string]any{}}
	work := map[string]any{"name": "job_work", "arguments": map[string]any{}}
	var asked struct{ ResultType, RequestState string }
	if r := c.request(t, "tools/call", work); json.Unmarshal(r.Result, &asked) != nil || asked.ResultType != "input_required" {
		t.Fatalf("got %s", r.Result)
	}
	c.can["extensions"] = withTasks["extensions"]
	for name, state := range map[string]string{"to what was asked": asked.RequestState, "to what is known": ""} {
		work["requestState"], work["inputResponses"] = state, map[string]any{"where": map[string]any{"roots": []any{}}}
		if now := c.ended(t, c.task(t, "tools/call", work)); now.Status != "completed" {
			t.Errorf("%s: %+v", name, now)
		}
	}
}

// TestTaskLeft: a task that is given up is no fault of the bridge, and not logged as one; its operation is cancelled once.
func TestTaskLeft(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	j, backend := startJobs(t, func(context.Context, string) (proto.Message, error) {
		return &longrunningpb.Operation{Name: "operations/7"}, nil
	})
	b := newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}), bridge.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	c := httpClient(t, serveHTTP(t, b), modern)
	c.can = withTasks
	began := c.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}})
	var all sync.WaitGroup
	for range 3 {
		own := *c
		all.Go(func() { own.request(t, "tasks/cancel", map[string]any{"taskId": began.TaskID}) })
	}
	all.Wait()
	for end := time.Now().Add(30 * time.Second); j.called("CancelOperation") == 0 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := j.called("CancelOperation"); n != 1 || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("cancelled %d times; the log is %s", n, log.String())
	}
}

// TestOperationAfterQuestion: the deadline of a call whose client takes long to answer counts from the call that has the answer.
func TestOperationAfterQuestion(t *testing.T) {
	t.Parallel()
	deadline := 500 * time.Millisecond
	_, backend := startJobs(t, func(ctx context.Context, method string) (proto.Message, error) {
		if method == "Start" && !ask.FromContext(ctx).Has("where") {
			return nil, ask.Require(ask.Roots("where"))
		}
		return &longrunningpb.Operation{Name: "operations/7", Done: method != "Start"}, nil
	})
	backend.Deadline = deadline
	b := newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}))
	in, out := io.Pipe()
	from, to := io.Pipe()
	var serving sync.WaitGroup
	serving.Go(func() { _ = b.ServeStdio(t.Context(), in, to) })
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},` +
			`"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"job_start","arguments":{}}}`,
	} {
		if _, err := io.WriteString(out, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	var last string
	for lines := bufio.NewScanner(from); !strings.Contains(last, `"id":2`) && lines.Scan(); {
		last = lines.Text()
		if _, id, ok := strings.Cut(last, `"id":"`); ok {
			id, _, _ = strings.Cut(id, `"`)
			time.Sleep(deadline + 100*time.Millisecond)
			_, _ = fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%q,"result":{"roots":[]}}`+"\n", id)
		}
	}
	if !strings.Contains(last, `"done":true`) {
		t.Error(last)
	}
	_ = out.Close()
	serving.Wait()
}
