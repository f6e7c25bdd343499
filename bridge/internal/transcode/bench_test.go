package transcode_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// samples are arguments of the sizes that calls have: a few fields, a full object, a long list.
func samples() map[string]string {
	small := `{"singleString":"projects/p/books/b","singleInt32":25,"singleInt64":"9007199254740993",` +
		`"singleColor":"COLOR_RED","singleBool":true,` +
		`"timestamp":"2026-01-31T10:30:00Z","repeatedString":["a","b"],"singleNested":{"id":"1","label":"one"},"mapStringString":{"env":"prod"}}`
	list := func(n int) string {
		return `{"repeatedNested":[` + strings.Repeat(`{"id":"1234567890","label":"a label of some length","inner":{"marks":["a","b"]}},`, n-1) +
			`{"id":"1"}]}`
	}
	return map[string]string{"small": small, "medium": list(20), "large": list(1200)}
}

// BenchmarkArguments compares JSON to wire with what protojson and dynamicpb need for it.
func BenchmarkArguments(b *testing.B) {
	md, types := everything(b)
	c := compile(b, md, types, transcode.Options{})
	for size, text := range samples() {
		arguments := []byte(text)
		b.Run(fmt.Sprintf("%s/codec", size), func(b *testing.B) {
			b.SetBytes(int64(len(arguments)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = c.AppendWire(dst[:0], arguments); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%s/protojson", size), func(b *testing.B) {
			b.SetBytes(int64(len(arguments)))
			b.ReportAllocs()
			for b.Loop() {
				m := dynamicpb.NewMessage(md)
				if err := (protojson.UnmarshalOptions{Resolver: types}).Unmarshal(arguments, m); err != nil {
					b.Fatal(err)
				}
				if _, err := proto.Marshal(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReply compares wire to JSON with what protojson and dynamicpb need for it.
func BenchmarkReply(b *testing.B) {
	md, types := everything(b)
	c := compile(b, md, types, transcode.Options{})
	for size, text := range samples() {
		wire, err := c.AppendWire(nil, []byte(text))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%s/codec", size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				if dst, _, err = c.AppendJSON(dst[:0], wire); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%s/protojson", size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m := dynamicpb.NewMessage(md)
				if err := proto.Unmarshal(wire, m); err != nil {
					b.Fatal(err)
				}
				if _, err := oracle(m, types, false); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
