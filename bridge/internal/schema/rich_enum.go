package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// invitedEnum describes an enum, in place where only some of its values are allowed.
func (g *Generator) invitedEnum(ed protoreflect.EnumDescriptor, c *annotation.Constraint, set bool) *richNode {
	if shape.IsNullValue(ed) {
		return &richNode{types: `"null"`}
	}
	all := distinct(g.reader.Enum(ed).Values)
	var allowed []string
	for _, v := range all {
		if allows(c, v.Descriptor) && (!set || !unspecified(v.Descriptor)) {
			allowed = append(allowed, string(v.Descriptor.Name()))
		}
	}
	if len(allowed) == len(all) || len(allowed) == 0 {
		return &richNode{target: ed}
	}
	about := saying{comment: g.reader.Enum(ed).Description}
	if len(allowed) > maxEnum {
		return &richNode{types: `"string"`, detail: namesOf(ed, allowed), said: about}
	}
	return &richNode{types: `"string"`, rest: []string{`"enum":` + string(appendStrings(nil, allowed))}, said: about}
}

// distinct leaves out aliases: of several names of a number the first stays.
func distinct(values []annotation.EnumValue) []annotation.EnumValue {
	seen := make(map[protoreflect.EnumNumber]bool, len(values))
	var first []annotation.EnumValue
	for _, v := range values {
		if n := v.Descriptor.Number(); !seen[n] {
			seen[n] = true
			first = append(first, v)
		}
	}
	return first
}

// allows reports whether a constraint, which spells values by name or by number, lets a value of an enum pass.
func allows(c *annotation.Constraint, v protoreflect.EnumValueDescriptor) bool {
	number := strconv.Itoa(int(v.Number()))
	among := func(list []string) bool {
		for _, s := range list {
			if named := v.Parent().(protoreflect.EnumDescriptor).Values().ByName(protoreflect.Name(s)); s == number ||
				named != nil && named.Number() == v.Number() {
				return true
			}
		}
		return false
	}
	return (c.Const == nil || among([]string{*c.Const})) && (len(c.In) == 0 || among(c.In)) && !among(c.NotIn)
}

// enumBody describes an enum: its names, and on output any number, for a backend may know more values than its descriptors.
// Where some values may not be seen, a response can still hold them, so that no names can be told.
func (g *Generator) enumBody(ed protoreflect.EnumDescriptor, side richSide) *richBody {
	said := g.reader.Enum(ed)
	first := distinct(said.Values)
	names := make([]string, len(first))
	for i, v := range first {
		names[i] = string(v.Descriptor.Name())
	}
	b := &richBody{target: ed, head: `{"type":"string"`}
	if side == richOut {
		b.head = ""
	} else {
		b.about, b.values = said.Description, valueWords(first)
	}
	for level, texts := range richScale[side] {
		f := richForm{about: brief(b.about, texts)}
		switch {
		case side == richOut && (len(names) > texts.enum || len(names) == 0 || len(said.Values) < ed.Values().Len()):
			f.pieces = []richPiece{{text: `{"type":["string","integer"]`}}
		case side == richOut:
			f.pieces = []richPiece{{text: `{"anyOf":[{"type":"string","enum":` + string(appendStrings(nil, names)) + `},{"type":"integer"}]`}}
		case len(names) > texts.enum:
			f.pieces, f.names = []richPiece{{}}, namesOf(ed, names)
		case len(names) > 0:
			f.pieces = []richPiece{{text: `,"enum":` + string(appendStrings(nil, names))}}
		default:
			f.pieces = []richPiece{{}}
		}
		if texts.values {
			f.values = b.values
		}
		b.forms[level] = f
	}
	b.small = len(b.head)+len(b.forms[0].pieces[0].text)+len(b.forms[0].about)+len(b.values) <= maxSmall
	return b
}

// namesOf tells the names of an enum in words.
func namesOf(ed protoreflect.EnumDescriptor, names []string) string {
	return fmt.Sprintf("One of the names of %s: %s.", ed.Name(), list(names))
}

// valueWords is what the comments on an enum's values say, or "" where that is too much for one description.
func valueWords(values []annotation.EnumValue) string {
	if len(values) > maxEnum {
		return ""
	}
	var said []string
	for _, v := range values {
		text := strings.TrimRight(annotation.Sentence(v.Description), ".")
		if text == "" && v.Descriptor.Number() == 0 && strings.HasSuffix(string(v.Descriptor.Name()), "_UNSPECIFIED") {
			text = "not set"
		}
		if text != "" {
			said = append(said, closed(string(v.Descriptor.Name())+": "+text, "."))
		}
	}
	if words := strings.Join(said, " "); utf8.RuneCountInString(words) <= maxText {
		return words
	}
	return ""
}
