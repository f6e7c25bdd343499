package schema

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// frame is what is settled about a schema before its message is looked at.
type frame struct {
	bytes, nodes int
	depth        int // of nested messages below the root
	recursion    int // how often a message may be expanded inside itself
	// wrapper names the property under which a message that is no JSON object stands.
	wrapper func(md protoreflect.MessageDescriptor) (key string, ok bool)
	// partial is what the description of a root says that does not show all its fields.
	partial string
}

// dialect is what differs between describing input and output.
type dialect interface {
	// message describes a value of type md without the fields of an ordinary one.
	message(md protoreflect.MessageDescriptor) *node
	// fields describes the fields of md, in declaration order, with texts of the given sizes.
	fields(md protoreflect.MessageDescriptor, t texts, depth int) []member
	// names lists the properties that an ordinary message has.
	names(md protoreflect.MessageDescriptor) []string
}

// member is one described field of a message. Where its value, or the items of its list, is an ordinary message, nested is
// that message's type and body the node that takes its properties; said is body's description without words for a stub.
// demanded says that calls without the field are refused, which is more than required does.
type member struct {
	property
	required bool
	nested   protoreflect.MessageDescriptor
	body     *node
	said     saying
	demanded bool
}

// bud is a message that is a candidate for expansion in place: body has the description of a stub and no properties, both
// of which expansion replaces.
type bud struct {
	md     protoreflect.MessageDescriptor
	body   *node
	said   saying
	parent *bud
	depth  int
}

// growth expands one schema, breadth first, within its frame.
type growth struct {
	dialect
	frame frame
	texts texts
	queue []*bud
	grown []*bud // what was expanded, outermost first
	stubs []*bud // what was not, likewise
	nodes int
	bytes int
	floor int  // below this depth nothing is expanded any more
	short bool // something was not expanded, or left out, for want of bytes
	buf   []byte
}

// generate tries the levels of text from the fullest on and takes the first with which bytes suffice; with the last, what
// does not fit stays a stub. Bytes that a meagre level leaves are spent on the texts of a better one.
func generate(md protoreflect.MessageDescriptor, d dialect, f frame) []byte {
	var g *growth
	var root *node
	for i, t := range textLevels {
		g = &growth{dialect: d, frame: f, texts: t, floor: f.depth}
		root = g.grow(md)
		if i > sentences {
			g.enrich(textLevels[sentences])
		}
		if !g.short {
			break
		}
	}
	return root.append(nil)
}

func (g *growth) grow(md protoreflect.MessageDescriptor) *node {
	root := &node{types: []string{"object"}, object: true}
	if key, ok := g.frame.wrapper(md); ok {
		root.properties = []property{{key, g.message(md)}}
		return root
	}
	if shape.KindOf(md) != shape.Object {
		root = g.message(md)
		root.object = true
		return root
	}
	g.plant(&bud{md: md, body: root})
	for len(g.queue) > 0 {
		next := g.queue[0]
		g.queue = g.queue[1:]
		if !g.expand(next) {
			g.stubs = append(g.stubs, next)
		}
	}
	g.label()
	return root
}

// plant expands the root. It alone may not stay a stub: where even its own fields are too many, the required ones stay,
// then the others in their order.
func (g *growth) plant(root *bud) {
	members := g.members(root)
	admitted := make([]bool, len(members))
	g.nodes, g.bytes = 1, g.size(&node{types: root.body.types, object: true, description: g.frame.partial})
	for _, required := range []bool{true, false} {
		for i, m := range members {
			if m.required == required {
				admitted[i] = g.admit(m)
			}
		}
	}
	kept := make([]member, 0, len(members))
	for i, m := range members {
		if admitted[i] {
			kept = append(kept, m)
		}
	}
	if len(kept) < len(members) {
		root.body.description = g.frame.partial
	}
	root.take(kept)
	g.attach(root, kept)
}

// admit counts a property of the root, if there is room for it.
func (g *growth) admit(m member) bool {
	one := node{properties: []property{m.property}}
	if m.required {
		one.required = []string{m.name}
	}
	bytes, nodes := g.bytes+g.size(&one), g.nodes+m.node.count()
	return g.spend(bytes, nodes)
}

