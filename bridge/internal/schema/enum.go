package schema

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// enum is what may be sent for a field of an enum.
type enum struct {
	name    string
	comment string
	names   []string // in declaration order, of aliases the first
	texts   []string // "NAME: what it means.", for those of which something is said
}

// enumOf reads the enum of a field, or of the values of a map: the values that may be seen, that the rules of the field
// admit and, where it has to be set, that are not the unspecified one.
func (in *invitation) enumOf(fd protoreflect.FieldDescriptor, said annotation.Field) *enum {
	ed, c := valueOf(fd).Enum(), eachOf(fd, said.Constraint)
	e := &enum{name: string(ed.Name()), comment: annotation.Sentence(in.reader.Enum(ed).Description)}
	values := in.reader.invited(ed, c, said.Required && !fd.HasPresence() && fd.Cardinality() != protoreflect.Repeated)
	e.names = namesIn(values)
	if !shape.IsNullValue(ed) {
		e.texts = meanings(values)
	}
	return e
}

// meanings are what the comments on an enum's values say, those of the values on which something is said.
func meanings(values []annotation.EnumValue) []string {
	var texts []string
	for _, v := range values {
		text := strings.TrimRight(annotation.Sentence(v.Description), ".")
		if text == "" && unspecified(v.Descriptor) {
			text = "not set"
		}
		if text != "" {
			texts = append(texts, closed(string(v.Descriptor.Name())+": "+text, "."))
		}
	}
	return texts
}

// unspecified says whether a value is the one that stands for none.
func unspecified(v protoreflect.EnumValueDescriptor) bool {
	return v.Number() == 0 && strings.HasSuffix(string(v.Name()), "_UNSPECIFIED")
}

// cut says how much longer the enum is than what is listed of it.
func (e *enum) cut() string { return fmt.Sprintf("%s (%d values)", e.name, len(e.names)) }
