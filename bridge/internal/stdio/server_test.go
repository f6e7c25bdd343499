package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/health/grpc_health_v1" // registers the service that is served
	"google.golang.org/grpc/status"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/stdio"
)

// waiting is a backend whose calls wait for their cancellation. It reports the begin and the end of each.
type waiting struct{ began, ended chan struct{} }

func (w waiting) Invoke(ctx context.Context, _ string, _, _ any, _ ...grpc.CallOption) error {
	w.began <- struct{}{}
	<-ctx.Done()
	w.ended <- struct{}{}
	return status.FromContextError(ctx.Err()).Err()
}

func (waiting) NewStream(context.Context, *grpc.StreamDesc, string, ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, errors.New("streams are not served")
}

// healthConfig returns a configuration with the server itself in front of the health service of conn.
func healthConfig(t *testing.T, conn grpc.ClientConnInterface, limits ...lifecycle.Config) stdio.Config {
	t.Helper()
	set, err := descriptor.Registered("grpc.health.v1.Health").Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, err := backend.New(backend.Config{Name: "health", Conn: conn})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := catalog.Compile([]catalog.Source{{Backend: b, Set: set, Expose: []string{"grpc.health.v1.Health.Check"}}},
		catalog.Options{Features: lifecycle.AllFeatures()})
	if err != nil {
		t.Fatal(err)
	}
	gate := lifecycle.NewGate(append(limits, lifecycle.Config{})[0])
	return stdio.Config{Gate: gate, Server: server.New(server.Config{Gate: gate, Catalog: func() *catalog.Catalog { return tools }})}
}

const (
	initialize = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	modernMeta  = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
)

// TestBothErasOnOneStream pipes a whole conversation in at once. It is answered in full, although its input ends right
// behind it: a modern client that looks around first, then the handshake of a legacy one, then both kinds of request.
func TestBothErasOnOneStream(t *testing.T) {
	t.Parallel()
	in := request(1, "tools/list") + // before the handshake, and not modern
		`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + modernMeta + `}}` + "\n" +
		initialize + initialized + request(3, "tools/list") + request(4, "ping") +
		`{"jsonrpc":"2.0","id":5,"method":"tools/list","params":{` + modernMeta + `}}` + "\n"
	var out bytes.Buffer
	if err := stdio.Serve(t.Context(), healthConfig(t, nil), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // part of the answer, by id
		"1":   "send initialize first",
		"2":   `"supportedVersions"`,
		`"i"`: `"protocolVersion":"2025-06-18"`,
		"3":   `"health_check"`,
		"4":   `"result":{}`,
		"5":   `"resultType":"complete"`,
	}
	for text := range strings.Lines(out.String()) {
		id := decode(t, []byte(strings.TrimSuffix(text, "\n"))).ID.String()
		if part, ok := want[id]; !ok || !strings.Contains(text, part) {
			t.Errorf("answer %s lacks %q", text, part)
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("no answers to %v in\n%s", want, out.String())
	}
}

// TestCancellationReachesTheBackend: in both eras, also when the cancellation comes in the same breath as its request;
// nothing is answered.
func TestCancellationReachesTheBackend(t *testing.T) {
	t.Parallel()
	for era, tt := range map[string]struct{ open, meta string }{
		"legacy": {open: initialize + initialized},
		"modern": {meta: "," + modernMeta},
	} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := waiting{began: make(chan struct{}, 2), ended: make(chan struct{}, 2)}
				inReader, in := io.Pipe()
				var out bytes.Buffer
				done := make(chan error, 1)
				go func() { done <- stdio.Serve(t.Context(), healthConfig(t, w), inReader, &out) }()
				call := func(id int) string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"health_check"%s}}`+"\n", id, tt.meta)
				}
				cancel := func(id int) string {
					return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
				}
				send(t, in, tt.open+call(1))
				<-w.began
				send(t, in, cancel(1))
				<-w.ended
				send(t, in, call(2)+cancel(2))
				synctest.Wait()
				if len(w.began) != len(w.ended) {
					t.Errorf("%d calls began and %d ended", len(w.began), len(w.ended))
				}
				_ = in.Close()
				if err := <-done; err != nil || strings.Contains(out.String(), `"id":1`) || strings.Contains(out.String(), `"id":2`) {
					t.Errorf("Serve returned %v and sent %s", err, out.String())
				}
			})
		})
	}
}

// TestPingAmongCalls: with as many calls as there is room for, ping is served, by the gate too.
func TestPingAmongCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const most = 8
		w := waiting{began: make(chan struct{}, most), ended: make(chan struct{}, most)}
		inReader, in := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		cfg := healthConfig(t, w, lifecycle.Config{MaxInFlight: most})
		go func() { done <- stdio.Serve(t.Context(), cfg, inReader, &out) }()
		send(t, in, initialize+initialized)
		for id := range most {
			send(t, in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"health_check"}}`+"\n", id))
		}
		send(t, in, request(100, "ping"))
		synctest.Wait()
		if !strings.Contains(out.String(), `{"jsonrpc":"2.0","id":100,"result":{}}`) {
			t.Errorf("no answer to the ping: %s", out.String())
		}
		_ = in.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Error(err)
	}
}
