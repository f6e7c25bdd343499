package transcode

import (
	"sync/atomic"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// plan is what the codec keeps about a message type it has met: flat tables, so that neither direction asks a descriptor
// anything, nor holds a message. It does not change once made, but that it comes to know more extensions.
type plan struct {
	desc   protoreflect.MessageDescriptor
	kind   shape.Kind
	shape  *shape.Message                    // nil unless kind is Object or Empty
	fields []shape.Field                     // of shape, without what is hidden
	hidden map[protoreflect.FieldNumber]bool // nil for none

	flat     []field // all fields in the order of declaration, hidden ones too
	dense    []int32 // field number → index in flat, -1 for none
	sparse   map[protowire.Number]int32
	byName   map[string]*field // every accepted spelling, of those that clients may see
	required []int32           // indices in flat, ascending, of required fields that clients may see
	extended bool              // whether the message has extension ranges

	oneofs    int                            // how many there are
	odd       bool                           // not for the direct paths: see oddity
	scattered atomic.Bool                    // whether a reply was met with fields in another order
	known     memo[protowire.Number, *field] // the extensions met in replies
	named     memo[string, *field]           // the extensions met in arguments, by "[full.name]"
}

// maxDense is the largest field number that is looked up in a table.
const maxDense = 255

// field is one field of a plan, or the key or the value of a map.
type field struct {
	desc      protoreflect.FieldDescriptor
	number    protowire.Number
	name      string // as advertised
	key       []byte // `"name":`
	index     int    // in plan.flat; 0 for keys and values of maps
	kind      protoreflect.Kind
	wire      protowire.Type // of one value
	tag       []byte         // of one value
	lead      byte           // tag, where that is one byte and clients may see the field; else 0, which no tag is
	packed    []byte         // of packed values; nil where one cannot be packed
	pack      bool           // whether it is to be written so
	list      bool
	mapped    bool
	implicit  bool // a single value that is not there when it is zero
	hidden    bool
	extension bool // index says nothing then
	oneof     int  // index of the oneof in its message, -1 for none

	message protoreflect.MessageDescriptor // nil for scalars
	enum    *enum                          // nil unless kind is EnumKind
	mapKey  *field                         // nil unless mapped
	value   *field                         // of the entries of a map

	next atomic.Pointer[plan] // of message, made when it is first met
}

// planOf returns the plan of the message that a field holds.
func (c *Codec) planOf(f *field) *plan {
	if p := f.next.Load(); p != nil {
		return p
	}
	p := c.plan(f.message)
	f.next.Store(p)
	return p
}

// byNumber returns the field with a number; nil for none.
func (p *plan) byNumber(n protowire.Number) *field {
	i := int32(-1)
	if n >= 0 && int(n) < len(p.dense) {
		i = p.dense[n]
	} else if at, ok := p.sparse[n]; ok {
		i = at
	}
	if i < 0 {
		return nil
	}
	return &p.flat[i]
}

// find finds a field by any accepted spelling; one that is hidden is not there.
func (p *plan) find(name string) (shape.Field, bool) {
	f, ok := p.shape.Lookup(name)
	return f, ok && !p.hidden[f.Descriptor.Number()]
}

// nearest returns the name that somebody who wrote name probably meant, "" for none.
func (p *plan) nearest(name string) string {
	if p.hidden == nil {
		return p.shape.Nearest(name)
	}
	return shape.Nearest(name, names(p.fields))
}

// names are the advertised ones.
func names(fields []shape.Field) []string {
	list := make([]string, 0, len(fields))
	for _, f := range fields {
		list = append(list, f.Name)
	}
	return list
}
