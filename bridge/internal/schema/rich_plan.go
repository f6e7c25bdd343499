package schema

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// richPart is a message or an enum that a schema shows, once however often it is used.
type richPart struct {
	*richBody
	level int    // of detail
	depth int    // messages between it and the root
	uses  int    // places in what is shown that hold it
	nest  int    // objects around it in the place where it is written
	key   string // in $defs; "" where it is written in place
}

// richPlan decides on one schema: what is shown, where, and in how much detail.
type richPlan struct {
	g      *Generator
	side   richSide
	budget int
	parts  []*richPart // breadth first; the root is the first
	shown  map[protoreflect.FullName]*richPart
	buf    []byte
}

// grow chooses what is shown, breadth first, by what it takes at the least. What does not fit ends the growth below it, so
// that no branch grows deeper than others grow wide; a message that is large by itself only forgoes its own turn.
func (p *richPlan) grow(root *richBody) {
	floor, spent := int(^uint(0)>>1), 0
	queue := []*richPart{{richBody: root, level: richLevels - 1}}
	met := map[protoreflect.FullName]bool{}
	for len(queue) > 0 {
		part := queue[0]
		queue = queue[1:]
		cost := p.atMost(part)
		if part.depth > 0 && (part.depth > floor || spent+cost > p.budget) {
			if cost < p.budget/4 {
				floor = min(floor, part.depth)
			}
			continue
		}
		spent += cost
		p.add(part)
		for _, piece := range part.forms[0].pieces {
			if d := piece.target; d != nil && !met[d.FullName()] && p.shown[d.FullName()] == nil {
				met[d.FullName()] = true
				queue = append(queue, &richPart{richBody: p.g.body(d, p.side), level: richLevels - 1, depth: part.depth + 1})
			}
		}
	}
}

func (p *richPlan) add(part *richPart) {
	p.parts = append(p.parts, part)
	if part.depth > 0 {
		p.shown[part.target.FullName()] = part
	}
}

// atMost is how many bytes showing a part adds at the least detail, wherever it and what it holds come to stand.
func (p *richPlan) atMost(part *richPart) int {
	size := len(part.head) + len(`"":,}`) + len(part.rules) + len(`,"description":""`)
	if part.target != nil {
		size += len(part.target.Name())
	}
	for _, piece := range part.forms[richLevels-1].pieces {
		size += len(piece.text)
		if piece.target == nil {
			continue
		}
		size += p.atMostUse(&piece)
	}
	return size
}

// atMostUse is how many bytes a value of another part takes beside that part.
func (p *richPlan) atMostUse(piece *richPiece) int {
	name, said := len(piece.target.Name()), len(piece.said.note)
	reference := len(refOpen) + name + len(refClose)
	if said > 0 {
		reference += len(refSaid) + said
	}
	body := p.g.body(piece.target, p.side)
	inPlace := len(body.head) + len(`,"description":" object."}`) + name + said + len(body.rules)
	return max(reference, inPlace)
}

// maxNest is how many objects stand in each other before one moves to $defs, for people and for validators that recurse.
const maxNest = 8

// place counts the uses of what is shown and settles what stands in $defs: what is used more often than once and is not
// small, and what would stand too deep.
func (p *richPlan) place() {
	for _, part := range p.parts {
		part.uses, part.key, part.nest = 0, "", 0
	}
	p.eachUse(func(_, used *richPart) { used.uses++ })
	var moved []*richPart
	p.eachUse(func(user, used *richPart) {
		if used.key != "" || used.small {
			return
		}
		if used.nest = user.nest + 1; used.uses > 1 || used.nest > maxNest {
			used.nest, used.key = 0, string(used.target.FullName())
			moved = append(moved, used)
		}
	})
	shorten(moved)
}

// eachUse calls f for every place in what is shown that holds what is shown.
func (p *richPlan) eachUse(f func(user, used *richPart)) {
	for _, user := range p.parts {
		for _, piece := range user.forms[0].pieces {
			if piece.target == nil {
				continue
			}
			if used := p.shown[piece.target.FullName()]; used != nil {
				f(user, used)
			}
		}
	}
}

// shorten gives each definition the shortest end of its name that no other one has.
func shorten(parts []*richPart) {
	ends := map[string]int{}
	for _, part := range parts {
		for name := part.key; name != ""; name = withoutFirst(name) {
			ends[name]++
		}
	}
	for _, part := range parts {
		for name := part.key; name != ""; name = withoutFirst(name) {
			if ends[name] == 1 {
				part.key = name
			}
		}
	}
}

// withoutFirst takes the first of several names off, "" for a single one.
func withoutFirst(name string) string {
	for i := range len(name) {
		if name[i] == '.' {
			return name[i+1:]
		}
	}
	return ""
}

// fit drops what was shown last until the whole keeps to the budget, and returns its size.
func (p *richPlan) fit() int {
	for {
		p.place()
		p.buf = p.write(p.buf[:0])
		if len(p.buf) <= p.budget || len(p.parts) == 1 {
			return len(p.buf)
		}
		last := p.parts[len(p.parts)-1]
		p.parts = p.parts[:len(p.parts)-1]
		delete(p.shown, last.target.FullName())
	}
}

// enrich spends what is left on detail: for everything a little first, and outer parts before inner ones.
func (p *richPlan) enrich(spent int) {
	for level := richLevels - 2; level >= 0; level-- {
		for _, part := range p.parts {
			if part.level != level+1 {
				continue
			}
			before := p.own(part)
			part.level = level
			after := p.own(part)
			if spent+after-before > richScale[p.side][level].bytes {
				part.level = level + 1
				continue
			}
			spent += after - before
		}
	}
}

// own is how many bytes of the schema depend on the detail of a part.
func (p *richPlan) own(part *richPart) int {
	switch {
	case part.key != "":
		p.buf = p.definition(p.buf[:0], part, false)
	case part.small || part.isEnum():
		return 0 // written with the detail of what holds it
	default:
		p.buf = p.pieces(p.buf[:0], part, part.level, false)
	}
	return len(p.buf)
}

func (b *richBody) isEnum() bool {
	_, ok := b.target.(protoreflect.EnumDescriptor)
	return ok
}
