package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	"github.com/mcpgrpc/bridge/services/echo"
)

// TestDrainCutsCallsOfBothEras: when the time to drain is over, calls end at the backend too, and their clients are told
// before the process goes on to end. A legacy call is no exception, although a client's leaving does not end it.
func TestDrainCutsCallsOfBothEras(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		era     string
		headers map[string]string
		meta    string
	}{
		{"legacy", map[string]string{"Mcp-Protocol-Version": "2025-11-25"}, ""},
		{
			"modern",
			map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "echo_delay"},
			`,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`,
		},
	} {
		t.Run(tt.era, func(t *testing.T) {
			t.Parallel()
			backend := startDelaying(t)
			url, stop, ended := serveBackend(t, backend.address)
			if tt.meta == "" {
				tt.headers["Mcp-Session-Id"] = openSession(t, url)
			}
			go func() {
				<-backend.entered
				stop()
			}()
			body, _ := send(t, url, tt.headers,
				`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo_delay","arguments":{"delay":"600s"}`+tt.meta+`}}`)
			if !strings.Contains(body, `"id":7`) {
				t.Errorf("the client was told %q", body)
			}
			<-backend.left
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}

// delaying is a backend whose calls take long, and that says when one comes and when it has ended.
type delaying struct {
	address       string
	entered, left chan struct{}
}

func startDelaying(t *testing.T) *delaying {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &delaying{lis.Addr().String(), make(chan struct{}), make(chan struct{})}
	server := grpc.NewServer(grpc.UnaryInterceptor(func(
		ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler,
	) (any, error) {
		close(d.entered)
		defer close(d.left)
		return next(ctx, req)
	}))
	echo.New().Register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(lis) }()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return d
}

// serveBackend is `bridge serve` with next to no time to drain.
func serveBackend(t *testing.T, backend string) (url string, stop context.CancelFunc, ended <-chan error) {
	t.Helper()
	setup, err := config.Dial(&configv1.Config{Backends: []*configv1.Backend{{
		Target:    backend,
		Transport: &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}},
		Deadline:  durationpb.New(time.Hour),
		Descriptors: &configv1.Descriptors{
			Source: &configv1.Descriptors_Files{Files: &configv1.Files{DescriptorSet: "../../services/echo/echo.binpb"}},
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bridge.New(t.Context(), setup.Backends, append(setup.Options, bridge.WithLogger(slog.New(slog.DiscardHandler)))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(b.Close(), setup.Close()); err != nil { // the first a second time, as when the process ends
			t.Error(err)
		}
	})
	return serveTest(t, time.Millisecond, b.Close, b.ServeHTTP)
}

// openSession shakes hands as a legacy client does.
func openSession(t *testing.T, url string) string {
	t.Helper()
	_, header := send(t, url, nil,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test",`+
			`"version":"1"}}}`)
	session := header.Get("Mcp-Session-Id")
	send(t, url, map[string]string{"Mcp-Session-Id": session}, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return session
}

// send posts a message and returns what comes back.
func send(t *testing.T, url string, headers map[string]string, message string) (string, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return "", nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body), resp.Header
}
