package mcp_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// BenchmarkCallToolResult writes the envelope of a result: its JSON as it is and, escaped, as a text.
func BenchmarkCallToolResult(b *testing.B) {
	for _, items := range []int{1, 10, 500} {
		structured := append([]byte(`{"items":[`), bytes.Repeat([]byte(`{"id":"17","title":"a \"title\"","price":7.5},`), items)...)
		structured = append(structured[:len(structured)-1], `]}`...)
		b.Run(fmt.Sprintf("%d bytes", len(structured)), func(b *testing.B) {
			b.SetBytes(int64(len(structured)))
			b.ReportAllocs()
			result := mcp.CallToolResult{Structured: structured}
			var dst []byte
			for b.Loop() {
				dst = result.AppendJSON(dst[:0], mcp.Features{Modern: true, OutputSchemas: true, AnyOutput: true})
			}
		})
	}
}
