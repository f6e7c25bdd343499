package schema

import (
	"fmt"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// level says how much is told. The levels of a frame are the order in which it is given up: texts are trimmed, then those
// further down go, then lists of names, then, at the last level, the messages for which there is no room.
type level struct {
	// room is for a comment, in characters, by depth: of a property of the root, one below, and further down. maxText
	// stands for the whole comment, less for its first sentence.
	room [3]int
	// named is how many fields the stub of a message names.
	named int
	// enum is how many names an enum keyword has at most below the properties of the root.
	enum int
	// bytes is what a schema may take for this level to be chosen: a listing of many tools is affordable only where those
	// that have much to say say it shorter.
	bytes int
	// needed is what a schema may take for messages without which no call can be made, if that is more than bytes.
	needed int
	// trifle is how many bytes more than its stub a small message may take to be expanded before all others, and trifles
	// what the schema may take beyond its root with it.
	trifle, trifles int
	// many is how many fields a request has, all its messages together, for which there are bytes and no more. For each
	// further one there are some on top, and extra is the most of that.
	many, each, extra int
	// spare are the rooms, in rising order, for comments further down when all is expanded for which there is room.
	spare []int
	// stops says that messages for which there is no room stay stubs. Where that is not enough, because the fields of the
	// root alone are too many, a next level is for these.
	stops bool
}

// ordinary is the room of the first sentence of a comment. What is said at that length is not called cut.
const ordinary = 160

// The levels of the portable profile. The last two of what is sent are for roots that would not fit otherwise.
var (
	inputLevels = []level{
		{room: [3]int{maxText, maxText, maxText}, named: 10, enum: maxEnum, bytes: 240},
		{room: [3]int{ordinary, 100, 80}, named: 10, enum: maxEnum, bytes: 1000},
		{room: [3]int{120, 70, 60}, named: 10, enum: maxEnum, bytes: 2000},
		{room: [3]int{120, 60, 0}, named: 8, enum: maxEnum, bytes: 2000},
		{room: [3]int{100, 0, 0}, named: 8, enum: maxEnum, bytes: 3000},
		{
			room: [3]int{80, 0, 0}, named: 8, enum: 16, bytes: 2800, needed: 6500, trifle: 160, trifles: 3400,
			many: 76, each: 60, extra: 5000, spare: []int{48, 64, 80}, stops: true,
		},
		{room: [3]int{60, 0, 0}, named: 4, enum: 16, bytes: 2800, stops: true},
		{room: [3]int{0, 0, 0}, named: 0, enum: 16, bytes: 2800, stops: true},
	}
	fullLevels = []level{
		{room: [3]int{maxText, maxText, maxText}, named: 10, enum: maxEnum, bytes: 16 << 10},
		{room: [3]int{maxText, ordinary, 100}, named: 10, enum: maxEnum, bytes: 16 << 10},
		{room: [3]int{ordinary, 80, 0}, named: 10, enum: maxEnum, bytes: 16 << 10, spare: []int{48, 64, 80}, stops: true},
		{room: [3]int{60, 0, 0}, named: 4, enum: 16, bytes: 16 << 10, stops: true},
		{room: [3]int{0, 0, 0}, named: 0, enum: 16, bytes: 16 << 10, stops: true},
	}
	outputLevels = []level{
		{named: 10, bytes: 3 << 10, trifle: 1, trifles: 8 << 10},
		{named: 4, bytes: 3 << 10, trifle: 1, trifles: 8 << 10, stops: true},
		{named: 0, bytes: 3 << 10, trifle: 1, trifles: 8 << 10, stops: true},
	}
)

// view is the part of a level that is about the fields of one message.
type view struct {
	room, enum int
	root       bool
}

// at returns what is told at a depth, 1 for the properties of the root.
func (l level) at(depth int) view {
	v := view{room: l.room[min(depth, len(l.room))-1], enum: l.enum}
	if depth == 1 {
		v.enum = maxEnum
	}
	return v
}

// cuts collects what a schema leaves out.
type cuts struct {
	enums       []string
	stubs, deep []protoreflect.MessageDescriptor // not expanded for want of room, and for their depth
	required    []string                         // fields of the root without which no call can be made
	fields      []string                         // others of the root
	endless     string                           // why no call can be complete, "" where one can
	trimmed     int                              // the least room for which a first sentence is too long, 0 for none
	told        int                              // the depth below which comments are left out
}

// everything is a depth below which there is nothing.
const everything = 1 << 10

// trim notes the room for which a sentence was too long; 0 for none.
func (c *cuts) trim(room int) {
	if room > 0 && (c.trimmed == 0 || room < c.trimmed) {
		c.trimmed = room
	}
}

// note adds what the description of a field leaves out, of which the texts are measured by a depth.
func (c *cuts) note(m *member, told int) {
	if m.cut != "" {
		c.enums = append(c.enums, m.cut)
	}
	c.trim(m.trimmed)
	if m.silent {
		c.told = min(c.told, told-1)
	}
}

// add takes over what a part of the schema leaves out.
func (c *cuts) add(part cuts) {
	c.enums = append(c.enums, part.enums...)
	c.trim(part.trimmed)
	c.told = min(c.told, part.told)
}

// clauses says it in words.
func (c *cuts) clauses(f frame) []string {
	var all []string
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if c.trimmed > 0 {
		add("texts trimmed to %d characters", c.trimmed)
	}
	if c.told < everything {
		add("texts below depth %d left out", c.told)
	}
	if names := unique(c.enums); len(names) > 0 {
		add("enum lists shortened: %s", list(names))
	}
	if len(c.stubs) > 0 {
		add("%s not expanded: %s", number(uint64(len(c.stubs)), "message"), list(types(c.stubs)))
	}
	if len(c.deep) > 0 {
		add("messages below depth %d not expanded: %s", f.depth, list(types(c.deep)))
	}
	all = append(all, leftOut(c.required, c.fields)...)
	if c.endless != "" {
		all = append(all, c.endless)
	}
	return all
}

func types(mds []protoreflect.MessageDescriptor) []string {
	names := make([]string, len(mds))
	for i, md := range mds {
		names[i] = string(md.Name())
	}
	return unique(names)
}

// unique leaves out repetitions.
func unique(names []string) []string {
	var once []string
	met := make(map[string]bool, len(names))
	for _, name := range names {
		if !met[name] {
			met[name] = true
			once = append(once, name)
		}
	}
	return once
}
