package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

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
	gate    *lifecycle.Gate
	server  *server.Server
}

// newFixture builds a server with pages of two tools, to end with the test.
func newFixture(t *testing.T, script string, log *slog.Logger) *fixture {
	t.Helper()
	f := &fixture{backend: newScripted(t, script)}
	offered := f.compile(t)
	f.gate = lifecycle.NewGate(lifecycle.Config{
		Info:         mcp.Implementation{Name: "bridge", Title: "The bridge", Version: "1.2.3"},
		Instructions: "Ask for books by name.",
	})
	f.server = server.New(server.Config{Gate: f.gate, Catalog: func() *catalog.Catalog { return offered }, Logger: log})
	return f
}

// compile makes the catalog of the scripted backend.
func (f *fixture) compile(t *testing.T) *catalog.Catalog {
	t.Helper()
	b, err := backend.New(backend.Config{Name: "shelf", Conn: f.backend.serve(t), MaxMessageBytes: maxMessage})
	if err != nil {
		t.Fatal(err)
	}
	source := catalog.Source{Backend: b, Set: loadShelf(t), Codec: transcode.Options{EmitDefaults: true, MaxResult: maxResult}}
	offered, err := catalog.Compile([]catalog.Source{source}, catalog.Options{Features: lifecycle.AllFeatures(), PageSize: 2})
	if err != nil {
		t.Fatal(err)
	}
	return offered
}

// decode reads one message.
func decode(t *testing.T, text string) jsonrpc.Message {
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
func read(t *testing.T, body []byte) answer {
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
