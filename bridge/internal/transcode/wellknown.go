package transcode

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// readText reads a Timestamp or Duration, whose grammar is protojson's business.
func (r *reader) readText(m protoreflect.Message, want string) error {
	l, err := r.literal(want)
	if err != nil {
		return err
	}
	if l.kind != '"' || protojson.Unmarshal(l.raw, m.Interface()) != nil {
		return r.mismatch(want, l.raw, "")
	}
	return nil
}

// readWrapper reads the scalar that stands for a wrapper message.
func (r *reader) readWrapper(m protoreflect.Message) error {
	fd := m.Descriptor().Fields().ByNumber(1)
	if r.dec.PeekKind() == '{' {
		raw, err := r.raw()
		if err != nil {
			return err
		}
		return r.mismatch("a plain "+fd.Kind().String(), raw, `write the value itself, without {"value": …}`)
	}
	v, err := r.readScalar(fd)
	if err != nil {
		return err
	}
	m.Set(fd, v)
	return nil
}

// The numbers of the fields of google.protobuf.Value, by the JSON that sets them.
const (
	valueNull   protoreflect.FieldNumber = 1
	valueNumber protoreflect.FieldNumber = 2
	valueString protoreflect.FieldNumber = 3
	valueBool   protoreflect.FieldNumber = 4
	valueObject protoreflect.FieldNumber = 5
	valueArray  protoreflect.FieldNumber = 6
)

// readValue reads any JSON into a google.protobuf.Value.
func (r *reader) readValue(m protoreflect.Message) error {
	number := valueNull
	switch r.dec.PeekKind() {
	case '0':
		number = valueNumber
	case '"':
		number = valueString
	case 't', 'f':
		number = valueBool
	case '{':
		number = valueObject
	case '[':
		number = valueArray
	case 'n':
		if err := r.skip(); err != nil {
			return err
		}
		m.Set(m.Descriptor().Fields().ByNumber(valueNull), protoreflect.ValueOfEnum(0))
		return nil
	}
	return r.readField(m, m.Descriptor().Fields().ByNumber(number))
}

// readFieldMask reads paths from a string, separated by commas, or from a list. A path is accepted in lowerCamelCase and
// in snake_case and may be or contain the wildcard "*".
func (r *reader) readFieldMask(m protoreflect.Message) error {
	const want = `field paths such as "title,author.name"`
	fd := m.Descriptor().Fields().ByNumber(1)
	if r.dec.PeekKind() == '[' {
		return r.enter('[', want, "", func() error {
			return r.elements(func() error {
				l, err := r.literal(want)
				if err != nil {
					return err
				}
				if l.kind != '"' {
					return r.mismatch("a field path", l.raw, "")
				}
				return r.addPath(m.Mutable(fd).List(), l.text)
			})
		})
	}
	l, err := r.literal(want)
	if err != nil {
		return err
	}
	if l.kind != '"' {
		return r.mismatch(want, l.raw, "")
	}
	inner, err := r.heldIn(l.raw, '[')
	if err != nil {
		return err
	}
	if inner != nil {
		return r.within(inner, func() error { return r.readFieldMask(m) })
	}
	if strings.TrimSpace(l.text) == "" {
		return nil
	}
	for p := range strings.SplitSeq(l.text, ",") {
		if err := r.addPath(m.Mutable(fd).List(), p); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) addPath(list protoreflect.List, p string) error {
	segments := strings.Split(strings.TrimSpace(p), ".")
	for i, s := range segments {
		if s == "*" {
			continue
		}
		if !protoreflect.Name(s).IsValid() {
			return r.fault("the field path "+quoted(p)+" is malformed", `write names joined by dots, as in "author.name"`)
		}
		segments[i] = snake(s)
	}
	list.Append(protoreflect.ValueOfString(strings.Join(segments, ".")))
	return nil
}

// snake turns a lowerCamelCase name into snake_case and leaves one that is snake_case already. A capital after an underscore
// is no lowerCamelCase either: that is a field's own name (foo_Bar), which would otherwise become another (foo__bar).
func snake(name string) string {
	b := make([]byte, 0, len(name)+4)
	for i := range len(name) {
		c := name[i]
		if c < 'A' || 'Z' < c {
			b = append(b, c)
			continue
		}
		if i > 0 && name[i-1] == '_' {
			return name
		}
		b = append(b, '_', c+'a'-'A')
	}
	return string(b)
}

// textOf returns the JSON that protojson gives a Timestamp, Duration or FieldMask, ok false where it has none.
func textOf(m protoreflect.Message) (text jsontext.Value, ok bool) {
	text, err := protojson.Marshal(m.Interface())
	return text, err == nil
}
