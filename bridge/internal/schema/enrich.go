package schema

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// extra returns the bytes that a request has on top because of its many fields, those of each type of message counted once.
func (g *growth) extra(md protoreflect.MessageDescriptor) int {
	l := g.level
	if l.extra == 0 {
		return 0
	}
	enough := l.many + l.extra/l.each
	seen := map[protoreflect.FullName]bool{md.FullName(): true}
	queue, fields := []protoreflect.MessageDescriptor{md}, 0
	for len(queue) > 0 && fields < enough {
		members := g.fields(queue[0], l.at(len(l.room)))
		queue, fields = queue[1:], fields+len(members)
		for i := range members {
			if inner := members[i].nested; inner != nil && !seen[inner.FullName()] {
				seen[inner.FullName()] = true
				queue = append(queue, inner)
			}
		}
	}
	return min(max(fields-l.many, 0)*l.each, l.extra)
}

// maxTrifle is how many fields a message has at most that counts as small.
const maxTrifle = 8

// trifling expands a small message, if that takes little more than its stub.
func (g *growth) trifling(b *bud) bool {
	if g.little == 0 || g.total.bytes >= g.small || b.depth > g.frame.depth || b.parent.encloses(b.md) > g.frame.recursion {
		return false
	}
	members := g.fields(b.md, g.view(b))
	if len(members) > maxTrifle {
		return false
	}
	full := b.unfolded().expansion(g, members)
	more := full.body.extent().minus(b.body.extent())
	total := g.total.plus(more)
	if more.bytes > g.little || total.bytes > min(g.small, g.frame.bytes) || total.nodes > g.frame.nodes {
		return false
	}
	g.total = total
	g.take(b, full)
	return true
}

// enrich spends what is left on texts further down: a little for all first, and for outer messages before inner ones. Then it
// is settled what is left out.
func (g *growth) enrich() {
	slices.SortStableFunc(g.grown, func(a, b *bud) int { return cmp.Compare(a.depth, b.depth) })
	for _, room := range g.level.spare {
		for _, b := range g.grown {
			if v := g.view(b); b.depth > 0 && v.room < room {
				v.room = room
				g.retell(b, v)
			}
		}
	}
	for _, b := range g.grown {
		g.cuts.add(b.cuts)
	}
}

// retell describes the fields of an expanded message anew, if there is room for that.
func (g *growth) retell(b *bud, v view) {
	members := g.fields(b.md, v)
	told := b.retold(members)
	more, left := 0, cuts{told: everything}
	for i, p := range b.body.properties {
		more += told[i].leafBytes() - p.node.leafBytes()
		left.note(&members[i], b.told)
	}
	if g.total.bytes+more > g.allowance(b)+g.spare {
		return
	}
	g.total.bytes += more
	b.cuts = left
	for i, p := range b.body.properties {
		if members[i].nested == nil {
			b.body.properties[i].node = told[i]
		} else {
			p.node.description = told[i].description
		}
	}
}

// retold returns the properties of b as members describe them, without what is in them.
func (b *bud) retold(members []member) []*node {
	told, stubs := make([]*node, len(members)), b.stubs
	for i := range members {
		m := &members[i]
		told[i] = m.node
		if m.nested == nil {
			continue
		}
		same := *b.body.properties[i].node
		if m.node == nil {
			same.description = m.said.with(stubs[0].detail)
		} else {
			same.description = m.node.description
		}
		told[i], stubs = &same, stubs[1:]
	}
	return told
}
