package descriptor

import (
	"fmt"
	"strings"
)

// frame is a file whose imports are being visited.
type frame struct {
	path  string
	reach int    // the lowest position in the stack that its imports lead back to, above its own if none does
	cycle string // the import cycle that leads there
}

// visit builds a file after its imports, unless that has been tried. The files of an import cycle are given up.
func (b *builder) visit(path string) {
	if position, open := b.open[path]; open {
		b.closeCycle(position)
		return
	}
	if b.built[path] != nil || b.failed[path] != "" || b.missing[path] {
		return
	}
	d := b.drafts[path]
	if d == nil {
		d = linkedStandard(path)
	}
	if d == nil {
		b.missing[path] = true
		return
	}
	position := len(b.stack)
	b.stack, b.open[path] = append(b.stack, frame{path: path, reach: position + 1}), position
	for _, dependency := range d.proto.GetDependency() {
		b.visit(dependency)
	}
	done := b.stack[position]
	b.stack = b.stack[:position]
	delete(b.open, path)
	if done.reach > position {
		b.link(d)
		return
	}
	b.failed[path] = done.cycle
	if done.reach < position {
		b.lead(done.reach, done.cycle)
	}
}

// lead notes that the imports of the file on top lead back to a position.
func (b *builder) lead(position int, cycle string) {
	if top := &b.stack[len(b.stack)-1]; position < top.reach {
		top.reach, top.cycle = position, cycle
	}
}

// closeCycle notes that the file on top imports an open one.
func (b *builder) closeCycle(position int) {
	const shown = 8
	members := b.stack[position:]
	var names []string
	for _, member := range members[:min(len(members), shown)] {
		names = append(names, member.path)
	}
	if rest := len(members) - len(names); rest > 0 {
		names = append(names, fmt.Sprintf("%d more", rest))
	}
	names = append(names, members[0].path)
	b.lead(position, "import cycle: "+strings.Join(names, " → "))
}
