package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// frame is what is settled about a schema before its message is looked at.
type frame struct {
	bytes, nodes int  // over which nothing goes
	depth        int  // of nested messages below the root
	recursion    int  // how often a message may be expanded inside itself
	open         bool // objects without properties say so
	sent         bool // it is for what callers send
	// wrapper names the property under which a message that is no JSON object stands.
	wrapper func(md protoreflect.MessageDescriptor) (key string, ok bool)
	// partial is what the description of a root says that does not show all its fields.
	partial string
	levels  []level
}

// dialect is what differs between describing input and output.
type dialect interface {
	// message describes a value of type md without the fields of an ordinary one.
	message(md protoreflect.MessageDescriptor) *node
	// fields describes the fields of md, in declaration order. What it returns is shared.
	fields(md protoreflect.MessageDescriptor, v view) []member
	// stub says what stands in place of the properties of an ordinary message, of which it names some.
	stub(md protoreflect.MessageDescriptor, named int) string
	// whole says what is demanded of a message beyond its fields; "" for nothing.
	whole(md protoreflect.MessageDescriptor) string
}

// member is one described field of a message. Its node is sealed, unless the field's value, or the items of its list, is an
// ordinary message: then nested is that message's type, node what the list's items are put into, nil for a single value,
// and said describes the message without words for a stub.
type member struct {
	property
	field    protoreflect.FieldDescriptor
	required bool
	nested   protoreflect.MessageDescriptor
	said     telling
	demanded bool   // calls without the field are refused, which is more than required says
	cut      string // an enum whose names are not all listed
	trimmed  int    // the room for which the first sentence of the comment is too long, 0 where it is whole
	silent   bool   // there is a comment, and nothing of it is told
}

// bud is a message that is a candidate for expansion in place: body has the description of a stub and of its properties
// those that calls cannot do without; expansion replaces both.
type bud struct {
	md     protoreflect.MessageDescriptor
	body   node
	said   telling
	parent *bud
	depth  int
	needed bool   // no call can be made without it, as far as is known
	told   int    // the depth by which the texts on its fields are measured: that of a needed message is its parent's
	detail string // the words of a stub; "" of what is expanded
	stubs  []*bud // of what is expanded, its messages in the order of the fields
	cuts   cuts   // what is left out of the texts and enums of its fields
}

// growth expands one schema at one level, breadth first, but small messages before all others, within its frame.
type growth struct {
	dialect
	frame  *frame
	level  level
	total  extent
	bytes  int    // for which there is room in general
	small  int    // up to which small messages are expanded
	little int    // by which such may be larger than their stubs
	spare  int    // bytes on top, for texts further down
	floor  int    // below this depth nothing is expanded any more
	buds   []*bud // not looked at yet
	queue  []*bud // those that are not small
	grown  []*bud // expanded, in that order, the root first
	short  bool   // something did not fit for want of bytes
	cuts   cuts
}

// generate tries the levels from the fullest on and takes the first with which the bytes suffice.
func generate(md protoreflect.MessageDescriptor, d dialect, f frame) Schema {
	for i, l := range f.levels {
		g := &growth{dialect: d, frame: &f, level: l, floor: f.depth, cuts: cuts{told: everything}}
		root := g.grow(md)
		if !g.short || l.stops && len(g.cuts.fields)+len(g.cuts.required) == 0 || i == len(f.levels)-1 {
			g.enrich()
			return Schema{JSON: root.append(make([]byte, 0, root.extent().bytes)), Cuts: g.cuts.clauses(f)}
		}
	}
	return Schema{}
}

// grow makes the schema, or a part of it when it is already clear that the level is too full.
func (g *growth) grow(md protoreflect.MessageDescriptor) *node {
	root := &bud{md: md, needed: true, told: 1, body: node{types: objectType, object: true, description: g.about(md)}}
	if key, ok := g.frame.wrapper(md); ok {
		root.body.properties = []property{{key, g.message(md)}}
		return &root.body
	}
	if shape.KindOf(md) != shape.Object {
		root.body = *g.message(md)
		root.body.object = true
		return &root.body
	}
	// Texts get four fifths of what is on top once more, and what counts as small grows by a fiftieth: about 100 bytes at most.
	extra := g.extra(md)
	g.bytes, g.spare, g.little = g.level.bytes+extra, extra*4/5, g.level.trifle+extra/50
	g.plant(root)
	for g.level.stops || !g.short {
		switch {
		case len(g.buds) > 0:
			next := g.buds[0]
			if g.buds = g.buds[1:]; !g.trifling(next) {
				g.queue = append(g.queue, next)
			}
		case len(g.queue) > 0:
			next := g.queue[0]
			g.queue = g.queue[1:]
			g.expand(next)
		default:
			return &root.body
		}
	}
	return &root.body
}

