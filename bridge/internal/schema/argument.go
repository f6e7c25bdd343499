package schema

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// argument is a field that a caller may set.
type argument struct {
	shape.Field
	comment  string   // of the field, else of its type
	form     string   // what is said of its values beyond their type
	patterns []string // of the names of resources, at most two
	note     string
	brief    string   // a shorter note, for where there are many
	only     []string // the strings that are admitted; nil for any
	enum     *enum    // also of the values of a map; nil for other kinds
	required bool
}

// arguments reads the fields of md that a caller may set, in declaration order.
func (in *invitation) arguments(md protoreflect.MessageDescriptor) []argument {
	return in.read.get(md.FullName(), func() []argument {
		var args []argument
		var said []annotation.Behavior
		for _, f := range shape.Of(md).Fields() {
			if s := in.reader.Field(f.Descriptor); in.invites(f.Descriptor, s) {
				args = append(args, in.argument(f, s))
				said = append(said, s.Behavior)
			}
		}
		choices := in.choices(args)
		for i := range args {
			a := &args[i]
			c := choices[a.oneof()]
			a.note, a.brief = join(a.behavior(said[i]), c.note()), join(a.behavior(said[i]), c.brief(a.Name))
			if c != nil {
				a.required = c.required && len(c.names) == 1
			}
		}
		return args
	})
}

// invites says whether a field is shown. The only value of a NullValue is worth asking for where it chooses among others, or
// is required.
func (in *invitation) invites(fd protoreflect.FieldDescriptor, said annotation.Field) bool {
	alone := fd.ContainingOneof() == nil || fd.ContainingOneof().IsSynthetic()
	useless := fd.Enum() != nil && shape.IsNullValue(fd.Enum()) && alone && !said.Required
	return !useless && in.reader.invites(fd, said)
}

func (in *invitation) argument(f shape.Field, said annotation.Field) argument {
	a := argument{Field: f, required: said.Required}
	if valueOf(f.Descriptor).Enum() != nil {
		a.enum = in.enumOf(f.Descriptor, said)
	}
	a.comment = unlinked(in.comment(f.Descriptor, said, a.enum))
	a.only = only(f.Descriptor, said.Constraint)
	a.patterns = patterns(said)
	a.form = join(demands(said.Constraint, f.Descriptor, len(a.only) > 0), in.standard(f.Descriptor))
	return a
}

// valueOf returns the field that is the value of a map, for others the field itself.
func valueOf(fd protoreflect.FieldDescriptor) protoreflect.FieldDescriptor {
	if fd.IsMap() {
		return fd.MapValue()
	}
	return fd
}

// references are those of comments in protos with a blank in them, of which the text stays.
var references = regexp.MustCompile(`\[([^][]+)\] \[[\w.]*\]`)

// unlinked leaves the text of references, and cleans it of what their removal lets appear.
func unlinked(text string) string {
	if plain := references.ReplaceAllString(text, "$1"); plain != text {
		return annotation.Clean(plain)
	}
	return text
}

// comment is the field's own, else the first sentence on its type, which says at least what the thing is.
func (in *invitation) comment(fd protoreflect.FieldDescriptor, said annotation.Field, e *enum) string {
	switch {
	case said.Description != "":
		return unlabelled(said)
	case said.Title != "" || fd.IsMap():
		return said.Title
	case e != nil:
		return e.comment
	case fd.Message() == nil || shape.KindOf(fd.Message()) != shape.Object:
		return ""
	}
	if known := commonTypes[fd.Message().FullName()]; known != "" {
		return known
	}
	return annotation.Sentence(in.reader.Message(fd.Message()).Description)
}

