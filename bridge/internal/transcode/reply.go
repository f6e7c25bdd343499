package transcode

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// MaxWarnings bounds the warnings about one result; where there are more, the last says how many.
const MaxWarnings = 20

// AppendJSON appends to dst the JSON of the response that wire encodes, compact and in the order of declaration, and
// returns a warning for each value that had no JSON form of its own and was replaced: an Any of unknown type by its bytes
// in base64, invalid UTF-8 by U+FFFD, a Timestamp or Duration out of range and NaN in a Value by a string, a Value that
// holds nothing by null, a field mask without canonical form by its raw paths, objects and arrays nested beyond MaxDepth
// by empty ones. A response whose JSON is not an object stands under the key of [shape.OutputWrapper].
//
// Fields the descriptor does not know are left out, and those that [Options].Omit and Hide name. It fails with [ErrReply] for
// wire that is not such a message or has more than 64 groups (fields encoded as DELIMITED, or unknown) directly in each other,
// and with [ErrTooLarge]; dst is then as it was.
func (c *Codec) AppendJSON(dst, wire []byte) ([]byte, []string, error) {
	if out, ok := c.directJSON(dst, wire); ok {
		return out, nil, nil
	}
	out, warnings, err := c.referenceJSON(dst, wire)
	if err == nil && len(warnings) == 0 {
		c.decline(&c.declinedReplies, true)
	}
	return out, warnings, err
}

// referenceJSON is AppendJSON by way of a message. It knows how to replace what has no JSON.
func (c *Codec) referenceJSON(dst, wire []byte) ([]byte, []string, error) {
	w := writer{codec: c, out: dst, start: len(dst)}
	m := dynamicpb.NewMessage(c.output)
	switch err := w.decode(m, wire); {
	case errors.Is(err, errGroups):
		return dst, nil, fmt.Errorf("%w: %w in each other; send fewer, or messages with their length before them", ErrReply, err)
	case err != nil: // whose text says no more, and not the same in every build
		return dst, nil, fmt.Errorf("%w: %d bytes that are not a valid %s", ErrReply, len(wire), c.output.FullName())
	}
	if key, wrapped := shape.OutputWrapper(c.output); wrapped {
		w.object(func() { w.member(key, func() { w.writeMessage(m) }) })
	} else {
		w.writeMessage(m)
	}
	if w.full || len(w.out)-w.start > c.opts.MaxResult {
		return dst, nil, fmt.Errorf("%w: more than %d bytes of JSON from a reply of %d bytes", ErrTooLarge, c.opts.MaxResult, len(wire))
	}
	return w.out, w.warned(), nil
}

// errGroups is of a reply that protobuf's parser would take too long for.
var errGroups = fmt.Errorf("more than %d groups", maxGroups)

// decode parses wire into m, first as it is, and on failure once more with the strings mended that are not UTF-8.
func (w *writer) decode(m protoreflect.Message, wire []byte) error {
	if _, ok := w.codec.shallow(holder{plan: w.codec.plan(m.Descriptor())}, wire, 0, 0); !ok {
		return errGroups
	}
	err := w.codec.unmarshal(wire, m)
	if err == nil {
		return nil
	}
	mended, changed := w.mend(wire, m.Descriptor())
	if !changed {
		return err
	}
	return w.codec.unmarshal(mended, m)
}

// unmarshal is proto.Unmarshal, from which a panic is an error: protobuf-go 1.36 panics on a map entry whose key occurs a
// second time with another wire type, and the bytes are a backend's.
func (c *Codec) unmarshal(wire []byte, m protoreflect.Message) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("cannot be parsed: %v", p)
		}
	}()
	return proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, Resolver: c.types}.Unmarshal(wire, m.Interface())
}
