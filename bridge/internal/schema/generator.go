package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// Generator describes the messages of one set of descriptors. It is safe for concurrent use.
type Generator struct {
	reader  *annotation.Reader
	profile Profile
}

// New makes the generator of schemas in a profile. The reader is that of the set, never nil.
func New(reader *annotation.Reader, profile Profile) *Generator {
	return &Generator{reader: reader, profile: profile}
}

// Schema is one finished schema.
type Schema struct {
	// JSON is compact.
	JSON []byte
	// Cuts are what had to be left out to keep to the bounds, in the order in which it was given up, each as a clause without
	// a full stop; nil for nothing.
	Cuts []string
}

// Input describes the arguments of a method whose request is md: see the function [Input].
func (g *Generator) Input(md protoreflect.MessageDescriptor) Schema {
	return Schema{JSON: Input(md, g.profile)}
}

// Output describes the results of a method whose response is md: see the function [Output].
func (g *Generator) Output(md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool) Schema {
	return Schema{JSON: Output(md, g.profile, omit)}
}