// commonTypes says how the types of google.type are written, whose own comments are long and open with what they are for.
var commonTypes = map[protoreflect.FullName]string{
	"google.type.Color":         "Color with red, green, blue and alpha from 0 to 1.",
	"google.type.Date":          "Date by year, month and day; 0 for a part that is open.",
	"google.type.DateTime":      "Civil time by parts, with a UTC offset or a time zone.",
	"google.type.Decimal":       "Decimal number: value as a string, e.g. \"2.5\".",
	"google.type.Expr":          "Expression in CEL.",
	"google.type.Fraction":      "Fraction of two integers.",
	"google.type.Interval":      "Time from startTime on and before endTime.",
	"google.type.LatLng":        "Place by latitude and longitude in degrees.",
	"google.type.LocalizedText": "Text with its BCP-47 language code.",
	"google.type.Money":         "Amount by ISO 4217 code, whole units and nanos (billionths).",
	"google.type.PhoneNumber":   "Phone number, as E.164 or as a short code.",
	"google.type.PostalAddress": "Postal address; regionCode is a CLDR code, e.g. \"CH\".",
	"google.type.TimeOfDay":     "Time of day from 00:00:00, without a date or a zone.",
	"google.type.TimeZone":      "IANA time zone, e.g. \"Europe/Zurich\".",
}

// patterns returns those of the resource that tell the form of its name.
func patterns(said annotation.Field) []string {
	const most = 2
	var shown []string
	for _, pattern := range said.Resource {
		if strings.Contains(pattern, "{") && len(shown) < most {
			shown = append(shown, pattern)
		}
	}
	return shown
}

// formOf says what a field's values look like, beside a comment that may say so of the names of resources already.
func (a *argument) formOf(comment string) string {
	if len(a.patterns) == 0 || strings.Contains(comment, a.patterns[0]) {
		return a.form
	}
	return join("Format: "+strings.Join(a.patterns, " or ")+".", a.form)
}

// standard says what a field has that is not set, where that is not its kind's zero value.
func (in *invitation) standard(fd protoreflect.FieldDescriptor) string {
	if !fd.HasDefault() {
		return ""
	}
	switch fd.Kind() {
	case protoreflect.EnumKind:
		if name := in.reader.defaultName(fd); name != "" {
			return "Default: " + name + "."
		}
		return ""
	case protoreflect.StringKind:
		if text := fd.Default().String(); utf8.RuneCountInString(text) <= maxListedText && !unsafe(text) {
			return "Default: " + string(appendString(nil, text)) + "."
		}
		return ""
	case protoreflect.BytesKind:
		return ""
	}
	return "Default: " + infinity.Replace(fd.Default().String()) + "."
}

// infinity spells as ProtoJSON does.
var infinity = strings.NewReplacer("+Inf", "Infinity", "-Inf", "-Infinity")

// labels are the words with which comments in the style of AIP-203 open.
var labels = regexp.MustCompile(`^\[?(Required|Optional|Output only|Input only|Immutable|Identifier)\]?[.:]? `)

// unlabelled takes off the labels that the schema says anyway, and "Optional", which every field is that is not required.
func unlabelled(said annotation.Field) string {
	text := said.Description
	for {
		m := labels.FindStringSubmatch(text)
		if m == nil {
			return recleaned(text, said.Description)
		}
		known := map[string]bool{
			"Required": said.Required, "Optional": true, "Input only": true, "Immutable": said.Immutable, "Identifier": said.Identifier,
		}
		if !known[m[1]] {
			return recleaned(text, said.Description)
		}
		text = text[len(m[0]):]
	}
}

// recleaned cleans what is left of a clean text, which may open with what was harmless further on.
func recleaned(text, before string) string {
	if text == before {
		return text
	}
	return annotation.Clean(text)
}

// behavior says what the options say that no keyword does. A name whose form is told needs no word that it is a name.
func (a *argument) behavior(said annotation.Behavior) string {
	var deprecated, immutable, identifier, picked string
	if said.Deprecated {
		deprecated = "Deprecated."
	}
	if said.Immutable {
		immutable = "Immutable after creation."
	}
	if said.Identifier && len(a.patterns) == 0 {
		identifier = "Resource identifier."
	}
	if said.NonEmptyDefault {
		picked = "Server picks a default if empty."
	}
	return join(deprecated, immutable, identifier, picked)
}
