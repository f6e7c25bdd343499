package streamable_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/streamable"
)

// BenchmarkPost is what the transport adds to a call of the modern era, behind which nothing is done: a POST with a body of
// known length by a client that would take a stream, and its answer in one JSON text.
func BenchmarkPost(b *testing.B) {
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	h := gated(&double{})
	b.Run("handler", func(b *testing.B) { benchmarkPost(b, h, body) })
}

// benchmarkPost serves one body again and again, as one connection would bring it.
func benchmarkPost(b *testing.B, h *streamable.Handler, body string) {
	b.Helper()
	r := request(http.MethodPost, body, header("Mcp-Protocol-Version", "2026-07-28"), header("Mcp-Method", "tools/list"))
	content := bytes.NewReader([]byte(body))
	r.Body = io.NopCloser(content)
	w := &unread{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		content.Reset([]byte(body))
		clear(w.header)
		h.ServeHTTP(w, r)
		if w.status != http.StatusOK {
			b.Fatalf("status %d", w.status)
		}
	}
}

// unread is an answer of which only the status is kept.
type unread struct {
	header http.Header
	status int
}

func (u *unread) Header() http.Header         { return u.header }
func (u *unread) WriteHeader(status int)      { u.status = status }
func (u *unread) Write(p []byte) (int, error) { return len(p), nil }
