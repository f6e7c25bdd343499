package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// Generator describes the messages of one set of descriptors. What it learns of a message serves every method that uses
// the message. It is safe for concurrent use.
type Generator struct {
	reader  *teller
	profile Profile
	input   *invitation
	output  *promise
	rich    richCache

	document bool // it is of a file that people write, see Document
}

// New makes the generator of schemas in a profile. The reader is that of the set, never nil.
func New(reader *annotation.Reader, profile Profile) *Generator {
	told := &teller{Reader: reader}
	return &Generator{
		reader: told, profile: profile,
		input: &invitation{reader: told}, output: &promise{reader: told},
	}
}

// Schema is one finished schema.
type Schema struct {
	// JSON is compact.
	JSON []byte
	// Cuts are what had to be left out to keep to the bounds, in the order in which it was given up, each as a clause without
	// a full stop; nil for nothing.
	Cuts []string
}

// Input describes the arguments of a method whose request is md, at most 16 KiB and 300 schema nodes: an object with a
// property for each field that a caller is to set. Fields that are OUTPUT_ONLY, restricted by google.api.visibility, or
// deprecated and not required have none. Messages are inlined to depth 5 and into themselves once, as far as a smaller
// budget goes that says what a listing can afford; texts are given up first. A request that JSON does not write as an
// object stands under the property that [shape.InputWrapper] names. Nodes, depth and the smaller budget are those of the
// portable profile; Rich has the same bound of bytes, and shares messages in $defs.
func (g *Generator) Input(md protoreflect.MessageDescriptor) Schema {
	if g.profile == Rich {
		return g.richInput(md)
	}
	return generate(md, g.input, inputFrame)
}

// Full describes the arguments of a method whose request is md for a reader that asks for one tool alone: as Input does, but
// with all the room there is, so whole comments up to 256 characters as long as 16 KiB and 300 nodes suffice, then shorter
// ones, and messages to depth 5. In the rich profile it is what Input returns. It is not remembered, and takes time in
// proportion to what it returns.
func (g *Generator) Full(md protoreflect.MessageDescriptor) Schema {
	if g.profile == Rich {
		return g.richInput(md)
	}
	return generate(md, g.input, fullFrame)
}

// Output describes the results of a method whose response is md, at most 8 KiB and 300 schema nodes: an object with a
// property for each field that is neither INPUT_ONLY nor restricted by google.api.visibility, using only types, properties
// and items, with a description only where the structure does not tell. It requires and forbids nothing. A response that
// JSON does not write as an object stands under the property that [shape.OutputWrapper] names.
//
// The direct fields of md for which omit says so have no property; messages of the same type further down keep theirs. A nil
// omit says so of none. What the transcoder leaves out has to be left out here too: see transcode.Options. Nodes and
// keywords are those of the portable profile; Rich has the same bound of bytes, shares messages in $defs, and tells the names
// of enums.
func (g *Generator) Output(md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool) Schema {
	if g.profile == Rich {
		return g.richOutput(md, omit)
	}
	return generate(md, omitting{g.output, omit}, outputFrame)
}
