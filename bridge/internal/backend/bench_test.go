package backend_test

import (
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/backend"
)

// BenchmarkUnary is what a call costs on this side of the connection, where nothing is forwarded, asked or repeated.
func BenchmarkUnary(b *testing.B) {
	c, do := newBackend(b, backend.Config{Conn: stub{}}), compile(b).method("Do")
	b.ReportAllocs()
	for b.Loop() {
		if _, f := c.Unary(b.Context(), do, nil); f != nil {
			b.Fatal(f)
		}
	}
}
