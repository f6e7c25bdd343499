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

// texts says how much is told. Notes about the form of a value are not counted.
type texts struct {
	// room is for a comment, in characters, by depth: of a property of the root, one below, and further down. maxText
	// stands for the whole comment, less for its first sentence.
	room [3]int
	// named is how many fields the stub of a message names.
	named int
}

// textLevels is the order in which texts are given up for structure.
var textLevels = []texts{
	{[3]int{maxText, maxText, maxText}, maxListed},
	{[3]int{maxText, 120, 120}, maxListed},
	{[3]int{200, 80, 0}, 4},
	{[3]int{120, 0, 0}, 0},
}

// sentences is the level that tells a sentence about everything.
const sentences = 1

// at returns the room at a depth, 1 for the properties of the root.
func (t texts) at(depth int) int { return t.room[min(depth, len(t.room))-1] }

// trim cuts a comment to the room that t leaves at depth.
func (t texts) trim(comment string, depth int) string {
	room := t.at(depth)
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

// namer gives the property names of an ordinary message that a dialect shows.
type namer func(md protoreflect.MessageDescriptor) []string

// stub says what stands in place of the properties of md: enclosing is how often they are shown further out, named how
// many of them to name.
func (names namer) stub(md protoreflect.MessageDescriptor, enclosing, named int) string {
	if enclosing > 0 {
		return "Same fields as the enclosing " + string(md.Name()) + "."
	}
	return names.object(md, named) + "."
}

// object names an ordinary message and its fields.
func (names namer) object(md protoreflect.MessageDescriptor, named int) string {
	switch shown := names(md); {
	case len(shown) == 0:
		return string(md.Name()) + " object without fields"
	case named == 0:
		return string(md.Name()) + " object"
	default:
		return string(md.Name()) + " object with " + listSome(shown, named)
	}
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
	return "Map of " + keys + " to " + names.value(fd.MapValue()) + "; keys are free."
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

// enumNames returns the names of an enum's values in declaration order, of aliases the first: the one that is emitted.
func enumNames(ed protoreflect.EnumDescriptor) []string {
	values := ed.Values()
	seen := make(map[protoreflect.EnumNumber]bool, values.Len())
	var names []string
	for i := range values.Len() {
		if v := values.Get(i); !seen[v.Number()] {
			seen[v.Number()] = true
			names = append(names, string(v.Name()))
		}
	}
	return names
}
