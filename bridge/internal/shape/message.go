package shape

import (
	"regexp"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxName is the longest property name that every known client and model provider takes.
const maxName = 64

var portableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// Field is one field of a message together with the name it has in JSON.
type Field struct {
	// Descriptor is the field in its message.
	Descriptor protoreflect.FieldDescriptor
	// Name is the advertised property name, unique within the message; it is the key in schemas, in results and in
	// error paths.
	Name string
}

// Message is the JSON shape of one message type. It is immutable and safe for concurrent use.
type Message struct {
	fields []Field
	byName map[string]int // every accepted spelling → index in fields
	names  []string       // advertised, parallel to fields
}

// Of derives the shape of md in time linear in its own fields; nested messages are not visited and nothing is cached.
//
// A field is advertised by its JSON name. Where that does not match ^[A-Za-z_][A-Za-z0-9_]{0,63}$ (a custom json_name
// such as "@type", or a very long one) or stands for several fields of the message (foo_bar beside fooBar), the field is
// advertised by its name in the .proto file; where even that is refused or taken, by a cut form ending in its number.
// Adding a field renames another only by such a conflict.
func Of(md protoreflect.MessageDescriptor) *Message {
	fds := md.Fields()
	m := &Message{
		fields: make([]Field, fds.Len()),
		byName: make(map[string]int, 2*fds.Len()),
		names:  make([]string, fds.Len()),
	}
	m.advertise(fds)
	// The order of these loops is the precedence among spellings: a JSON name wins over another field's proto name.
	for i, f := range m.fields {
		m.names[i] = f.Name
		m.accept(f.Name, i)
	}
	for i, f := range m.fields {
		m.accept(f.Descriptor.JSONName(), i)
	}
	for i, f := range m.fields {
		m.accept(f.Descriptor.TextName(), i)
		m.accept(string(f.Descriptor.Name()), i)
	}
	return m
}

// advertise names the fields: first those whose JSON name is sound and theirs alone, then the rest in declaration order.
func (m *Message) advertise(fds protoreflect.FieldDescriptors) {
	claims := make(map[string]int, fds.Len())
	for i := range fds.Len() {
		claims[fds.Get(i).JSONName()]++
	}
	taken := make(map[string]bool, fds.Len())
	for i := range m.fields {
		fd := fds.Get(i)
		m.fields[i].Descriptor = fd
		if name := fd.JSONName(); claims[name] == 1 && portableName.MatchString(name) {
			m.fields[i].Name = name
			taken[name] = true
		}
	}
	for i := range m.fields {
		if m.fields[i].Name == "" {
			m.fields[i].Name = alias(fds.Get(i), taken)
			taken[m.fields[i].Name] = true
		}
	}
}

// alias finds a portable name for fd that is not taken. Names in .proto files are identifiers already, if long ones.
func alias(fd protoreflect.FieldDescriptor, taken map[string]bool) string {
	name := fd.TextName()
	if portableName.MatchString(name) && !taken[name] {
		return name
	}
	tail := "_" + strconv.Itoa(int(fd.Number()))
	for {
		candidate := name[:min(len(name), maxName-len(tail))] + tail
		if !taken[candidate] {
			return candidate
		}
		tail = "_" + tail
	}
}

func (m *Message) accept(name string, i int) {
	if _, ok := m.byName[name]; !ok {
		m.byName[name] = i
	}
}

// Fields returns the fields in declaration order. The slice is shared: do not change it.
func (m *Message) Fields() []Field { return m.fields }

// Lookup finds a field by any accepted spelling: the advertised name, the JSON name, the name in the .proto file (for a
// group also the name of its type). The advertised name wins over the JSON name, and that over the proto name. Extensions
// ("[pkg.ext]") are not fields of the message and need a resolver: the caller looks them up.
func (m *Message) Lookup(name string) (Field, bool) {
	i, ok := m.byName[name]
	if !ok {
		return Field{}, false
	}
	return m.fields[i], true
}

// Nearest returns the advertised name that somebody who wrote name probably meant, or "" when none is near; see the
// function [Nearest].
func (m *Message) Nearest(name string) string { return Nearest(name, m.names) }
