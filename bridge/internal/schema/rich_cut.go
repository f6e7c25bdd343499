package schema

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// richCuts collects what a finished schema had to give up.
type richCuts struct {
	texts           int // types of which comments are not told
	enums, messages []string
}

// cuts says what a finished plan had to give up beside fields of the root. A sentence for each comment is no cut.
func (p *richPlan) cuts() []string {
	var c richCuts
	for _, part := range p.parts {
		if !part.isEnum() && part.level > 1 && told(&part.forms[2]) < told(&part.forms[1]) {
			c.texts++
		}
		for _, piece := range part.forms[0].pieces {
			if piece.target != nil {
				p.lost(&c, part, piece.target)
			}
		}
	}
	return c.clauses()
}

// told is how much text a form has, its structure counted in.
func told(f *richForm) int {
	n := len(f.about)
	for _, piece := range f.pieces {
		n += len(piece.text) + len(piece.said.comment)
	}
	return n
}

// lost notes what of a value's type is not shown in the part that holds it.
func (p *richPlan) lost(c *richCuts, holder *richPart, target protoreflect.Descriptor) {
	used := p.shown[target.FullName()]
	body := p.g.body(target, p.side)
	switch {
	case !body.isEnum():
		if used == nil {
			c.messages = append(c.messages, string(target.Name()))
		}
		return
	case used == nil:
		holder = &richPart{level: richLevels - 1}
	case used.key != "":
		holder = used
	}
	if body.forms[holder.level].pieces[0].text != body.forms[0].pieces[0].text {
		c.enums = append(c.enums, string(target.Name()))
	}
}

// clauses says it in words.
func (c *richCuts) clauses() []string {
	var said []string
	add := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if c.texts > 0 {
		add("texts of %s left out", number(uint64(c.texts), "type"))
	}
	if names := unique(c.enums); len(names) > 0 {
		add("enum lists shortened: %s", list(names))
	}
	if names := unique(c.messages); len(names) > 0 {
		add("%s not expanded: %s", number(uint64(len(names)), "message"), list(names))
	}
	return said
}