// about is what is said of the root as a whole.
func (g *growth) about(md protoreflect.MessageDescriptor) string {
	if !g.frame.sent {
		return g.whole(md)
	}
	words, cut := endlessly(md)
	g.cuts.endless = cut
	return shortened(join(words, g.whole(md)), maxText)
}

// plant expands the root. It alone may not stay a stub, and it alone may go over what the level allows: where even the
// frame has no room for all its fields, the required ones stay, then the others in their order.
func (g *growth) plant(root *bud) {
	members := g.fields(root.md, g.view(root))
	full := root.expansion(g, members)
	if g.spend(full.body.extent(), g.frame.bytes) {
		g.take(root, full)
	} else {
		g.short = true
		g.take(root, root.expansion(g, g.fitting(root, members)))
	}
	g.short = g.short || g.total.bytes > g.bytes
	g.small = g.total.bytes + g.level.trifles
}

// fitting chooses the members for which the frame has room, and says which of those that are required are not among them.
func (g *growth) fitting(root *bud, members []member) []member {
	about := root.body.description
	root.body.description = shortened(join(g.frame.partial, about), maxText)
	kept, required, others := g.choose(root, members, 0)
	if len(required) > 0 {
		kept, required, others = g.choose(root, members, missingRoom)
		root.body.description = shortened(join(g.frame.partial, alsoRequired(required), about), maxText)
	}
	g.cuts.required, g.cuts.fields = required, others
	return kept
}

// choose admits members as long as some bytes are left free, those that are required first, and names the others.
func (g *growth) choose(root *bud, members []member, free int) (kept []member, required, others []string) {
	g.total = root.body.extent().plus(extent{bytes: len(`"required":[],`) + free})
	admitted := make([]bool, len(members))
	for _, demanded := range []bool{true, false} {
		for i, m := range members {
			if m.required == demanded {
				admitted[i] = g.admit(root, m)
			}
		}
	}
	kept = make([]member, 0, len(members))
	for i, m := range members {
		switch {
		case admitted[i]:
			kept = append(kept, m)
		case m.required:
			required = append(required, m.name)
		default:
			others = append(others, m.name)
		}
	}
	return kept, required, others
}

// admit counts a property of the root, if there is room for it.
func (g *growth) admit(root *bud, m member) bool {
	p, _ := g.place(root, &m)
	e := p.node.extent().plus(extent{bytes: quotedBytes(m.name) + len(":,")})
	if m.required {
		e.bytes += quotedBytes(m.name) + len(",")
	}
	return g.spend(g.total.plus(e), g.frame.bytes)
}

// spend makes this the total, unless it is over the bounds. Only a want of bytes can be met by shorter texts.
func (g *growth) spend(total extent, limit int) bool {
	if total.nodes > g.frame.nodes {
		return false
	}
	if total.bytes > limit {
		g.short = true
		return false
	}
	g.total = total
	return true
}

// expand turns a stub into an object with properties, or leaves it as it is. What does not fit ends the growth below it,
// so that no branch grows deeper than others grow wide; a message that is large by itself only forgoes its own turn.
func (g *growth) expand(b *bud) {
	if b.parent.encloses(b.md) > g.frame.recursion {
		return
	}
	if b.depth > g.frame.depth {
		g.cuts.deep = append(g.cuts.deep, b.md)
		return
	}
	if b.depth > g.floor && g.allowance(b) == g.bytes {
		g.cuts.stubs = append(g.cuts.stubs, b.md)
		return
	}
	full := b.unfolded().expansion(g, g.fields(b.md, g.view(b)))
	more := full.body.extent().minus(b.body.extent())
	if g.spend(g.total.plus(more), g.allowance(b)) {
		g.take(b, full)
		return
	}
	g.cuts.stubs = append(g.cuts.stubs, b.md)
	if more.bytes < g.bytes/4 && more.nodes < g.frame.nodes/4 {
		g.floor = min(g.floor, b.depth)
	}
}

