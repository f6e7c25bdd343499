package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// maxText is the longest description of a property, in characters.
const maxText = 256

// trim cuts a comment to a room: maxText stands for the whole comment, less for its first sentence.
func trim(comment string, room int) string {
	if room == 0 {
		return ""
	}
	if room < maxText {
		label := labels.FindString(comment)
		comment = label + annotation.Sentence(comment[len(label):])
	}
	return annotation.Cut(comment, room)
}

// minComment is the least room, in characters, in which the beginning of a comment still says something.
const minComment = 24

// saying is what is to say about a field, whatever the form of its value.
type saying struct {
	comment, note string
}

// with describes a field whose value's form is told by detail.
func (s saying) with(detail string) string { return describe(s.comment, detail, s.note) }

// telling is a saying with words on the form of the value beyond its type, which follow those on the type.
type telling struct {
	saying
	form string
}

func (t telling) with(detail string) string {
	return t.saying.with(join(closed(detail, t.form), t.form))
}

// describe joins a comment, words on the form of the value and a note to one description. The note, without which a call
// may fail, is never cut, and the comment is cut before the detail.
func describe(comment, detail, note string) string {
	room := maxText
	if note != "" {
		room -= utf8.RuneCountInString(note) + 1
	}
	detail = annotation.Cut(detail, max(room, 0))
	if detail != "" {
		room -= utf8.RuneCountInString(detail) + 1
	}
	if detail != "" || note != "" {
		room-- // for a full stop
	}
	if room < min(minComment, utf8.RuneCountInString(comment)) {
		comment = ""
	}
	comment = annotation.Cut(comment, room)
	return join(closed(comment, detail+note), closed(detail, note), note)
}

// closed ends a text as a sentence if something follows it.
func closed(text, next string) string {
	if text == "" || next == "" || ended(text) {
		return text
	}
	return text + "."
}

func ended(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return strings.ContainsRune(".!?:…", last)
}

// join puts a space between those parts that are not empty.
func join(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		if p != "" && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p)
	}
	return b.String()
}

// A list in a description has at most maxListed names and stops at the one with which it passes maxList characters.
const (
	maxListed = 10
	maxList   = 140
)

// list writes names with commas, as many as a list may have, and how many more there are.
func list(names []string) string { return listSome(names, maxListed) }

// listSome is list with another number of names.
func listSome(names []string, most int) string {
	shown, length := 0, 0
	for shown < len(names) && shown < most && length < maxList {
		length += len(names[shown]) + len(", ")
		shown++
	}
	text := strings.Join(names[:shown], ", ")
	if more := len(names) - shown; more > 0 {
		text = fmt.Sprintf("%s and %d more", text, more)
	}
	return text
}

// namer gives the property names of an ordinary message that a dialect shows, those that are required first.
type namer func(md protoreflect.MessageDescriptor) (required, others []string)

// stubs remembers what a dialect says of messages that it does not show.
type stubs struct {
	said cache[stub, string]
}

type stub struct {
	message protoreflect.FullName
	named   int
}

func (s *stubs) of(md protoreflect.MessageDescriptor, names namer, named int) string {
	return s.said.get(stub{md.FullName(), named}, func() string { return names.object(md, named) + "." })
}

// object names an ordinary message and its fields.
func (names namer) object(md protoreflect.MessageDescriptor, named int) string {
	name := string(md.Name())
	required, others := names(md)
	switch {
	case len(required)+len(others) == 0:
		return name + " without fields"
	case named == 0:
		return name + " object"
	case len(required) == 0:
		return name + " with " + listSome(others, named)
	case len(others) == 0 || len(required) >= named:
		return name + " with required " + listSome(required, named)
	}
	return name + " with required " + listSome(required, named) + "; optional " + listSome(others, named-len(required))
}

// entries describes the keys and values of a map, whose structure no portable keyword can describe.
func (names namer) entries(fd protoreflect.FieldDescriptor) string {
	keys := "string"
	switch fd.MapKey().Kind() {
	case protoreflect.BoolKind:
		keys = "\"true\" or \"false\""
	case protoreflect.StringKind:
	default:
		keys = "integer, written as a string,"
	}
	return "Map of " + keys + " to " + names.value(fd.MapValue()) + "."
}

// value describes the singular value of a field.
func (names namer) value(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.EnumKind:
		return "one of " + list(enumNames(fd.Enum()))
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return names.message(fd.Message())
	case protoreflect.BytesKind:
		return "base64 string"
	case protoreflect.StringKind:
		return "string"
	case protoreflect.BoolKind:
		return "boolean"
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return "number"
	}
	if is64(fd.Kind()) {
		return "decimal 64-bit integer, written as a string"
	}
	return "integer"
}

func (names namer) message(md protoreflect.MessageDescriptor) string {
	switch shape.KindOf(md) {
	case shape.Timestamp:
		return "RFC 3339 time"
	case shape.Duration:
		return "duration such as 3.5s"
	case shape.FieldMask:
		return "comma-separated field paths"
	case shape.Wrapper:
		return names.value(md.Fields().ByNumber(1))
	case shape.Struct:
		return "any JSON object"
	case shape.Value:
		return "any JSON value"
	case shape.ListValue:
		return "array of any JSON values"
	case shape.Any:
		return "any message with its " + shape.AnyTypeAlias
	case shape.Empty:
		return "empty object"
	}
	return names.object(md, maxListed)
}

func is64(k protoreflect.Kind) bool {
	switch k {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
		protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return true
	}
	return false
}
