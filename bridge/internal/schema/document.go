package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// Document describes a file that people write, whose root is md, in the keywords of the rich profile and without bounds: fields
// have the names that they have in the descriptor, durations are written like "1m30s", all comments are told, up to 256
// characters each. It is no schema of a tool.
func Document(reader *annotation.Reader, md protoreflect.MessageDescriptor) []byte {
	const unbounded = 1 << 30
	g := New(reader, Rich)
	g.document = true
	p := richPlan{g: g, side: richIn, budget: unbounded, shown: map[protoreflect.FullName]*richPart{}}
	p.grow(g.body(md, richIn))
	p.place()
	for _, part := range p.parts {
		part.level = 0
	}
	return p.write(nil)
}

// named is how a field is called in what g describes.
func (g *Generator) named(fd protoreflect.FieldDescriptor, name string) string {
	if g.document {
		return string(fd.Name())
	}
	return name
}

// duration says how a duration is written: as ProtoJSON has it, or in a document for people.
func (g *Generator) duration() (detail, pattern string) {
	if g.document {
		return "E.g. 30s, 1m30s or 250ms.", `"pattern":"^([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$"`
	}
	return "Seconds, e.g. 3.5s.", `"pattern":"^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$"`
}
