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
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/ask"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
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

// fullOfTasks is a client with tasks of a bridge that has room for no further one. What it calls has no result but Work.
func fullOfTasks(t *testing.T) (*jobs, *client) {
	t.Helper()
	j, backend := startJobs(t, func(_ context.Context, method string) (proto.Message, error) {
		if method == "Work" {
			return &emptypb.Empty{}, nil
		}
		return &longrunningpb.Operation{Name: "operations/7"}, nil
	})
	backend.Deadline = 300 * time.Millisecond
	c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{Max: 1}))), modern)
	c.can = withTasks
	c.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}})
	return j, c
}

// TestOperationWithoutRoom: an operation for which there is no room as a task is waited for, and told of as to who has none.
func TestOperationWithoutRoom(t *testing.T) {
	t.Parallel()
	_, c := fullOfTasks(t)
	got := c.call(t, "job_start", `{}`)
	if got.IsError || len(got.Content) != 2 || !strings.Contains(got.Content[0].Text, "operations/7") ||
		!strings.Contains(got.Content[1].Text, "Do not start it again") {
		t.Errorf("got %+v", got)
	}
}

// TestCallWithoutRoom: a call for which there is no room as a task is made as that of who has none.
func TestCallWithoutRoom(t *testing.T) {
	t.Parallel()
	j, c := fullOfTasks(t)
	if got := c.call(t, "job_work", `{}`); got.IsError || string(got.StructuredContent) != `{}` || j.called("Work") != 1 {
		t.Errorf("got %+v, and %d calls", got, j.called("Work"))
	}
}

// TestTaskWithoutRoom: a tool that is a task and nothing else is not called where there is no room for one.
func TestTaskWithoutRoom(t *testing.T) {
	t.Parallel()
	j, c := fullOfTasks(t)
	for tool, method := range map[string]string{"job_launch": "Launch", "job_toil": "Toil"} {
		got := c.call(t, tool, `{}`)
		if !got.IsError || j.called(method) != 0 {
			t.Fatalf("%s: %+v, and %d calls", tool, got, j.called(method))
		}
		for _, part := range []string{"RESOURCE_EXHAUSTED: ", "try again when one has ended", "outcome: not_executed", "retry: yes"} {
			if !strings.Contains(got.Content[0].Text, part) {
				t.Errorf("%s: %q is not in %s", tool, part, got.Content[0].Text)
			}
		}
	}
}

// TestTaskWithoutRoomAnyMore: where the room goes while the backend begins the operation of a tool that is a task and nothing else,
// the operation is waited for, and not lost.
func TestTaskWithoutRoomAnyMore(t *testing.T) {
	t.Parallel()
	launching, launch := make(chan struct{}), make(chan struct{})
	_, backend := startJobs(t, func(_ context.Context, method string) (proto.Message, error) {
		if method == "Launch" {
			close(launching)
			<-launch
			return &longrunningpb.Operation{Name: "operations/8"}, nil
		}
		return &longrunningpb.Operation{Name: "operations/7"}, nil
	})
	backend.Deadline = 300 * time.Millisecond
	url := serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{Max: 1})))
	c, other := httpClient(t, url, modern), httpClient(t, url, modern)
	c.can, other.can = withTasks, withTasks
	var got toolResult
	var calling sync.WaitGroup
	calling.Go(func() { got = c.call(t, "job_launch", `{}`) })
	<-launching
	other.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}})
	close(launch)
	calling.Wait()
	if got.IsError || len(got.Content) != 2 || !strings.Contains(got.Content[1].Text, "operations/8 goes on") ||
		!strings.Contains(got.Content[1].Text, "Do not start it again") {
		t.Errorf("got %+v", got)
	}
}

// late is a connection whose calls of Start return when their caller has left, with the reply that came before.
type late struct {
	grpc.ClientConnInterface
	replied chan struct{}
}

func (l late) Invoke(ctx context.Context, method string, args, reply any, opts ...grpc.CallOption) error {
	err := l.ClientConnInterface.Invoke(ctx, method, args, reply, opts...)
	if strings.HasSuffix(method, "/Start") {
		close(l.replied)
		<-ctx.Done()
	}
	return err
}

// TestOperationOfWhoLeft: an operation whose client leaves before there is a task for it is cancelled.
func TestOperationOfWhoLeft(t *testing.T) {
	t.Parallel()
	cancelled := make(chan struct{})
	_, backend := startJobs(t, func(_ context.Context, method string) (proto.Message, error) {
		if method == "CancelOperation" {
			close(cancelled)
			return &emptypb.Empty{}, nil
		}
		return &longrunningpb.Operation{Name: "operations/7"}, nil
	})
	conn := late{backend.Conn, make(chan struct{})}
	backend.Conn = conn
	url := serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{})))
	c := httpClient(t, url, modern)
	c.can = withTasks
	call := c.start(t, url, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}})
	<-conn.replied
	call.Close()
	select {
	case <-cancelled:
	case <-time.After(patience):
		t.Fatal("the operation goes on")
	}
}

// TestOperationSays: a task says that its operation was begun, and how far it is, of which a bridge.v1.Progress has the total.
func TestOperationSays(t *testing.T) {
	t.Parallel()
	metadata, err := anypb.New(&bridgev1.Progress{Progress: 2, Total: proto.Float64(5), Message: "packing"})
	if err != nil {
		t.Fatal(err)
	}
	for want, first := range map[string]*longrunningpb.Operation{
		"began operation operations/7": {Name: "operations/7"},
		"2 of 5: packing":              {Name: "operations/7", Metadata: metadata},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			_, backend := startJobs(t, func(ctx context.Context, method string) (proto.Message, error) {
				if method == "Start" {
					return first, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			})
			backend.Deadline = time.Hour
			c := httpClient(t, serveHTTP(t, newBridge(t, []bridge.Backend{backend}, quickPolls(bridge.TaskOptions{}))), modern)
			c.can = withTasks
			now := c.task(t, "tools/call", map[string]any{"name": "job_start", "arguments": map[string]any{}})
			for end := time.Now().Add(patience); now.StatusMessage == "" && time.Now().Before(end); time.Sleep(time.Millisecond) {
				now = c.task(t, "tasks/get", map[string]any{"taskId": now.TaskID})
			}
			if now.StatusMessage != want {
				t.Errorf("it says %q", now.StatusMessage)
			}
		})
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
