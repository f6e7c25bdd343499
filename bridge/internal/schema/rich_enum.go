package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// invitedEnum describes an enum, in place where only some of its values are allowed. set leaves out the value that stands for
// none.
func (g *Generator) invitedEnum(ed protoreflect.EnumDescriptor, c *annotation.Constraint, set bool) *richNode {
	if shape.IsNullValue(ed) {
		return &richNode{types: `"null"`}
	}
	allowed := namesIn(g.reader.invited(ed, c, set))
	about := saying{comment: g.reader.Enum(ed).Description}
	switch {
	case len(allowed) == 0:
		return &richNode{types: `"string"`, detail: noValue, said: about}
	case slices.Equal(allowed, g.reader.sent(ed)):
		return &richNode{target: ed}
	case len(allowed) > maxEnum:
		return &richNode{types: `"string"`, detail: namesOf(ed, allowed), said: about}
	}
	return &richNode{types: `"string"`, rest: []string{`"enum":` + string(appendStrings(nil, allowed))}, said: about}
}

// enumBody describes an enum: its names, and on output any number, for a backend may know more values than its descriptors.
// Where some values may not be seen, a response can still hold them, so that no names can be told.
func (g *Generator) enumBody(ed protoreflect.EnumDescriptor, side richSide) *richBody {
	said := g.reader.Enum(ed)
	b := &richBody{target: ed, head: `{"type":"string"`}
	var names []string
	if side == richOut {
		b.head, names = "", g.reader.seen(ed)
	} else {
		values := g.reader.invited(ed, nil, false)
		b.about, b.values, names = said.Description, valueWords(values), namesIn(values)
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
	if words := strings.Join(meanings(values), " "); utf8.RuneCountInString(words) <= maxText {
		return words
	}
	return ""
}
