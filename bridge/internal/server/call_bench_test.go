package server_test

import (
	"testing"
)

// BenchmarkCall calls a unary method of a backend in the same process, for a client that wants nothing but the result. What streams,
// questions and progress need must cost it nothing.
func BenchmarkCall(b *testing.B) {
	f := newFixture(b, `GetBook: {"name":"a","title":"b"}`, nil)
	conn := f.gate.Stream()
	msg := decode(b,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"shelf_get_book","arguments":{"name":"a"},`+modernMeta+`}}`)
	b.ReportAllocs()
	for b.Loop() {
		if reply := f.server.Admit(b.Context(), conn, msg, &tape{}).Run(); reply.Status != 200 {
			b.Fatalf("%s", reply.Body)
		}
	}
}