// spend makes these the totals, unless they are over the bounds. Only a want of bytes can be met by shorter texts.
func (g *growth) spend(bytes, nodes int) bool {
	if nodes > g.frame.nodes {
		return false
	}
	if bytes > g.frame.bytes {
		g.short = true
		return false
	}
	g.bytes, g.nodes = bytes, nodes
	return true
}

// members describes the fields of b; those that are messages are stubs, which expand may replace.
func (g *growth) members(b *bud) []member {
	members := g.fields(b.md, g.texts, b.depth+1)
	for i := range members {
		m := &members[i]
		if m.body != nil {
			room := maxDemanded
			g.reduce(m, b, &room)
		}
	}
	return members
}

// maxDemanded is how many properties a stub has at most, further down included.
const maxDemanded = 32

// reduce makes the body of m, a field of b, a stub: words, and of its properties those without which it would be refused, as
// far as there is room for them.
func (g *growth) reduce(m *member, b *bud, room *int) {
	m.body.description = m.said.with(namer(g.names).stub(m.nested, b.encloses(m.nested), g.texts.named))
	if m.nested.RequiredNumbers().Len() == 0 || b.encloses(m.nested) > g.frame.recursion+1 {
		return // the latter is a message that requires itself, which no call can satisfy
	}
	self := bud{md: m.nested, body: m.body, parent: b, depth: b.depth + 1}
	var kept []member
	for _, inner := range g.fields(m.nested, g.texts, self.depth+1) {
		if !inner.demanded || *room == 0 {
			continue
		}
		*room--
		if inner.body != nil {
			g.reduce(&inner, &self, room)
		}
		kept = append(kept, inner)
	}
	self.take(kept)
}

// expand turns a stub into an object with properties, or leaves it as it is. What does not fit ends the growth below it,
// so that no branch grows deeper than others grow wide; a message that is large by itself only forgoes its own turn.
func (g *growth) expand(b *bud) bool {
	if b.depth > g.floor || b.parent.encloses(b.md) > g.frame.recursion {
		return false
	}
	members := g.members(b)
	grown := bud{md: b.md, parent: b.parent, depth: b.depth, body: &node{types: b.body.types, description: b.said.with("")}}
	grown.take(members)
	size, nodes := g.size(grown.body)-g.size(b.body), grown.body.count()-b.body.count()
	if !g.spend(g.bytes+size, g.nodes+nodes) {
		if size < g.frame.bytes/4 && nodes < g.frame.nodes/4 {
			g.floor = min(g.floor, b.depth)
		}
		return false
	}
	*b.body = *grown.body
	g.attach(b, members)
	return true
}

// label spends what is left on the names of the fields that are not shown.
func (g *growth) label() {
	for _, b := range g.stubs {
		if !g.describe(b.body, b.said.with(namer(g.names).stub(b.md, b.parent.encloses(b.md), maxListed))) {
			return
		}
	}
}

// enrich spends what is then left on texts of a higher level, outermost first.
func (g *growth) enrich(t texts) {
	for _, b := range g.grown {
		richer := g.fields(b.md, t, b.depth+1)
		for _, p := range b.body.properties {
			i := slices.IndexFunc(richer, func(m member) bool { return m.name == p.name })
			if text := richer[i].node.description; !g.isStub(p.node) {
				g.describe(p.node, text)
			}
		}
	}
}

func (g *growth) isStub(n *node) bool {
	return slices.ContainsFunc(g.stubs, func(b *bud) bool { return b.body == n })
}

// describe changes a description if there is room for it.
func (g *growth) describe(n *node, text string) bool {
	changed := *n
	changed.description = text
	short := g.short
	ok := g.spend(g.bytes+g.size(&changed)-g.size(n), g.nodes)
	g.short = short
	if ok {
		n.description = text
	}
	return ok
}

// attach queues the members of b that are messages.
func (g *growth) attach(b *bud, members []member) {
	g.grown = append(g.grown, b)
	for _, m := range members {
		if m.body != nil {
			g.queue = append(g.queue, &bud{md: m.nested, body: m.body, said: m.said, parent: b, depth: b.depth + 1})
		}
	}
}

// take gives b its properties.
func (b *bud) take(members []member) {
	b.body.object = true
	for _, m := range members {
		b.body.properties = append(b.body.properties, m.property)
		if m.required {
			b.body.required = append(b.body.required, m.name)
		}
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

func (g *growth) size(n *node) int {
	g.buf = n.append(g.buf[:0])
	return len(g.buf)
}
