package annotation

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
)

// Reader reads what the descriptors of one set say, and remembers it: methods share most of their messages, and reading
// comments is what takes the time. It is safe for concurrent use.
type Reader struct {
	files  *protoregistry.Files
	labels []string
}

// NewReader reads descriptors that lie in files, in which it looks up the patterns of resources; nil for none. labels are
// those of google.api.visibility that may be seen.
func NewReader(files *protoregistry.Files, labels ...string) *Reader {
	return &Reader{files: files, labels: labels}
}

// Field reads a field. What cannot be read counts as not said.
func (r *Reader) Field(fd protoreflect.FieldDescriptor) Field { return OfField(fd) }

// Message reads a message.
func (r *Reader) Message(md protoreflect.MessageDescriptor) Message {
	return Message{Description: Comment(md)}
}

// Enum reads an enum.
func (r *Reader) Enum(ed protoreflect.EnumDescriptor) Enum {
	e := Enum{Description: Comment(ed)}
	for i := range ed.Values().Len() {
		v := ed.Values().Get(i)
		e.Values = append(e.Values, EnumValue{Descriptor: v, Description: Comment(v)})
	}
	return e
}

// Method reads a method.
func (r *Reader) Method(md protoreflect.MethodDescriptor) Method { return OfMethod(md) }

// Hidden returns why a service, a method, a field or an enum value may not be seen, a sentence without a full stop that
// names the label of google.api.visibility that would have to be given; "" where it may.
func (r *Reader) Hidden(d protoreflect.Descriptor) string { return "" }

// Choice reads a oneof: whether exactly one of its members has to be set, by (buf.validate.oneof).required, or by PGV's.
func (r *Reader) Choice(od protoreflect.OneofDescriptor) (required bool) { return false }

// Message is what is said of a message.
type Message struct {
	// Title is that of openapiv2 or gnostic; "" for none.
	Title string
	// Description is the text of openapiv2 or gnostic, else the cleaned comment; "" for none.
	Description string
	// Constraints are what rules of buf.validate demand of the message as a whole, each as words without a full stop: the
	// messages of CEL expressions, or the expressions, and the message's own oneofs.
	Constraints []string
}

// Enum is what is said of an enum.
type Enum struct {
	// Description as in [Message].
	Description string
	// Values are all that may be seen, in the order of declaration, aliases included.
	Values []EnumValue
}

// EnumValue is what is said of one value of an enum.
type EnumValue struct {
	Descriptor protoreflect.EnumValueDescriptor
	// Description is the cleaned comment, "" for none.
	Description string
	// Deprecated is the standard option.
	Deprecated bool
}
