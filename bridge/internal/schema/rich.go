package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// richInput describes the arguments of a method whose request is md in the rich profile, at most 16 KiB, in the keywords of
// JSON Schema 2020-12 that draft-07 reads alike. Messages and enums that are used more often than once, that hold themselves
// or that stand deep stand in $defs, under the shortest end of their full name that no other has; everything else, and what
// is short, stands in place. No keyword stands beside a $ref: what is said of one value around an anyOf of it. The root has
// only type, description, properties, required, additionalProperties and $defs.
//
// A schema that grows gives up, inner parts first, comments beyond a sentence, then all comments, then enums of more than
// 16 names, then messages, in place of which stand words, and at last fields of the root. Choices and constraints stay.
func (g *Generator) richInput(md protoreflect.MessageDescriptor) Schema {
	return g.richSchema(richIn, md, nil, inputFrame, nil)
}

// richOutput describes the results of a method whose response is md in the rich profile, at most 8 KiB, in the same way. It
// requires and bounds nothing; beside the names of an enum it admits any integer. Of the enums that have a value that may
// not be seen it tells no names. omit is as of [Generator.Output].
func (g *Generator) richOutput(md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool) Schema {
	return g.richSchema(richOut, md, omit, outputFrame, nil)
}

// richSchema makes a schema, which is that of the items of a list where around is not nil.
func (g *Generator) richSchema(
	side richSide, md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool, f frame, around *listing,
) Schema {
	root, lost := g.richRoot(side, md, omit, f)
	p := richPlan{g: g, side: side, budget: f.bytes, shown: map[protoreflect.FullName]*richPart{}}
	p.grow(root)
	p.enrich(p.fit())
	cuts := append(p.cuts(), lost...)
	if _, cut := endlessly(md); f.sent && cut != "" {
		cuts = append(cuts, cut)
	}
	if around == nil {
		return Schema{JSON: p.write(nil), Cuts: cuts}
	}
	list := around.wrap(append(p.root(nil), '}'))
	return Schema{JSON: append(p.definitions(list[:len(list)-1]), '}'), Cuts: cuts}
}

// richRoot describes the root, which alone may not be words: where even its own fields are too many, the required ones
// stay, then the others in their order. lost says as cuts which do not.
func (g *Generator) richRoot(
	side richSide, md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool, f frame,
) (root *richBody, lost []string) {
	body := g.rootBody(side, md, f)
	r := *body
	r.target = nil
	if omit != nil && shape.KindOf(md) == shape.Object {
		r.fields = remaining(md, body.fields, omit)
	}
	if words, _ := endlessly(md); f.sent {
		r.rules = join(words, r.rules)
	}
	r.finish(side)
	p := richPlan{g: g, side: side, budget: f.bytes, shown: map[protoreflect.FullName]*richPart{}}
	if p.atMost(&richPart{richBody: &r}) <= f.bytes {
		return &r, nil
	}
	about := r.rules
	r.rules, r.closed = join(f.partial, about), false
	kept, required, others := p.affordable(r, 0)
	if len(required) > 0 {
		kept, required, others = p.affordable(r, missingRoom)
		r.rules = join(f.partial, alsoRequired(required), about)
	}
	r.fields = kept
	r.finish(side)
	return &r, leftOut(required, others)
}

// rootBody describes md, or the object that holds it under the name of a wrapper.
func (g *Generator) rootBody(side richSide, md protoreflect.MessageDescriptor, f frame) *richBody {
	key, wrapped := f.wrapper(md)
	switch {
	case !wrapped:
		return g.body(md, side)
	case side == richOut:
		return &richBody{fields: []richField{{name: key, node: promisedMessage(md)}}}
	}
	return &richBody{closed: true, fields: []richField{{name: key, node: g.invitedMessage(md, nil)}}}
}

// remaining leaves out the fields that are not to be shown.
func remaining(md protoreflect.MessageDescriptor, fields []richField, omit func(protoreflect.FieldDescriptor) bool) []richField {
	message := shape.Of(md)
	var kept []richField
	for _, field := range fields {
		if f, ok := message.Lookup(field.name); !ok || !omit(f.Descriptor) {
			kept = append(kept, field)
		}
	}
	return kept
}

// affordable chooses the fields of a root that has too many, as long as some bytes are left free, and names the others.
func (p *richPlan) affordable(r richBody, free int) (kept []richField, required, others []string) {
	const properties, keyword = len(`,"properties":{}`), len(`,"required":[]`)
	empty := p.rootSize(r, nil)
	spent := empty + properties + keyword + free
	admitted := make([]bool, len(r.fields))
	for _, demanded := range []bool{true, false} {
		for i, field := range r.fields {
			if field.required != demanded {
				continue
			}
			cost := p.rootSize(r, []richField{field}) - empty - properties + len(",")
			if demanded {
				cost += len(",") - keyword
			}
			if spent+cost <= p.budget {
				admitted[i], spent = true, spent+cost
			}
		}
	}
	for i, field := range r.fields {
		switch {
		case admitted[i]:
			kept = append(kept, field)
		case field.required:
			required = append(required, field.name)
		default:
			others = append(others, field.name)
		}
	}
	return kept, required, others
}

// rootSize is how many bytes a root takes at most that has some of its fields.
func (p *richPlan) rootSize(r richBody, fields []richField) int {
	r.fields = fields
	r.finish(p.side)
	return p.atMost(&richPart{richBody: &r})
}
