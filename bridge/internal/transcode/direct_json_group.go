package transcode

import "google.golang.org/protobuf/encoding/protowire"

// maxGroups is how many groups may be open in each other, with no length between them. The end of a group is found by reading
// all of it, which protobuf's parser does for each that is open: the time is their number times the size.
const maxGroups = 64

// What is noted of groups: sizes of those that others begin in, of at least so many bytes, and no more than so many.
const (
	minNotedGroup  = 32
	maxNotedGroups = 64 << 10
)

// opened is a group whose end is looked for.
type opened struct {
	number protowire.Number
	from   int
	parent bool // whether another begins in it
}

// sizeOf is the function of that name, which reads groups in each other once only.
func (e *emitter) sizeOf(num protowire.Number, typ protowire.Type, b []byte) int {
	if typ != protowire.StartGroupType {
		return sizeOf(num, typ, b)
	}
	if size, ok := e.groups[e.room-cap(b)]; ok {
		return size
	}
	return groupSize(num, b, e)
}

// take is the field's method, which reads groups in each other once only.
func (e *emitter) take(f *field, b []byte) (v value, rest []byte, ok bool) {
	if f.wire != protowire.StartGroupType {
		return f.take(b)
	}
	size := e.sizeOf(f.number, f.wire, b)
	if size < 0 {
		return v, b, false
	}
	return value{text: withoutEnd(f.number, b[:size])}, b[size:], true
}

// withoutEnd cuts the tag off with which a group ends. It may be longer than it has to be, by bytes without any bit of a number.
func withoutEnd(num protowire.Number, group []byte) []byte {
	n := len(group)
	for group[n-1]&0x7f == 0 {
		n--
	}
	return group[:n-protowire.SizeTag(num)]
}

// groupSize is how many bytes of b a group takes, with the tag at its end; negative where it is not valid, or holds too many in
// each other. Those that e, if any, will ask for again are noted.
func groupSize(num protowire.Number, b []byte, e *emitter) int {
	var open [maxGroups]opened
	open[0].number = num
	for at, last := 0, 0; at < len(b); {
		num, typ, n := tagOf(b[at:])
		if n == 0 {
			return -1
		}
		at += n
		switch typ {
		case protowire.StartGroupType:
			open[last].parent = true
			if last++; last == maxGroups {
				return -1
			}
			open[last] = opened{number: num, from: at}
		case protowire.EndGroupType:
			group := open[last]
			if group.number != num || e != nil && !e.noteGroup(group, b, at) {
				return -1
			}
			if last--; last < 0 {
				return at
			}
		default:
			size := sizeOf(num, typ, b[at:])
			if size < 0 {
				return -1
			}
			at += size
		}
	}
	return -1
}

// noteGroup notes how large a group is that ends before b[to]. It is known by what is left of the reply's capacity.
func (e *emitter) noteGroup(group opened, b []byte, to int) bool {
	size := to - group.from
	if !group.parent || size < minNotedGroup {
		return true
	}
	if e.groups == nil {
		e.groups = make(map[int]int)
	}
	e.groups[e.room-cap(b)+group.from] = size
	return len(e.groups) <= maxNotedGroups
}

// holder is what has fields: a message, an entry of a map, or, with both nil, something unknown.
type holder struct {
	plan  *plan
	entry *field // the map
}

// within returns what an occurrence of a field holds; fields is whether that is something known to have fields.
func (c *Codec) within(h holder, num protowire.Number, typ protowire.Type) (held holder, fields bool) {
	var f *field
	switch {
	case h.entry != nil && num == 2:
		f = h.entry.value
	case h.plan != nil:
		if f = h.plan.byNumber(num); f == nil && h.plan.extended && h.plan.desc.ExtensionRanges().Has(num) {
			f, _ = c.extensionOf(h.plan, num)
		}
	}
	switch {
	case f == nil || !f.fits(typ):
		return holder{}, false
	case f.mapped:
		return holder{entry: f}, true
	case f.message != nil:
		return holder{plan: c.planOf(f)}, true
	default:
		return holder{}, false
	}
}

// shallow reports whether b, which begins within so many open groups and levels of messages, has not too many groups in each
// other. It goes to the end, or to that of the group that is open, and returns the rest. What is malformed it leaves to the parser.
func (c *Codec) shallow(h holder, b []byte, groups, levels int) (rest []byte, ok bool) {
	if groups > maxGroups || levels > protowire.DefaultRecursionLimit {
		return nil, groups <= maxGroups
	}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 || typ == protowire.EndGroupType {
			return b[max(n, 0):], true
		}
		b = b[n:]
		held, fields := c.within(h, num, typ)
		if typ == protowire.StartGroupType {
			if b, ok = c.shallow(held, b, groups+1, levels+1); !ok {
				return nil, false
			}
			continue
		}
		size := protowire.ConsumeFieldValue(num, typ, b)
		if size < 0 {
			return nil, true
		}
		if fields {
			inner, _ := protowire.ConsumeBytes(b)
			if _, ok = c.shallow(held, inner, 0, levels+1); !ok {
				return nil, false
			}
		}
		b = b[size:]
	}
	return nil, true
}
