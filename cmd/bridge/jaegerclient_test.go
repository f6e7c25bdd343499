//go:build real

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
)

// tracedRequest is a call of a tool at a place in a trace.
type tracedRequest struct {
	id              int
	tool, arguments string
	place           string     // a traceparent; "" for none
	header          bool       // whether it is sent as a header of HTTP
	meta, params    string     // more of each, which ends with a comma; or ""
	task            string     // that is asked for, instead of a call; or ""
	span            trace.Span // of the client, which place names; nil for none
}

// trace is the id of the trace that the client has begun.
func (r tracedRequest) trace() string { return r.span.SpanContext().TraceID().String() }

// tracedClient is a client of one revision on one connection.
type tracedClient struct {
	version, transport, session string
	// ask makes a call, agrees to what the user is asked meanwhile, and returns the answer.
	ask func(*testing.T, tracedRequest) string
	// abandon makes a call and cancels it, as the revision and the transport have it, once ready has returned.
	abandon func(t *testing.T, r tracedRequest, ready func())
}

// canDo are the capabilities of all clients.
const canDo = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// agreed is what the user answers, whatever the question is.
const agreed = `{"action":"accept","content":{"agree":true,"note":"ring twice"}}`

// message is the request in JSON.
func (r tracedRequest) message(version string) string {
	var meta []string
	if version == "2026-07-28" {
		meta = append(meta, strings.Replace(modernMeta, "{}", canDo, 1))
	}
	if !r.header && r.place != "" {
		meta = append(meta, `"traceparent":"`+r.place+`"`)
	}
	method, params := "tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, r.tool, r.arguments)
	if r.task != "" {
		method, params = "tasks/get", fmt.Sprintf(`"taskId":%q`, r.task)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s,"_meta":{%s%s}}}`,
		r.id, method, r.params, params, r.meta, strings.Join(meta, ","))
}

// hello is the request that begins a session.
func hello(version string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":` + canDo + `,` +
		`"clientInfo":{"name":"test","version":"1"}}}`
}

// initialized is the notification that ends the beginning of a session.
const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// await reads messages until the answer to a request has come, which it returns, and has the questions before it answered.
func await(t *testing.T, id int, lines *bufio.Reader, answer func(string)) string {
	t.Helper()
	for {
		line, err := lines.ReadString('\n')
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		text := strings.TrimPrefix(line, "data: ")
		_ = json.Unmarshal([]byte(text), &message) // what is none is a line between two events
		switch {
		case message.Method == "elicitation/create":
			answer(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, message.ID, agreed))
		case message.Method == "" && string(message.ID) == strconv.Itoa(id):
			return text
		case err != nil:
			t.Errorf("there is no answer to request %d: %v", id, err)
			return ""
		}
	}
}

// cancellation is the notification that cancels a request.
func cancellation(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

// openHTTP is a client over HTTP, with a session where the revision has any.
func openHTTP(t *testing.T, url, version string) tracedClient {
	t.Helper()
	c := tracedClient{version: version, transport: "tcp"}
	if version != "2026-07-28" {
		_, header := send(t, url, nil, hello(version))
		c.session = header.Get("Mcp-Session-Id")
		send(t, url, map[string]string{"Mcp-Session-Id": c.session}, initialized)
	}
	post := func(ctx context.Context, message string, r tracedRequest, read func(io.Reader)) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			return err
		}
		for name, value := range c.headers(r) {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		read(res.Body)
		return nil
	}
	drain := func(body io.Reader) { _, _ = io.Copy(io.Discard, body) }
	c.ask = func(t *testing.T, r tracedRequest) (body string) {
		t.Helper()
		if err := post(t.Context(), r.message(version), r, func(answer io.Reader) {
			body = await(t, r.id, bufio.NewReader(answer), func(message string) {
				if err := post(t.Context(), message, tracedRequest{}, drain); err != nil {
					t.Error(err)
				}
			})
		}); err != nil {
			t.Error(err)
		}
		return body
	}
	c.abandon = func(t *testing.T, r tracedRequest, ready func()) {
		t.Helper()
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = post(ctx, r.message(version), r, drain) // of a call that nobody wants any more
		}()
		ready()
		if c.session == "" {
			leave()
		} else if err := post(ctx, cancellation(r.id), tracedRequest{}, drain); err != nil {
			t.Error(err)
		}
		<-ended
		leave()
	}
	return c
}

// headers are those of a request.
func (c tracedClient) headers(r tracedRequest) map[string]string {
	h := modernHeaders(r.tool)
	if r.task != "" {
		h["Mcp-Method"], h["Mcp-Name"] = "tasks/get", r.task
	}
	if c.session != "" {
		h = map[string]string{"Mcp-Protocol-Version": c.version, "Mcp-Session-Id": c.session}
	}
	h["Content-Type"], h["Accept"] = "application/json", "application/json, text/event-stream"
	if r.header {
		h["Traceparent"] = r.place
	}
	return h
}

// openPipe is a client of `bridge stdio`.
func openPipe(t *testing.T, env []string, version string, args ...string) tracedClient {
	t.Helper()
	cmd := bridgeProgram(t, append([]string{"stdio"}, args...)...)
	var log lockedBuffer
	cmd.Env, cmd.Stderr = env, &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("bridge stdio ended with %v\n%s", err, log.String())
		}
	})
	write := func(message string) { _, _ = io.WriteString(in, message+"\n") }
	ask := func(t *testing.T, id int, message string) string {
		t.Helper()
		write(message)
		return await(t, id, lines, write)
	}
	if version != "2026-07-28" {
		ask(t, 1, hello(version))
		write(initialized)
	}
	return tracedClient{
		version: version, transport: "pipe",
		ask: func(t *testing.T, r tracedRequest) string { return ask(t, r.id, r.message(version)) },
		abandon: func(_ *testing.T, r tracedRequest, ready func()) {
			write(r.message(version))
			ready()
			write(cancellation(r.id))
		},
	}
}

// waitForExecution waits until the backend has begun the call with a key.
func waitForExecution(t *testing.T, backend, key string) {
	t.Helper()
	conn, err := grpc.NewClient("passthrough:///"+backend, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	client := echov1.NewEchoServiceClient(conn)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		executions, err := client.Executions(t.Context(), &echov1.ExecutionsRequest{Key: key})
		if err != nil || time.Now().After(deadline) {
			t.Fatalf("the call has not come: %v", err)
		}
		if executions.GetExecutions() > 0 {
			return
		}
	}
}
