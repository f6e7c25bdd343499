package schema

import (
	"testing"

	"pgregory.net/rapid"
)

// nodes draws trees with texts that need escapes, and lists that are empty.
func nodes(depth int) *rapid.Generator[*node] {
	text := rapid.SampledFrom([]string{"", "a", "größe", `"quoted\"`, "line\nline", "\x00\x7f<&>", "\xff", "\u2028"})
	texts := rapid.SliceOfN(text, 0, 3)
	return rapid.Custom(func(t *rapid.T) *node {
		n := &node{
			types: texts.Draw(t, "types"), description: text.Draw(t, "description"), format: text.Draw(t, "format"),
			enum: texts.Draw(t, "enum"), required: texts.Draw(t, "required"), object: rapid.Bool().Draw(t, "object"),
		}
		if depth == 0 {
			return n
		}
		inner := nodes(depth - 1)
		for range rapid.IntRange(0, 3).Draw(t, "properties") {
			n.properties = append(n.properties, property{text.Draw(t, "name"), inner.Draw(t, "property")})
		}
		if rapid.Bool().Draw(t, "items") {
			n.items = inner.Draw(t, "item")
		}
		n.anyOf = rapid.SliceOfN(inner, 0, 2).Draw(t, "anyOf")
		if rapid.Bool().Draw(t, "sealed") {
			n.seal()
		}
		return n
	})
}

// TestExtentIsWhatIsWritten compares the measure that budgets go by with the bytes.
func TestExtentIsWhatIsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := nodes(3).Draw(t, "node")
		if written := n.append(nil); n.extent().bytes != len(written) {
			t.Fatalf("measured %d bytes, written %d: %s", n.extent().bytes, len(written), written)
		}
	})
}
