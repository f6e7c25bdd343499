package rules_test

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
)

// book is an argument of the usual size that breaks no rule.
const book = `{"title":"Dune","author":"Frank Herbert","isbn":"9780441013593","pageCount":412,"genre":"GENRE_SCIENCE_FICTION",
	"catalogNumber":"9007199254740993","publishDate":"1965-08-01","tags":["desert","politics","spice"],"labels":{"shelf":"B-12","room":"3"}}`

// BenchmarkChecker shows what a check costs beside the decoding that it needs: of a method with rules, of one without, and of
// the first call of a set, which compiles.
func BenchmarkChecker(b *testing.B) {
	md := new(libraryv1.Book).ProtoReflect().Descriptor()
	wire := request(b, md, book)
	b.Run("decoding", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := proto.Unmarshal(wire, dynamicpb.NewMessage(md)); err != nil {
				b.Fatal(err)
			}
		}
	})
	check := func(c *rules.Checker) func(b *testing.B) {
		return func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.Check(b.Context(), wire); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("with rules", check(rules.NewSet().Checker(md)))
	b.Run("side by side", func(b *testing.B) { sideBySide(b, md, wire) })
	b.Run("without rules", check(nil))
	b.Run("broken", func(b *testing.B) {
		b.ReportAllocs()
		c, wire := rules.NewSet().Checker(md), request(b, md, `{"title":"","labels":{"A":""}}`)
		for b.Loop() {
			if c.Check(b.Context(), wire) == nil {
				b.Fatal("no violation")
			}
		}
	})
	b.Run("first call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := rules.NewSet().Checker(md).Check(b.Context(), wire); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// sideBySide reports how many times as long as the decoding alone a check takes that includes it, both by turns.
func sideBySide(b *testing.B, md protoreflect.MessageDescriptor, wire []byte) {
	c := rules.NewSet().Checker(md)
	var decoding, checking time.Duration
	for b.Loop() {
		start := time.Now()
		if err := proto.Unmarshal(wire, dynamicpb.NewMessage(md)); err != nil {
			b.Fatal(err)
		}
		decoded := time.Now()
		if err := c.Check(b.Context(), wire); err != nil {
			b.Fatal(err)
		}
		decoding, checking = decoding+decoded.Sub(start), checking+time.Since(decoded)
	}
	b.ReportMetric(float64(checking)/float64(decoding), "times-decoding")
}

// BenchmarkSet shows what the rules of a whole API, 84 methods, take: when it is loaded, and for the first calls of all.
func BenchmarkSet(b *testing.B) {
	files := corpus(b, "buf_registry_protovalidate.binpb")
	var inputs []protoreflect.MessageDescriptor
	for md := range requests(files) {
		inputs = append(inputs, md)
	}
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			set := rules.NewSet()
			for _, md := range inputs {
				set.Checker(md)
			}
		}
	})
	b.Run("first calls", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			set := rules.NewSet()
			for _, md := range inputs {
				_ = set.Checker(md).Check(b.Context(), nil)
			}
		}
	})
}
