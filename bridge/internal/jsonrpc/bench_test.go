package jsonrpc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// callOf returns a tools/call request with the given number of books in its arguments.
func callOf(books int) []byte {
	const book = `{"name":"books/%d","title":"A Wizard of Earthsea","pages":205,"price":7.5,"tags":["fantasy",` +
		`"sea"],"available":true,"note":"Ged said: \"Le Guin\"\nübers Meer"}`
	list := make([]string, books)
	for i := range list {
		list[i] = fmt.Sprintf(book, i)
	}
	return []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"library_import","arguments":{"books":[` +
		strings.Join(list, ",") + `]},"_meta":{"progressToken":"p7"}}}`)
}

// sizes are the arguments of the benchmarks, as books in one call.
var sizes = []struct {
	name  string
	books int
}{{"small", 1}, {"medium", 10}, {"large", 500}}

// BenchmarkDecode sets the strict pass beside two readers that check syntax
// only: encoding/json, which lets duplicate names and bad UTF-8 pass, and
// jsontext, which does not.
func BenchmarkDecode(b *testing.B) {
	for _, size := range sizes {
		data := callOf(size.books)
		run := func(name string, read func() bool) {
			b.Run(size.name+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if !read() {
						b.Fatal("refused")
					}
				}
			})
		}
		run("decode", func() bool { _, err := jsonrpc.Decode(data, jsonrpc.DefaultLimits); return err == nil })
		run("encoding-json-valid", func() bool { return json.Valid(data) })
		run("jsontext-valid", func() bool { return jsontext.Value(data).IsValid() })
	}
}

// BenchmarkAppendQuoted sets the escaping of finished JSON beside encoding/json's
// quoting of the same text.
func BenchmarkAppendQuoted(b *testing.B) {
	for _, size := range sizes {
		data := callOf(size.books)
		b.Run(size.name+"/append-quoted", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				dst = jsonrpc.AppendQuoted(dst[:0], data)
			}
		})
		b.Run(size.name+"/encoding-json-marshal", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := json.Marshal(string(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFind looks for the member after the large one.
func BenchmarkFind(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			msg, err := jsonrpc.Decode(callOf(size.books), jsonrpc.DefaultLimits)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(msg.Params)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := jsonrpc.Find(msg.Params, "_meta"); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}
