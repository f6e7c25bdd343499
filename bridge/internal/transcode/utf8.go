package transcode

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// mender rewrites wire whose strings are not all UTF-8. The protobuf parser refuses such a message as a whole, so this
// has to happen before it. One pass collects the edits, inner before outer lengths, a second applies them: nesting does
// not multiply the copying.
type mender struct {
	*writer
	edits  []edit
	hidden int // how many of the fields on the path clients may not see
}

// edit replaces wire[from:to].
type edit struct {
	from, to int
	with     []byte
}

// mend returns wire, a message of type md, with U+FFFD in place of invalid bytes in strings, and whether there were any.
// Malformed wire stays as it is from where it is malformed, for the parser to refuse.
func (w *writer) mend(wire []byte, md protoreflect.MessageDescriptor) (mended []byte, changed bool) {
	m := mender{writer: w}
	m.message(wire, 0, md, 0)
	done := 0
	for _, e := range m.edits {
		mended = append(append(mended, wire[done:e.from]...), e.with...)
		done = e.to
	}
	return append(mended, wire[done:]...), len(m.edits) > 0
}

// message collects the edits of wire, which begins at offset at, and returns by how much they lengthen it.
func (m *mender) message(wire []byte, at int, md protoreflect.MessageDescriptor, depth int) (grown int) {
	if depth > protowire.DefaultRecursionLimit {
		return 0
	}
	counts := map[protowire.Number]int{}
	for len(wire) > 0 {
		num, typ, tag := protowire.ConsumeTag(wire)
		if tag < 0 {
			return grown
		}
		size := protowire.ConsumeFieldValue(num, typ, wire[tag:])
		if size < 0 {
			return grown
		}
		if fd := m.field(md, num); fd != nil {
			mark, hidden := len(m.path), m.hidden
			m.step(fd, counts[num])
			counts[num]++
			grown += m.value(wire[tag:tag+size], at+tag, fd, typ, depth)
			m.path, m.hidden = m.path[:mark], hidden
		}
		wire = wire[tag+size:]
		at += tag + size
	}
	return grown
}

// step appends fd to the path; fields that JSON does not show as members have no step.
func (m *mender) step(fd protoreflect.FieldDescriptor, index int) {
	md := fd.ContainingMessage()
	switch {
	case fd.IsExtension():
		m.path = m.path.field("[" + string(fd.FullName()) + "]")
		m.hide(m.codec.hides(fd))
	case !md.IsMapEntry() && m.codec.plan(md).kind == shape.Object:
		p := m.codec.plan(md)
		m.path = m.path.field(p.shape.Fields()[fd.Index()].Name)
		m.hide(p.hidden[fd.Number()])
	}
	if fd.IsList() {
		m.path = m.path.index(index)
	}
}

// hide notes whether clients may not see the last step: what is mended below it is not told.
func (m *mender) hide(hidden bool) {
	if hidden {
		m.hidden++
	}
}

// field finds a field or extension of md by its number, or nil.
func (m *mender) field(md protoreflect.MessageDescriptor, num protowire.Number) protoreflect.FieldDescriptor {
	if fd := md.Fields().ByNumber(num); fd != nil {
		return fd
	}
	if !md.ExtensionRanges().Has(num) {
		return nil
	}
	xt, err := m.codec.types.FindExtensionByNumber(md.FullName(), num)
	if err != nil {
		return nil
	}
	return xt.TypeDescriptor()
}

// value collects the edits of one field's encoded value, which begins at offset at.
func (m *mender) value(value []byte, at int, fd protoreflect.FieldDescriptor, typ protowire.Type, depth int) (grown int) {
	switch {
	case typ == protowire.BytesType && fd.Kind() == protoreflect.StringKind:
		s, _ := protowire.ConsumeBytes(value)
		if utf8.Valid(s) {
			return 0
		}
		if m.hidden == 0 {
			m.warnf(badUTF8)
		}
		e := edit{at, at + len(value), protowire.AppendString(nil, strings.ToValidUTF8(string(s), "\uFFFD"))}
		m.edits = append(m.edits, e)
		return len(e.with) - len(value)
	case typ == protowire.BytesType && fd.Kind() == protoreflect.MessageKind:
		inner, size := protowire.ConsumeBytes(value)
		prefix := size - len(inner)
		i := len(m.edits)
		m.edits = append(m.edits, edit{at, at + prefix, nil})
		grown = m.message(inner, at+prefix, fd.Message(), depth+1)
		if len(m.edits) == i+1 {
			m.edits = m.edits[:i]
			return 0
		}
		m.edits[i].with = protowire.AppendVarint(nil, uint64(len(inner)+grown))
		return grown + len(m.edits[i].with) - prefix
	case typ == protowire.StartGroupType && fd.Kind() == protoreflect.GroupKind:
		inner, _ := protowire.ConsumeGroup(fd.Number(), value)
		return m.message(inner, at, fd.Message(), depth+1)
	default:
		return 0
	}
}
