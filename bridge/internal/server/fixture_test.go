package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/catalog"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/lifecycle"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/server"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// maxResult is the limit of the fixture's codecs, and maxMessage that of its
// backend, in bytes.
const maxResult, maxMessage = 2000, 4096

// fixture is a server over a scripted backend.
type fixture struct {
	backend *scripted
	conn    *grpc.ClientConn // to the backend
	offered atomic.Pointer[catalog.Catalog]
	offers  func() *catalog.Catalog // offered.Load, unless a test says otherwise
	gate    *lifecycle.Gate
	server  *server.Server
	// searching has the catalogs that are compiled from now on be in search mode.
	searching bool
}

// newFixture builds a server over the shelf with pages of two tools, to end with
// the test.
func newFixture(t testing.TB, script string, log *slog.Logger) *fixture {
	t.Helper()
	return newFixtureOf(t, shelf, script, log)
}

// newFixtureOf builds a server over the service of a file of testdata.
func newFixtureOf(t testing.TB, file, script string, log *slog.Logger) *fixture {
	t.Helper()
	f := &fixture{backend: newScripted(t, file, script)}
	f.conn = f.backend.serve(t)
	f.offered.Store(f.compile(t))
	f.offers = f.offered.Load
	f.gate = lifecycle.NewGate(lifecycle.Config{
		Info:         mcp.Implementation{Name: "bridge", Title: "The bridge", Version: "1.2.3"},
		Instructions: func() string { return "Ask for books by name." },
	})
	f.server = server.New(server.Config{
		Gate: f.gate, Catalog: f.offered.Load, Logger: log,
		Reload: func() { f.backend.note("reload was asked for") },
	})
	t.Cleanup(f.server.Close)
	return f
}

// compile makes a catalog of the scripted backend, without the methods that
// match the patterns.
func (f *fixture) compile(t testing.TB, hide ...string) *catalog.Catalog {
	t.Helper()
	b, err := backend.New(backend.Config{Name: "shelf", Conn: f.conn, MaxMessageBytes: maxMessage})
	if err != nil {
		t.Fatal(err)
	}
	source := catalog.Source{Backend: b, Set: f.backend.set, Codec: transcode.Options{EmitDefaults: true, MaxResult: maxResult}, Hide: hide}
	offered, err := catalog.Compile([]catalog.Source{source},
		catalog.Options{Features: lifecycle.AllFeatures(), PageSize: 2, Search: f.searching})
	if err != nil {
		t.Fatal(err)
	}
	return offered
}

// swap puts a catalog without some methods in the place of that before.
func (f *fixture) swap(t testing.TB, hide ...string) {
	t.Helper()
	f.offered.Store(f.compile(t, hide...))
	f.server.Changed()
}

// decode reads one message.
func decode(t testing.TB, text string) jsonrpc.Message {
	t.Helper()
	msg, err := jsonrpc.Decode([]byte(text), jsonrpc.Limits{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return msg
}

// answer is a response, read.
type answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
}

// read reads the body of a reply.
func read(t testing.TB, body []byte) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	return a
}

// toolResult is the result of tools/call, read.
type toolResult struct {
	Content           []struct{ Type, Text string }
	StructuredContent json.RawMessage
	IsError           bool
}

// call calls a tool as a modern client does and returns the answer.
func (f *fixture) call(t *testing.T, ctx context.Context, name, arguments string) answer {
	t.Helper()
	params := `{"name":"` + name + `","arguments":` + arguments + `,` + modernMeta + `}`
	reply := f.server.Handle(ctx, f.gate.Stream(), decode(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+params+`}`))
	return read(t, reply.Body)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
