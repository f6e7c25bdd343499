package schema

import "unicode/utf8"

// The texts around a reference. What is to be said of one value whose schema is shared stands around the reference and not
// beside it: readers of draft-07 take no notice of what is beside.
const (
	refOpen  = `{"$ref":"#/$defs/`
	refClose = `"}`
	refSaid  = `{"description":"","anyOf":[]}`
)

// write writes the whole schema.
func (p *richPlan) write(dst []byte) []byte {
	return append(p.definitions(p.root(dst)), '}')
}

// root writes the schema of the root without its last brace.
func (p *richPlan) root(dst []byte) []byte {
	root := p.parts[0]
	dst = p.described(append(dst, root.head...), saying{}, root, root.level, false)
	if len(root.fields) == 0 {
		dst = append(dst, `,"properties":{}`...)
	}
	dst = p.pieces(dst, root, root.level, true)
	return dst[:len(dst)-1]
}

// definitions writes $defs behind other keywords, if there are any.
func (p *richPlan) definitions(dst []byte) []byte {
	first := true
	for _, part := range p.parts {
		if part.key == "" {
			continue
		}
		if first {
			dst = append(dst, `,"$defs":{`...)
		} else {
			dst = append(dst, ',')
		}
		first = false
		dst = p.definition(dst, part, true)
	}
	if !first {
		dst = append(dst, '}')
	}
	return dst
}

// definition writes a member of $defs.
func (p *richPlan) definition(dst []byte, part *richPart, whole bool) []byte {
	dst = append(appendString(dst, part.key), ':')
	dst = p.described(append(dst, part.head...), saying{}, part, part.level, true)
	return p.pieces(dst, part, part.level, whole)
}

// described writes the description of a type where it is used, or where it is defined, behind its head. The comment on the
// type, where it is wanted, stands in for one on the field.
func (p *richPlan) described(dst []byte, said saying, part *richPart, level int, about bool) []byte {
	form := &part.forms[level]
	if said.comment == "" && about {
		said.comment = form.about
	}
	text := said.with(form.names)
	text = join(closed(text, part.rules), part.rules)
	if form.values != "" && utf8.RuneCountInString(text)+1+utf8.RuneCountInString(form.values) <= maxText {
		text = join(closed(text, form.values), form.values)
	}
	return appendDescription(dst, text)
}

// appendDescription writes the keyword behind others, unless it is empty.
func appendDescription(dst []byte, text string) []byte {
	if text == "" {
		return dst
	}
	return appendString(append(dst, `,"description":`...), text)
}

// pieces writes what follows the description of a part, up to its brace. What stands in it in place is written if whole.
func (p *richPlan) pieces(dst []byte, part *richPart, level int, whole bool) []byte {
	for i := range part.forms[level].pieces {
		piece := &part.forms[level].pieces[i]
		dst = append(dst, piece.text...)
		if piece.target != nil {
			dst = p.use(dst, piece, level, whole)
		}
	}
	return append(dst, '}')
}

// use writes the schema of a value: a reference, the thing itself, or words where it is not shown.
func (p *richPlan) use(dst []byte, piece *richPiece, level int, whole bool) []byte {
	part := p.shown[piece.target.FullName()]
	switch {
	case part == nil:
		return p.words(dst, piece, level)
	case part.key != "":
		return reference(dst, part.key, piece.said.with(""))
	}
	dst = p.described(append(dst, part.head...), piece.said, part, level, true)
	switch {
	case part.small || part.isEnum():
		return p.pieces(dst, part, level, whole)
	case whole:
		return p.pieces(dst, part, part.level, whole)
	}
	return dst
}

// reference refers to a definition.
func reference(dst []byte, key, description string) []byte {
	if description != "" {
		dst = appendString(append(dst, `{"description":`...), description)
		dst = append(dst, `,"anyOf":[`...)
	}
	dst = append(append(append(dst, refOpen...), key...), refClose...)
	if description != "" {
		dst = append(dst, `]}`...)
	}
	return dst
}

// words write a message that is not shown, or an enum: any object, any name.
func (p *richPlan) words(dst []byte, piece *richPiece, level int) []byte {
	body := p.g.body(piece.target, p.side)
	texts := richScale[p.side][level]
	if !body.isEnum() {
		text := piece.said.with(body.stub(p.side, texts))
		return append(appendDescription(append(dst, body.head...), text), '}')
	}
	form := &body.forms[richLevels-1]
	dst = appendDescription(append(dst, body.head...), piece.said.with(form.names))
	return append(append(dst, form.pieces[0].text...), '}')
}
