//go:build real

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	echov1 "github.com/mcpgrpc/bridge/gen/echo/v1"
)

// tracedRequest is a call of a tool at a place in a trace.
type tracedRequest struct {
	id              int
	tool, arguments string
	place           string // a traceparent
	header          bool   // whether it is sent as a header of HTTP
}

// tracedClient is a client of one revision on one connection.
type tracedClient struct {
	version, transport, session string
	// ask makes a call and returns the answer.
	ask func(*testing.T, tracedRequest) string
	// abandon makes a call and cancels it, as the revision and the transport have it, once ready has returned.
	abandon func(t *testing.T, r tracedRequest, ready func())
}

// message is the request in JSON.
func (r tracedRequest) message(version string) string {
	var meta []string
	if version == "2026-07-28" {
		meta = append(meta, modernMeta)
	}
	if !r.header {
		meta = append(meta, `"traceparent":"`+r.place+`"`)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{%s}}}`,
		r.id, r.tool, r.arguments, strings.Join(meta, ","))
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
		c.session = openSession(t, url)
	}
	post := func(ctx context.Context, message string, r tracedRequest) (string, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(message))
		if err != nil {
			return "", err
		}
		for name, value := range c.headers(r) {
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return string(body), err
	}
	c.ask = func(t *testing.T, r tracedRequest) string {
		t.Helper()
		body, err := post(t.Context(), r.message(version), r)
		if err != nil {
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
			_, _ = post(ctx, r.message(version), r) // of a call that nobody wants any more
		}()
		ready()
		if c.session == "" {
			leave()
		} else if _, err := post(ctx, cancellation(r.id), tracedRequest{}); err != nil {
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
	ask := func(t *testing.T, message string) string {
		t.Helper()
		write(message)
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Errorf("%v\n%s", err, log.String())
		}
		return line
	}
	if version != "2026-07-28" {
		ask(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+version+`","capabilities":{},`+
			`"clientInfo":{"name":"test","version":"1"}}}`)
		write(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return tracedClient{
		version: version, transport: "pipe",
		ask: func(t *testing.T, r tracedRequest) string { return ask(t, r.message(version)) },
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
