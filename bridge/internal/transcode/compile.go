package transcode

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// plan returns what is known of md, finding it out on first use.
func (c *Codec) plan(md protoreflect.MessageDescriptor) *plan {
	if p, ok := c.plans.Load(md); ok {
		return p.(*plan)
	}
	p := &plan{desc: md, kind: shape.KindOf(md), extended: md.ExtensionRanges().Len() > 0}
	if p.kind == shape.Object || p.kind == shape.Empty {
		p.shape = shape.Of(md)
		p.fields = p.shape.Fields()
		c.conceal(p)
	}
	c.flatten(p)
	stored, _ := c.plans.LoadOrStore(md, p)
	return stored.(*plan)
}

// conceal takes the fields out of p that clients may not see.
func (c *Codec) conceal(p *plan) {
	if c.opts.Hide == nil {
		return
	}
	var seen []shape.Field
	for _, f := range p.fields {
		if !c.opts.Hide(f.Descriptor) {
			seen = append(seen, f)
			continue
		}
		if p.hidden == nil {
			p.hidden = map[protoreflect.FieldNumber]bool{}
		}
		p.hidden[f.Descriptor.Number()] = true
	}
	p.fields = seen
}

// flatten fills the tables of p.
func (c *Codec) flatten(p *plan) {
	fds := p.desc.Fields()
	p.flat = make([]field, fds.Len())
	p.dense = []int32{}
	for i := range fds.Len() {
		f := &p.flat[i]
		c.describe(f, fds.Get(i))
		f.index = i
		if f.hidden = p.hidden[f.desc.Number()]; !f.hidden && len(f.tag) == 1 {
			f.lead = f.tag[0]
		}
		p.number(f)
		if p.shape != nil {
			f.rename(p.shape.Fields()[i].Name)
		}
		if f.desc.Cardinality() == protoreflect.Required && !f.hidden {
			p.required = append(p.required, int32(i))
		}
	}
	if p.shape != nil {
		p.spell()
	}
	p.oneofs, p.odd = p.desc.Oneofs().Len(), p.oddity()
}

// oddity reports whether p is a message set, which protobuf itself does not read, or declares a well-known type otherwise
// than the real one.
func (p *plan) oddity() bool {
	if set, ok := p.desc.(interface{ IsMessageSet() bool }); ok && set.IsMessageSet() {
		return true
	}
	if p.shape != nil {
		return false
	}
	for i := range p.flat {
		f := &p.flat[i]
		if inOneof := f.oneof >= 0; inOneof != (p.kind == shape.Value) || !inOneof && !f.implicit && !f.list && !f.mapped {
			return true
		}
	}
	return p.extended || p.desc.Oneofs().Len() > 1
}

// number makes f findable by its number.
func (p *plan) number(f *field) {
	n := f.desc.Number()
	if n > maxDense {
		if p.sparse == nil {
			p.sparse = map[protowire.Number]int32{}
		}
		p.sparse[n] = int32(f.index)
		return
	}
	for int(n) >= len(p.dense) {
		p.dense = append(p.dense, -1)
	}
	p.dense[n] = int32(f.index)
}

// spell makes the fields findable by every spelling that stands for one.
func (p *plan) spell() {
	p.byName = make(map[string]*field, 2*len(p.flat))
	for i := range p.flat {
		fd := p.flat[i].desc
		for _, name := range []string{p.flat[i].name, fd.JSONName(), fd.TextName(), string(fd.Name())} {
			if f, ok := p.find(name); ok {
				p.byName[name] = &p.flat[f.Descriptor.Index()]
			}
		}
	}
}

// rename gives f the name under which it stands in JSON.
func (f *field) rename(name string) {
	f.name = name
	f.key, _ = jsontext.AppendQuote(nil, name)
	f.key = append(f.key, ':')
}

