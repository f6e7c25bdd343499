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
		return clause(label+annotation.Sentence(comment[len(label):]), room)
	}
	return shortened(comment, room)
}

// shortened is [annotation.Cut], but that it does not end inside of parentheses or backticks where what stands before them is
// at least half of what it would keep.
func shortened(text string, room int) string {
	cut := annotation.Cut(text, room)
	if utf8.RuneCountInString(text) <= room {
		return cut
	}
	if before := unclosed(cut); before < len(cut) && before >= len(cut)/2 {
		return hanging(strings.TrimRight(cut[:before], " \n")) + "…"
	}
	return cut
}

// unclosed returns where the outermost parenthesis or backtick stands that does not end in text, or the length of text.
func unclosed(text string) int {
	depth, at, quote := 0, len(text), -1
	for i := range len(text) {
		switch {
		case text[i] == '`' && quote < 0:
			quote = i
		case text[i] == '`':
			quote = -1
		case quote >= 0:
		case text[i] == '(':
			if depth++; depth == 1 {
				at = i
			}
		case text[i] == ')' && depth > 0:
			if depth--; depth == 0 {
				at = len(text)
			}
		}
	}
	if quote >= 0 {
		return min(at, quote)
	}
	return at
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
	comment = shortened(comment, room)
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

// namer tells what a dialect shows of types that are not expanded. Its zero value is not usable.
type namer struct {
	// names gives the property names of an ordinary message, those that are required first.
	names func(md protoreflect.MessageDescriptor) (required, others []string)
	// values gives the names of an enum's values.
	values func(ed protoreflect.EnumDescriptor) []string
	// marks says that fields of bytes are marked: text in their place would be read as base64 where it happens to be such.
	marks bool
}

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
	required, others := names.names(md)
	if names.marks && named > 0 {
		marks := map[string]string{}
		for _, f := range shape.Of(md).Fields() {
			marks[f.Name] = f.Name + mark(f.Descriptor)
		}
		required, others = renamed(required, marks), renamed(others, marks)
	}
	return with(string(md.Name()), required, others, named)
}

// mark stands behind the name of a field whose values are base64.
func mark(fd protoreflect.FieldDescriptor) string {
	value := valueOf(fd)
	if md := value.Message(); md != nil && shape.KindOf(md) == shape.Wrapper {
		value = md.Fields().ByNumber(1)
	}
	if value.Kind() != protoreflect.BytesKind {
		return ""
	}
	return " (base64)"
}

// with names a message and some of its fields.
func with(name string, required, others []string, named int) string {
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

// entries describes the keys and values of a map, whose structure no portable keyword can describe. Of values that are
// ordinary messages it says what object says.
func (names namer) entries(fd protoreflect.FieldDescriptor, object func(md protoreflect.MessageDescriptor) string) string {
	keys := "string"
	switch fd.MapKey().Kind() {
	case protoreflect.BoolKind:
		keys = "\"true\" or \"false\""
	case protoreflect.StringKind:
	default:
		keys = "integer, written as a string,"
	}
	value := fd.MapValue()
	if md := value.Message(); md != nil && shape.KindOf(md) == shape.Object {
		return "Map of " + keys + " to " + object(md) + "."
	}
	return "Map of " + keys + " to " + names.value(value) + "."
}

// value describes the singular value of a field.
func (names namer) value(fd protoreflect.FieldDescriptor) string {
	switch fd.Kind() {
	case protoreflect.EnumKind:
		if shown := names.values(fd.Enum()); len(shown) > 0 {
			return "one of " + list(shown)
		}
		return "string"
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
	return names.brief(md)
}

// brief names an ordinary message and some of its fields.
func (names namer) brief(md protoreflect.MessageDescriptor) string {
	return names.object(md, maxListed)
}

// maxHinted is how many fields a message has at most whose kinds are told where it cannot be expanded.
const maxHinted = 6

// hinted names an ordinary message and its fields, with their kinds where these are few.
func (names namer) hinted(md protoreflect.MessageDescriptor) string {
	required, others := names.names(md)
	if len(required)+len(others) > maxHinted {
		return names.object(md, maxListed)
	}
	hints := map[string]string{}
	for _, f := range shape.Of(md).Fields() {
		hints[f.Name] = f.Name + names.hint(f.Descriptor)
	}
	return with(string(md.Name()), renamed(required, hints), renamed(others, hints), maxListed)
}

func renamed(names []string, by map[string]string) []string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = by[name]
	}
	return all
}

// hint says the kind of a field in parentheses; a string needs none.
func (names namer) hint(fd protoreflect.FieldDescriptor) string {
	value := valueOf(fd)
	kind := "object"
	if md := value.Message(); md == nil || shape.KindOf(md) != shape.Object {
		kind = names.value(value)
	}
	switch {
	case fd.IsMap():
		kind = "map to " + kind
	case fd.IsList():
		kind = "array of " + kind
	case kind == "string":
		return ""
	}
	return " (" + kind + ")"
}

func is64(k protoreflect.Kind) bool {
	switch k {
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind,
		protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return true
	}
	return false
}
