package annotation

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Reader reads what the descriptors of one set say, and remembers it by full name: methods share most of their messages,
// and reading comments is what takes the time. It is safe for concurrent use; descriptors of another set are not for it.
// What it returns is shared: do not change it.
type Reader struct {
	labels []string
	index  func() index

	options  memo[protoreflect.FullName, record]
	fields   memo[protoreflect.FullName, Field]
	messages memo[protoreflect.FullName, Message]
	enums    memo[protoreflect.FullName, Enum]
	methods  memo[protoreflect.FullName, Method]
	reasons  memo[protoreflect.FullName, string]
	sights   memo[sightKey, []protoreflect.FullName]
}

// NewReader reads descriptors that lie in files, in which it looks up the patterns of resources and the extensions of rules;
// nil for none. labels are those of google.api.visibility that may be seen.
func NewReader(files *protoregistry.Files, labels ...string) *Reader {
	r := &Reader{labels: labels}
	r.index = sync.OnceValue(func() index { return r.indexOf(files) })
	return r
}

// Field reads a field. What cannot be read counts as not said.
func (r *Reader) Field(fd protoreflect.FieldDescriptor) Field {
	return r.fields.get(fd.FullName(), func() Field {
		f := fieldOf(fd, r.optionsOf, func() predefined { return r.index().predefined })
		f.Resource = r.resource(fd)
		return f
	})
}

// Message reads a message.
func (r *Reader) Message(md protoreflect.MessageDescriptor) Message {
	return r.messages.get(md.FullName(), func() Message {
		options := r.optionsOf(md)
		o, _ := md.Options().(*descriptorpb.MessageOptions)
		t := schemaText(options)
		return Message{
			Title:       t.title,
			Description: t.or(md),
			Constraints: messageConstraints(md, options),
			Deprecated:  o.GetDeprecated() || fileDeprecated(md),
		}
	})
}

// Enum reads an enum.
func (r *Reader) Enum(ed protoreflect.EnumDescriptor) Enum {
	return r.enums.get(ed.FullName(), func() Enum {
		o, _ := ed.Options().(*descriptorpb.EnumOptions)
		text := enumText(r.optionsOf(ed))
		e := Enum{Description: text.or(ed), Deprecated: o.GetDeprecated() || fileDeprecated(ed)}
		for i := range ed.Values().Len() {
			if v := ed.Values().Get(i); r.Hidden(v) == "" {
				e.Values = append(e.Values, enumValue(v))
			}
		}
		return e
	})
}

// Method reads a method.
func (r *Reader) Method(md protoreflect.MethodDescriptor) Method {
	return r.methods.get(md.FullName(), func() Method { return methodOf(md, r.optionsOf(md)) })
}

// Hidden returns why a descriptor other than a file may not be seen, a sentence without a full stop that names the labels of
// google.api.visibility of which one would have to be given; "" where it may. What stands inside something hidden is
// hidden, and so is a field whose message or enum is.
func (r *Reader) Hidden(d protoreflect.Descriptor) string {
	if _, ok := d.(protoreflect.FileDescriptor); ok {
		return ""
	}
	return r.reasons.get(d.FullName(), func() string { return r.hidden(d) })
}

// Choice reads a oneof: whether exactly one of its members has to be set, by (buf.validate.oneof).required, or by PGV's.
func (r *Reader) Choice(od protoreflect.OneofDescriptor) (required bool) {
	options := r.optionsOf(od)
	if options.message(extensionValidate).flag(oneofRequired) {
		return true
	}
	return options.flag(extensionPGV) && !pgvOff(r.optionsOf(od.Parent()))
}

// Message is what is said of a message.
type Message struct {
	// Title is that of openapiv2 or gnostic; "" for none.
	Title string
	// Description is the text of openapiv2 or gnostic, else the cleaned comment; "" for none.
	Description string
	// Constraints are what rules of buf.validate demand of the message as a whole, each as words without a full stop: the
	// messages of CEL expressions, or the expressions, and the message's own oneofs. They begin as those of a [Constraint] do.
	Constraints []string
	// Deprecated is the standard option of the message or of its file.
	Deprecated bool
}

// Enum is what is said of an enum.
type Enum struct {
	// Description is the text of openapiv2, else the cleaned comment; "" for none.
	Description string
	// Values are all that may be seen, in the order of declaration, aliases included.
	Values []EnumValue
	// Deprecated is the standard option of the enum or of its file.
	Deprecated bool
}

// EnumValue is what is said of one value of an enum.
type EnumValue struct {
	Descriptor protoreflect.EnumValueDescriptor
	// Description is the cleaned comment, "" for none.
	Description string
	// Deprecated is the standard option.
	Deprecated bool
}

func enumValue(v protoreflect.EnumValueDescriptor) EnumValue {
	o, _ := v.Options().(*descriptorpb.EnumValueOptions)
	return EnumValue{Descriptor: v, Description: Comment(v), Deprecated: o.GetDeprecated()}
}

// optionsOf is the function of that name, remembered.
func (r *Reader) optionsOf(d protoreflect.Descriptor) record {
	if _, isFile := d.(protoreflect.FileDescriptor); isFile || !hasOptions(d) {
		return optionsOf(d)
	}
	return r.options.get(d.FullName(), func() record { return optionsOf(d) })
}

// memo remembers values by what they were read from. Two callers may read the same thing at once; all get the value of the one
// that was done first.
type memo[K comparable, V any] struct{ values sync.Map }

func (m *memo[K, V]) get(key K, read func() V) V {
	if v, ok := m.values.Load(key); ok {
		return v.(V)
	}
	v, _ := m.values.LoadOrStore(key, read())
	return v.(V)
}
