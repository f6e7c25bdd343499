package transcode

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// deterministic also allows missing required fields: the reader has looked for them already, with a path.
var deterministic = proto.MarshalOptions{Deterministic: true, AllowPartial: true}

// AppendWire appends to dst the wire form of the request that arguments describe: one JSON object, strictly read
// (duplicate names, invalid UTF-8 and trailing data are refused), of no more tokens than [jsonrpc.DefaultLimits] allows a
// message, those of JSON in strings counted in. Anys, those in other Anys counted again for each of these, may have 1 MiB and eight
// times the length of the arguments. Nothing at all, blanks, null and {} are all the empty request. A request whose JSON is not
// an object stands under the key of [shape.InputWrapper], or, as long as it is no object, in place of the arguments. The same
// bytes of arguments give the same wire bytes; the order of fields may follow that of the members, so that arguments that differ
// in the order of members, in blanks or in spellings give requests that are equal and not always the same bytes. A failure is an
// *[ArgumentError] and leaves dst as it was.
func (c *Codec) AppendWire(dst, arguments []byte) ([]byte, error) {
	if wire, ok := c.directWire(dst, arguments); ok {
		return wire, nil
	}
	wire, err := c.referenceWire(dst, arguments)
	if err == nil {
		c.decline(&c.declinedArguments, false)
	}
	return wire, err
}

// referenceWire is AppendWire by way of a message. It knows how to say what is wrong.
func (c *Codec) referenceWire(dst, arguments []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(c.input)
	if len(bytes.Trim(arguments, " \t\r\n")) == 0 {
		arguments = []byte("null")
	}
	r := reader{codec: c, left: jsonrpc.DefaultLimits.Tokens, mostLooked: mostLooked(arguments)}
	if err := r.within(arguments, func() error { return r.readArguments(m) }); err != nil {
		return dst, err
	}
	wire, err := deterministic.MarshalAppend(dst, m)
	if err != nil {
		return dst, &ArgumentError{Reason: fmt.Sprintf("cannot be written as %s: %v", c.input.FullName(), err)}
	}
	return wire, nil
}

// readArguments reads the whole of the arguments into m.
func (r *reader) readArguments(m protoreflect.Message) error {
	wrapper, wrapped := shape.InputWrapper(m.Descriptor())
	switch r.dec.PeekKind() {
	case 'n':
		if err := r.skip(); err != nil {
			return err
		}
		return r.missing(m)
	case '"':
		return r.readQuotedArguments(m, wrapper)
	case '{':
		if wrapped {
			return r.readWrapped(m, wrapper)
		}
	}
	return r.readMessage(m)
}

// readQuotedArguments reads arguments that came as one JSON string: an object written as a string, or a request that is
// itself a string, without its wrapper. Where both could be, a string that holds exactly a wrapped request is one.
func (r *reader) readQuotedArguments(m protoreflect.Message, wrapper string) error {
	if wrapper == "" {
		return r.readMessage(m)
	}
	raw, err := r.raw()
	if err != nil {
		return err
	}
	inner, err := r.heldIn(raw, '{')
	if err != nil {
		return err
	}
	if inner != nil && onlyMember(inner, wrapper) {
		return r.within(inner, func() error { return r.readWrapped(m, wrapper) })
	}
	return r.within(raw, func() error { return r.readMessage(m) })
}

// readWrapped reads {"value": …}.
func (r *reader) readWrapped(m protoreflect.Message, wrapper string) error {
	return r.enter('{', "an object", "", func() error {
		return r.members(func(name string) error {
			if name != wrapper {
				return r.fault("unknown argument "+quoted(name), "put everything under "+quoted(wrapper))
			}
			if r.dec.PeekKind() == 'n' && r.codec.plan(m.Descriptor()).kind != shape.Value {
				return r.skip()
			}
			mark := len(r.path)
			r.path = r.path.field(name)
			err := r.readMessage(m)
			r.path = r.path[:mark]
			return err
		})
	})
}

// onlyMember reports whether object, valid JSON, has one member and it is called name.
func onlyMember(object []byte, name string) bool {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := dec.ReadToken(); err != nil {
		return false
	}
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '"' || tok.String() != name {
		return false
	}
	return dec.SkipValue() == nil && dec.PeekKind() == '}'
}
