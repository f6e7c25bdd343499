package schema

import (
	"regexp"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// arguments reads the fields of md that a caller may set, in declaration order.
func (in *invitation) arguments(md protoreflect.MessageDescriptor) []argument {
	if args, ok := in.read[md.FullName()]; ok {
		return args
	}
	var args []argument
	var said []annotation.Behavior
	for _, f := range shape.Of(md).Fields() {
		if a := annotation.OfField(f.Descriptor); !a.OutputOnly {
			args = append(args, argument{Field: f, comment: comment(f.Descriptor, a), required: a.Required})
			said = append(said, a.Behavior)
		}
	}
	choices := choicesOf(args)
	for i := range args {
		choice := choices[args[i].oneof()]
		args[i].note = join(behavior(said[i]), choice.note())
		if choice != nil && len(choice.names) > 1 {
			args[i].required = false
		}
	}
	if in.read == nil {
		in.read = map[protoreflect.FullName][]argument{}
	}
	in.read[md.FullName()] = args
	return args
}

// comment is the field's own, else the first sentence on its type, which says at least what the thing is.
func comment(fd protoreflect.FieldDescriptor, said annotation.Field) string {
	switch {
	case said.Description != "" || fd.IsMap():
		return unlabelled(said)
	case fd.Kind() == protoreflect.EnumKind:
		return annotation.Sentence(annotation.Comment(fd.Enum()))
	case fd.Message() != nil && shape.KindOf(fd.Message()) == shape.Object:
		return annotation.Sentence(annotation.Comment(fd.Message()))
	}
	return ""
}

// labels are the words with which comments in the style of AIP-203 open.
var labels = regexp.MustCompile(`^\[?(Required|Optional|Output only|Input only|Immutable|Identifier)\]?[.:]? `)

// unlabelled takes off the labels that the schema says anyway, and "Optional", which every field is that is not required.
func unlabelled(said annotation.Field) string {
	text := said.Description
	for {
		m := labels.FindStringSubmatch(text)
		if m == nil {
			return text
		}
		known := map[string]bool{
			"Required": said.Required, "Optional": true, "Input only": true, "Immutable": said.Immutable, "Identifier": said.Identifier,
		}
		if !known[m[1]] {
			return text
		}
		text = text[len(m[0]):]
	}
}

func behavior(said annotation.Behavior) string {
	var deprecated, immutable, identifier string
	if said.Deprecated {
		deprecated = "Deprecated."
	}
	if said.Immutable {
		immutable = "Immutable after creation."
	}
	if said.Identifier {
		identifier = "Resource identifier."
	}
	return join(deprecated, immutable, identifier)
}

// choice is a oneof as far as its members are arguments.
type choice struct {
	names    []string
	required bool
}

// oneof returns the name of the real oneof that the field is in, "" for none.
func (a argument) oneof() protoreflect.Name {
	if o := a.Descriptor.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o.Name()
	}
	return ""
}

// choicesOf collects the oneofs. A member marked as required is one where something has to be chosen; no member of a
// choice can be required in itself.
func choicesOf(args []argument) map[protoreflect.Name]*choice {
	choices := map[protoreflect.Name]*choice{}
	for _, a := range args {
		name := a.oneof()
		if name == "" {
			continue
		}
		c := choices[name]
		if c == nil {
			c = &choice{}
			choices[name] = c
		}
		c.names = append(c.names, a.Name)
		c.required = c.required || a.required
	}
	return choices
}

// maxChoice is the longest note on a choice, in characters. With what [behavior] says it stays below maxText.
const maxChoice = 190

func (c *choice) note() string {
	if c == nil || len(c.names) < 2 {
		return ""
	}
	opening := "Set at most one of: "
	if c.required {
		opening = "Set exactly one of: "
	}
	for most := maxListed; ; most-- {
		if text := opening + listSome(c.names, most) + "."; utf8.RuneCountInString(text) <= maxChoice || most == 1 {
			return text
		}
	}
}