// allowance returns the bytes that the schema may have with b expanded.
func (g *growth) allowance(b *bud) int {
	if b.needed || b.parent.needed && b.depth > 2 {
		return max(g.bytes, g.level.needed)
	}
	return g.bytes
}

// unfolded returns b without the words and the properties of a stub.
func (b *bud) unfolded() *bud {
	u := *b
	u.body = node{types: objectType, description: b.said.with("")}
	return &u
}

// expansion is a message with properties, and the stubs among these.
type expansion struct {
	body  node
	stubs []*bud
	cuts  cuts
}

// expansion gives the body of b the properties, of which those that are messages are stubs whose parent is b.
func (b *bud) expansion(g *growth, members []member) expansion {
	full := expansion{body: b.body, cuts: cuts{told: everything}}
	full.body.object = true
	full.body.properties = make([]property, 0, len(members))
	full.body.required = nil
	alone := messages(members) == 1
	for i := range members {
		m := &members[i]
		p, stub := g.place(b, m)
		full.body.properties = append(full.body.properties, p)
		if m.required {
			full.body.required = append(full.body.required, m.name)
		}
		if stub != nil {
			if stub.needed = b.needed && (m.required || alone); stub.needed {
				stub.told = b.told
			}
			full.stubs = append(full.stubs, stub)
		}
		full.cuts.note(m, b.told)
	}
	return full
}

// messages counts the members that can be expanded.
func messages(members []member) int {
	n := 0
	for i := range members {
		if members[i].nested != nil {
			n++
		}
	}
	return n
}

// view is how the fields of b are described.
func (g *growth) view(b *bud) view {
	v := g.level.at(b.told)
	v.root = b.depth == 0
	return v
}

// take makes an expansion that was paid for the state of b.
func (g *growth) take(b *bud, full expansion) {
	b.body, b.stubs, b.cuts, b.detail = full.body, full.stubs, full.cuts, ""
	for _, stub := range full.stubs {
		stub.parent = b
	}
	g.grown = append(g.grown, b)
	g.buds = append(g.buds, full.stubs...)
}

// place makes the property of a member of b, and a stub where its value is a message.
func (g *growth) place(b *bud, m *member) (property, *bud) {
	if m.nested == nil {
		return m.property, nil
	}
	stub := &bud{md: m.nested, said: m.said, parent: b, depth: b.depth + 1, told: b.told + 1}
	room := maxDemanded
	g.reduce(stub, &room)
	if m.node == nil {
		return property{m.name, &stub.body}, stub
	}
	list := *m.node
	list.items = &stub.body
	return property{m.name, &list}, stub
}

// maxDemanded is how many properties a stub has at most, further down included.
const maxDemanded = 32

// reduce makes the body of b a stub: words, and of its properties those without which it would be refused, as far as there
// is room for them.
func (g *growth) reduce(b *bud, room *int) {
	enclosing := b.parent.encloses(b.md)
	text := "Same fields as the enclosing " + string(b.md.Name()) + "."
	if enclosing == 0 {
		text = g.stub(b.md, g.level.named)
	}
	b.detail = text
	b.body = node{types: objectType, object: g.frame.open, description: b.said.with(text)}
	if b.md.RequiredNumbers().Len() == 0 || enclosing > g.frame.recursion+1 {
		return // the latter is a message that requires itself, which no call can satisfy
	}
	for _, m := range g.fields(b.md, g.view(b)) {
		if !m.demanded || *room == 0 {
			continue
		}
		*room--
		p := m.property
		if m.nested != nil {
			inner := &bud{md: m.nested, said: m.said, parent: b, depth: b.depth + 1, told: b.told + 1}
			g.reduce(inner, room)
			p.node = &inner.body
		}
		b.body.properties = append(b.body.properties, p)
		b.body.required = append(b.body.required, m.name)
	}
}

// encloses counts the messages of type md among b and what b stands in.
func (b *bud) encloses(md protoreflect.MessageDescriptor) int {
	n := 0
	for p := b; p != nil; p = p.parent {
		if p.md.FullName() == md.FullName() {
			n++
		}
	}
	return n
}
