package annotation

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// vital are the fields of each option without which nobody can tell whether, and to whom, a thing may be offered: what hides
// it, what a client must have, and what makes a method something else than a tool.
var vital = map[protoreflect.FullName][]protoreflect.Name{
	"bridge.v1.method":  {"hide", "required_capabilities", "resources", "prompt"},
	"bridge.v1.service": {"hide"},
}

// optionReader reads an option field by field, so that a part that cannot be read costs itself alone.
type optionReader struct {
	option protoreflect.FullName
	vital  []protoreflect.Name
	flaws  Flaws
}

func (r *optionReader) ignore(sentence string) {
	if !slices.Contains(r.flaws.Ignored, sentence) {
		r.flaws.Ignored = append(r.flaws.Ignored, sentence)
	}
}

// close notes what keeps a method or a service back; the first reason is told. Of a field nothing does.
func (r *optionReader) close(sentence string) {
	if len(r.vital) == 0 {
		r.ignore(sentence)
		return
	}
	r.flaws.Closed = cmp.Or(r.flaws.Closed, sentence)
}

// message reads the fields of a message in protobuf wire format. At path "" it is the option itself, whose bytes that are no
// field could have been any.
func (r *optionReader) message(b []byte, into protoreflect.Message, path string) {
	for len(b) > 0 {
		num, typ, tag := protowire.ConsumeTag(b)
		size := -1
		if tag > 0 {
			size = protowire.ConsumeFieldValue(num, typ, b[tag:])
		}
		if size < 0 {
			r.broken(path, len(b))
			return
		}
		r.field(b[:tag+size], b[tag:tag+size], num, typ, into, path)
		b = b[tag+size:]
	}
}

// broken notes that the last bytes of a message are no field.
func (r *optionReader) broken(path string, left int) {
	if path == "" {
		r.close(fmt.Sprintf("the last %d bytes of its option (%s) are no field and could have been any: %s", left, r.option, mend))
		return
	}
	r.ignore(fmt.Sprintf("the last %d bytes of %s in its option (%s) are no field and are ignored: %s", left, path, r.option, mend))
}

// field reads one field: whole is it with its tag, content what comes behind that.
func (r *optionReader) field(whole, content []byte, num protowire.Number, typ protowire.Type, into protoreflect.Message, path string) {
	fd := into.Descriptor().Fields().ByNumber(num)
	if fd == nil {
		r.ignore(fmt.Sprintf("field %d of %s in its option (%s) is ignored: this version of the bridge does not know it",
			num, into.Descriptor().Name(), r.option))
		return
	}
	at := string(fd.Name())
	if path != "" {
		at = path + "." + at
	}
	var sound bool
	switch v := valueOf(num, typ, content); {
	case fd.IsMap():
		sound = typ == protowire.BytesType && r.entry(whole, v.bytes, fd, into, at)
	case fd.Message() == nil:
		sound = scalar(whole, into)
	case typ == protowire.BytesType: // a group is none of these messages to a parser
		r.message(v.bytes, below(into, fd), at)
		sound = true
	}
	if !sound {
		r.unsound(fd, path, at)
	}
}

// below returns the message that a field gets.
func below(into protoreflect.Message, fd protoreflect.FieldDescriptor) protoreflect.Message {
	if fd.IsList() {
		return into.Mutable(fd).List().AppendMutable().Message()
	}
	return into.Mutable(fd).Message()
}

// entry reads an entry of a map, all of it or nothing.
func (r *optionReader) entry(whole, content []byte, fd protoreflect.FieldDescriptor, into protoreflect.Message, at string) bool {
	trial := optionReader{option: r.option}
	trial.message(content, dynamicpb.NewMessage(fd.Message()), at)
	return len(trial.flaws.Ignored) == 0 && scalar(whole, into)
}

// scalar adds a field to a message and says whether it is one of the message's: what has another wire type is none for a
// parser, which keeps it and says nothing.
func scalar(whole []byte, into protoreflect.Message) bool {
	before := into.GetUnknown()
	err := proto.UnmarshalOptions{Merge: true, AllowPartial: true}.Unmarshal(whole, into.Interface())
	if err == nil && len(into.GetUnknown()) == len(before) {
		return true
	}
	into.SetUnknown(before)
	return false
}

// unsound notes a field that is not what its type says.
func (r *optionReader) unsound(fd protoreflect.FieldDescriptor, path, at string) {
	sort := "a string of valid UTF-8"
	switch {
	case fd.IsMap():
		sort = "an entry of a map of strings"
	case fd.Message() != nil:
		sort = "a " + string(fd.Message().FullName())
	case fd.Kind() != protoreflect.StringKind:
		sort = "a " + fd.Kind().String()
	}
	if path == "" && slices.Contains(r.vital, fd.Name()) {
		r.close(fmt.Sprintf("%s in its option (%s) cannot be read: it is not %s; %s", at, r.option, sort, mend))
		return
	}
	r.ignore(fmt.Sprintf("%s in its option (%s) is ignored: it is not %s; %s", at, r.option, sort, mend))
}
