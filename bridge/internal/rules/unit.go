package rules

import (
	"cmp"
	"slices"
	"strconv"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// unit is a rule that can be left out alone.
type unit struct {
	name string
	// within is the unit without which this one cannot be; -1 for none.
	within int
}

// walk goes through the units of rules in an order that is the same each time, so that they can be told by number, and copies
// those that keep admits.
type walk struct {
	keep  func(n int) bool
	units []unit
	depth int // of rules for items, keys and values
}

// maxNested is how deep rules for items, keys and values are followed. What is further down is about nothing, since items of
// items there are none, and is left out.
const maxNested = 3

// add notes a unit and reports whether it is kept.
func (w *walk) add(name string, within int) bool {
	w.units = append(w.units, unit{name, within})
	return w.keep(len(w.units) - 1)
}

// needs reports whether unit n is k, or lies within it.
func (w *walk) needs(n, k int) bool {
	for ; n >= 0; n = w.units[n].within {
		if n == k {
			return true
		}
	}
	return false
}

func (w *walk) message(rules *validate.MessageRules) *validate.MessageRules {
	kept := proto.CloneOf(rules)
	kept.SetCel(slices.DeleteFunc(kept.GetCel(), func(r *validate.Rule) bool { return !w.add(nameOf(r), -1) }))
	kept.SetCelExpression(slices.DeleteFunc(kept.GetCelExpression(), func(text string) bool { return !w.add(text, -1) }))
	kept.SetOneof(slices.DeleteFunc(kept.GetOneof(), func(*validate.MessageOneofRule) bool { return !w.add("message.oneof", -1) }))
	return kept
}

func (w *walk) field(rules *validate.FieldRules, within int) *validate.FieldRules {
	kept := proto.CloneOf(rules)
	kept.SetCel(slices.DeleteFunc(kept.GetCel(), func(r *validate.Rule) bool { return !w.add(nameOf(r), within) }))
	kept.SetCelExpression(slices.DeleteFunc(kept.GetCelExpression(), func(text string) bool { return !w.add(text, within) }))
	m := kept.ProtoReflect()
	kind := m.WhichOneof(m.Descriptor().Oneofs().ByName("type"))
	if kind == nil {
		return kept
	}
	keeps := w.add(string(kind.Name()), within)
	w.typed(m.Mutable(kind).Message(), string(kind.Name()), len(w.units)-1)
	if !keeps {
		m.Clear(kind)
	}
	return kept
}

// typed goes through the rules for one type, such as StringRules, and those for items, keys and values within them.
func (w *walk) typed(m protoreflect.Message, kind string, within int) {
	var set []protoreflect.FieldDescriptor
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		set = append(set, fd)
		return true
	})
	slices.SortFunc(set, func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(a.Number(), b.Number()) })
	for _, fd := range set {
		if nested, ok := m.Get(fd).Interface().(protoreflect.Message); ok {
			if rules, ok := nested.Interface().(*validate.FieldRules); ok {
				w.nested(m, fd, rules, within)
				continue
			}
		}
		if !w.add(kind+"."+fd.TextName(), within) {
			m.Clear(fd)
		}
	}
	w.unknown(m, kind, within)
}

// nested goes through rules for items, keys or values.
func (w *walk) nested(m protoreflect.Message, fd protoreflect.FieldDescriptor, rules *validate.FieldRules, within int) {
	if w.depth == maxNested {
		m.Clear(fd)
		return
	}
	w.depth++
	m.Set(fd, protoreflect.ValueOfMessage(w.field(rules, within).ProtoReflect()))
	w.depth--
}

// unknown goes through predefined rules, which are unknown fields until the validator looks them up.
func (w *walk) unknown(m protoreflect.Message, kind string, within int) {
	var kept protoreflect.RawFields
	admitted := map[protowire.Number]bool{}
	for rest := m.GetUnknown(); len(rest) > 0; {
		number, _, size := protowire.ConsumeField(rest)
		if size < 0 {
			break
		}
		if _, met := admitted[number]; !met {
			admitted[number] = w.add(kind+"."+strconv.Itoa(int(number)), within)
		}
		if admitted[number] {
			kept = append(kept, rest[:size]...)
		}
		rest = rest[size:]
	}
	m.SetUnknown(kept)
}

// nameOf is what a rule is called by, which need not have an id.
func nameOf(r *validate.Rule) string { return cmp.Or(r.GetId(), r.GetExpression()) }
