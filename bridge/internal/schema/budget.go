package schema

import (
	"fmt"
	"slices"

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
	// trifle is how many bytes more than its stub a message may take in any case.
	trifle int
	// stops says that messages for which there is no room stay stubs. Where that is not enough, because the fields of the
	// root alone are too many, a next level is for these.
	stops bool
}

// ordinary is the room of the first sentence of a comment. What is said at that length is not called cut.
const ordinary = 200

// The levels of the portable profile. The last two of input are for roots that would not fit otherwise.
var (
	inputLevels = []level{
		{room: [3]int{maxText, maxText, maxText}, named: 10, enum: maxEnum, bytes: 256},
		{room: [3]int{ordinary, 100, 80}, named: 10, enum: maxEnum, bytes: 1000},
		{room: [3]int{150, 80, 60}, named: 10, enum: maxEnum, bytes: 2000},
		{room: [3]int{120, 60, 0}, named: 8, enum: maxEnum, bytes: 2000},
		{room: [3]int{100, 0, 0}, named: 8, enum: maxEnum, bytes: 3000},
		{room: [3]int{80, 0, 0}, named: 8, enum: 16, bytes: 2800, needed: 6000, trifle: 48, stops: true},
		{room: [3]int{60, 0, 0}, named: 4, enum: 16, bytes: 2800, stops: true},
		{room: [3]int{0, 0, 0}, named: 0, enum: 16, bytes: 2800, stops: true},
	}
	outputLevels = []level{
		{named: 10, bytes: 3 << 10},
		{named: 4, bytes: 3 << 10, stops: true},
		{named: 0, bytes: 3 << 10, stops: true},
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
	fields      []string                         // of the root
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
		add("%s not expanded: %s", numbered(len(c.stubs), "message"), list(types(c.stubs)))
	}
	if len(c.deep) > 0 {
		add("messages below depth %d not expanded: %s", f.depth, list(types(c.deep)))
	}
	if len(c.fields) > 0 {
		add("%s of the root left out: %s", numbered(len(c.fields), "field"), list(c.fields))
	}
	return all
}

// numbered counts things by a word to which an s makes more of them.
func numbered(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
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
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}
