package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// maxKey bounds, in bytes, what a path shows of the key of a map; maxPath is what a line of an error shows of a path.
const maxKey, maxPath = 60, 400

// place is where in a request a rule is broken.
type place struct {
	// path is the place by advertised names.
	path string
	// steps lead there, for the order among places.
	steps []step
	// message is the innermost message on the way, and field the last field of it; nil where the rule is the message's own.
	message protoreflect.MessageDescriptor
	field   protoreflect.FieldDescriptor
	// oneof is set where the rule is that of a oneof of message.
	oneof protoreflect.OneofDescriptor
}

// step is a field, and what is chosen of a list or a map.
type step struct {
	field    int // in the order of declaration
	signed   int64
	unsigned uint64
	text     string
}

func compareSteps(a, b step) int {
	return cmp.Or(
		cmp.Compare(a.field, b.field), cmp.Compare(a.signed, b.signed), cmp.Compare(a.unsigned, b.unsigned), cmp.Compare(a.text, b.text),
	)
}

func comparePlaces(a, b *place) int { return slices.CompareFunc(a.steps, b.steps, compareSteps) }

// teller tells a client what it has violated.
type teller struct {
	hide      func(protoreflect.FieldDescriptor) bool     // nil hides nothing
	hideValue func(protoreflect.EnumValueDescriptor) bool // nil hides nothing
	input     protoreflect.MessageDescriptor
	shapes    map[protoreflect.MessageDescriptor]*shape.Message
	secrets   map[protoreflect.MessageDescriptor]map[string]bool // see [teller.secretsOf]
}

// name is the advertised name of a field.
func (t *teller) name(fd protoreflect.FieldDescriptor) string {
	md := fd.ContainingMessage()
	if t.shapes[md] == nil {
		if t.shapes == nil {
			t.shapes = map[protoreflect.MessageDescriptor]*shape.Message{}
		}
		t.shapes[md] = shape.Of(md)
	}
	return t.shapes[md].Fields()[fd.Index()].Name
}

func (t *teller) hides(fd protoreflect.FieldDescriptor) bool { return t.hide != nil && t.hide(fd) }

// listed names those of the fields that clients may see, "" where there is none.
func (t *teller) listed(fields []protoreflect.FieldDescriptor) string {
	var names []string
	for _, fd := range fields {
		if !t.hides(fd) {
			names = append(names, t.name(fd))
		}
	}
	return strings.Join(names, ", ")
}

// locate follows a path of the validator from the input.
func (t *teller) locate(path *validate.FieldPath) place {
	p := place{message: t.input}
	var text strings.Builder
	for _, e := range path.GetElements() {
		if p.field != nil {
			p.message, p.field = messageOf(p.field), nil
		}
		fd := p.message.Fields().ByNumber(protoreflect.FieldNumber(e.GetFieldNumber()))
		if fd == nil { // a oneof is the only thing with a name and no number
			p.choose(protoreflect.Name(e.GetFieldName()))
			break
		}
		p.field = fd
		chosen, subscript := subscriptOf(e)
		chosen.field = fd.Index()
		p.steps = append(p.steps, chosen)
		if text.Len() > 0 {
			text.WriteByte('.')
		}
		text.WriteString(t.name(fd) + subscript)
	}
	p.path = text.String()
	return p
}

// choose ends the way at a oneof, which stands where its first member does.
func (p *place) choose(name protoreflect.Name) {
	p.oneof = p.message.Oneofs().ByName(name)
	if p.oneof != nil && p.oneof.Fields().Len() > 0 {
		p.steps = append(p.steps, step{field: p.oneof.Fields().Get(0).Index()})
	}
}

// owner is the message whose own rule is broken at p.
func (p *place) owner() protoreflect.MessageDescriptor {
	if p.field != nil {
		return messageOf(p.field)
	}
	return p.message
}

// messageOf returns the type of a field's values.
func messageOf(fd protoreflect.FieldDescriptor) protoreflect.MessageDescriptor {
	if fd.IsMap() {
		return fd.MapValue().Message()
	}
	return fd.Message()
}

// subscriptOf returns what an element of a path chooses of a list or a map, and how that is written.
func subscriptOf(e *validate.FieldPathElement) (step, string) {
	switch e.WhichSubscript() {
	case validate.FieldPathElement_Index_case:
		return step{unsigned: e.GetIndex()}, "[" + strconv.FormatUint(e.GetIndex(), 10) + "]"
	case validate.FieldPathElement_BoolKey_case:
		return step{text: strconv.FormatBool(e.GetBoolKey())}, key(strconv.FormatBool(e.GetBoolKey()))
	case validate.FieldPathElement_IntKey_case:
		return step{signed: e.GetIntKey()}, key(strconv.FormatInt(e.GetIntKey(), 10))
	case validate.FieldPathElement_UintKey_case:
		return step{unsigned: e.GetUintKey()}, key(strconv.FormatUint(e.GetUintKey(), 10))
	case validate.FieldPathElement_StringKey_case:
		return step{text: e.GetStringKey()}, key(e.GetStringKey())
	}
	return step{}, ""
}

// key writes a key of a map, cut when long, as the errors of package transcode do.
func key(k string) string {
	tail := ""
	if len(k) > maxKey {
		k, tail = strings.ToValidUTF8(k[:maxKey], ""), "…"
	}
	b, _ := jsontext.AppendQuote([]byte{'['}, k)
	return string(b) + tail + "]"
}
