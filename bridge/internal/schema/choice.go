package schema

import (
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// choice is a oneof as far as its members are arguments.
type choice struct {
	names    []string
	required bool
}

// oneof returns the name of the real oneof that the field is in, "" for none.
func (a *argument) oneof() protoreflect.Name {
	if o := a.Descriptor.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o.Name()
	}
	return ""
}

// choices collects the oneofs. A member marked as required is one where something has to be chosen; no member of a choice
// can be required in itself.
func (in *invitation) choices(args []argument) map[protoreflect.Name]*choice {
	var choices map[protoreflect.Name]*choice
	for i := range args {
		a := &args[i]
		name := a.oneof()
		if name == "" {
			continue
		}
		if choices == nil {
			choices = map[protoreflect.Name]*choice{}
		}
		c := choices[name]
		if c == nil {
			c = &choice{required: in.reader.Choice(a.Descriptor.ContainingOneof())}
			choices[name] = c
		}
		c.names = append(c.names, a.Name)
		c.required = c.required || a.required
	}
	return choices
}

// maxChoice is the longest note on a choice, in characters. With what [behavior] says it stays below maxText.
const maxChoice = 190

// note says the choice at each of its members.
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

// brief says the choice at its first member, to which the others refer.
func (c *choice) brief(name string) string {
	note := c.note()
	if note == "" || c.names[0] == name {
		return note
	}
	return "Alternative to " + c.names[0] + "."
}