// describe fills f, but for its place and its name in a message.
func (c *Codec) describe(f *field, fd protoreflect.FieldDescriptor) {
	f.desc, f.number, f.kind, f.oneof = fd, fd.Number(), fd.Kind(), -1
	f.list, f.mapped = fd.IsList(), fd.IsMap()
	f.implicit = fd.Cardinality() != protoreflect.Repeated && !fd.HasPresence()
	f.wire = wireTypes[f.kind]
	f.tag = protowire.AppendTag(nil, fd.Number(), f.wire)
	if f.list && f.wire != protowire.BytesType && f.wire != protowire.StartGroupType {
		f.packed, f.pack = protowire.AppendTag(nil, fd.Number(), protowire.BytesType), fd.IsPacked()
	}
	if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
		f.oneof = od.Index()
	}
	switch {
	case f.mapped:
		f.mapKey, f.value = new(field), new(field)
		c.describe(f.mapKey, fd.MapKey())
		c.describe(f.value, fd.MapValue())
	case fd.Message() != nil:
		f.message = fd.Message()
	case f.kind == protoreflect.EnumKind:
		f.enum = c.enum(fd.Enum())
	}
}

// wireTypes are those of single values.
var wireTypes = map[protoreflect.Kind]protowire.Type{
	protoreflect.BoolKind: protowire.VarintType, protoreflect.EnumKind: protowire.VarintType,
	protoreflect.Int32Kind: protowire.VarintType, protoreflect.Int64Kind: protowire.VarintType,
	protoreflect.Uint32Kind: protowire.VarintType, protoreflect.Uint64Kind: protowire.VarintType,
	protoreflect.Sint32Kind: protowire.VarintType, protoreflect.Sint64Kind: protowire.VarintType,
	protoreflect.Fixed32Kind: protowire.Fixed32Type, protoreflect.Sfixed32Kind: protowire.Fixed32Type,
	protoreflect.FloatKind: protowire.Fixed32Type, protoreflect.DoubleKind: protowire.Fixed64Type,
	protoreflect.Fixed64Kind: protowire.Fixed64Type, protoreflect.Sfixed64Kind: protowire.Fixed64Type,
	protoreflect.StringKind: protowire.BytesType, protoreflect.BytesKind: protowire.BytesType,
	protoreflect.MessageKind: protowire.BytesType, protoreflect.GroupKind: protowire.StartGroupType,
}

// enum is what a plan keeps of an enum type.
type enum struct {
	desc   protoreflect.EnumDescriptor
	null   bool                                        // google.protobuf.NullValue
	quoted map[protoreflect.EnumNumber][]byte          // the JSON of the first name of a number
	dense  [][]byte                                    // the same for the numbers from 0 on without a gap, the first few
	byName map[string]protoreflect.EnumValueDescriptor // as declared
	folded map[string]protoreflect.EnumNumber          // in lower case, where that is unambiguous among all values
}

// maxDenseEnum is how many numbers of an enum are looked up in a table.
const maxDenseEnum = 64

// enum returns what is known of ed, finding it out on first use.
func (c *Codec) enum(ed protoreflect.EnumDescriptor) *enum {
	if e, ok := c.enums.Load(ed); ok {
		return e.(*enum)
	}
	stored, _ := c.enums.LoadOrStore(ed, newEnum(ed))
	return stored.(*enum)
}

func newEnum(ed protoreflect.EnumDescriptor) *enum {
	values := ed.Values()
	e := &enum{
		desc:   ed,
		null:   shape.IsNullValue(ed),
		quoted: make(map[protoreflect.EnumNumber][]byte, values.Len()),
		byName: make(map[string]protoreflect.EnumValueDescriptor, values.Len()),
	}
	for i := range values.Len() {
		v := values.Get(i)
		e.byName[string(v.Name())] = v
		if _, ok := e.quoted[v.Number()]; !ok {
			e.quoted[v.Number()], _ = jsontext.AppendQuote(nil, string(v.Name()))
		}
	}
	for n := range protoreflect.EnumNumber(maxDenseEnum) {
		name, ok := e.quoted[n]
		if !ok {
			break
		}
		e.dense = append(e.dense, name)
	}
	e.fold()
	return e
}

// fold finds the names that stand for one number in any letter case.
func (e *enum) fold() {
	e.folded = make(map[string]protoreflect.EnumNumber, len(e.byName))
	ambiguous := map[string]bool{}
	values := e.desc.Values()
	for i := range values.Len() {
		v := values.Get(i)
		name := strings.ToLower(string(v.Name()))
		if n, ok := e.folded[name]; ok && n != v.Number() {
			ambiguous[name] = true
		}
		e.folded[name] = v.Number()
	}
	for name := range ambiguous {
		delete(e.folded, name)
	}
}
