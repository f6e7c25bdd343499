package schema

import "google.golang.org/protobuf/reflect/protoreflect"

// The names of the properties under which the messages of streams stand.
const (
	// MessagesKey is what a caller of a client stream sends: an array of requests.
	MessagesKey = "messages"
	// ItemsKey is what a server stream has sent: an array of responses.
	ItemsKey = "items"
	// TruncatedKey says that the stream went on beyond a bound: a boolean.
	TruncatedKey = "truncated"
	// ReasonKey says beyond which bound: text.
	ReasonKey = "reason"
	// LeftKey says what was left there: text.
	LeftKey = "left"
)

// listing is what stands around the schema of one message of a stream.
type listing struct{ before, after string }

// wrap writes the schema of the list.
func (l *listing) wrap(item []byte) []byte {
	whole := make([]byte, 0, l.size()+len(item))
	return append(append(append(whole, l.before...), item...), l.after...)
}

func (l *listing) size() int { return len(l.before) + len(l.after) }

// listingNodes is the most that a listing has beside those of a message.
const listingNodes = 5

// framed returns a frame with what the listing leaves of it.
func (l *listing) framed(f frame) frame {
	f.bytes, f.nodes = f.bytes-l.size(), f.nodes-listingNodes
	return f
}

// The listings of both sides. That of what is sent is closed in the rich profile, as other requests are there.
var (
	sentList = &listing{
		`{"type":"object","properties":{"` + MessagesKey + `":{"type":"array","description":"The messages to send, in order.","items":`,
		`}},"required":["` + MessagesKey + `"]}`,
	}
	richSentList = &listing{sentList.before, `}},"required":["` + MessagesKey + `"],"additionalProperties":false}`}
	receivedList = &listing{
		`{"type":"object","properties":{"` + ItemsKey + `":{"type":"array","items":`,
		`},"` + TruncatedKey + `":{"type":"boolean"},"` + ReasonKey + `":{"type":"string"},"` + LeftKey + `":{"type":"string"}}}`,
	}
)

// InputStream describes the arguments of a method that takes a stream of md: an object whose only property, messages, is
// required and is an array of what [Generator.Input] describes. The bounds are the same, for the whole.
func (g *Generator) InputStream(md protoreflect.MessageDescriptor) Schema {
	if g.profile == Rich {
		return g.richSchema(richIn, md, nil, richSentList.framed(inputFrame), richSentList)
	}
	return listed(generate(md, g.input, sentList.framed(inputFrame)), sentList)
}

// FullStream is to InputStream what [Generator.Full] is to [Generator.Input].
func (g *Generator) FullStream(md protoreflect.MessageDescriptor) Schema {
	if g.profile == Rich {
		return g.InputStream(md)
	}
	return listed(generate(md, g.input, sentList.framed(fullFrame)), sentList)
}

// OutputStream describes the results of a method that sends a stream of md: an object with items, an array of what
// [Generator.Output] describes, and truncated, reason and left, which say that there were more. The bounds are the same, for the
// whole, and omit is about the direct fields of each item.
func (g *Generator) OutputStream(md protoreflect.MessageDescriptor, omit func(protoreflect.FieldDescriptor) bool) Schema {
	f := receivedList.framed(outputFrame)
	if g.profile == Rich {
		return g.richSchema(richOut, md, omit, f, receivedList)
	}
	return listed(generate(md, omitting{g.output, omit}, f), receivedList)
}

// listed puts a schema into a listing.
func listed(item Schema, around *listing) Schema {
	item.JSON = around.wrap(item.JSON)
	return item
}

// StreamHeaders says which options (bridge.v1.field).header do nothing because the fields are those of a message of a
// stream: the faults of [Generator.Headers].
func (g *Generator) StreamHeaders(md protoreflect.MessageDescriptor) (faults []string) {
	h := newHeaders(g.reader.Reader)
	h.walk(md)
	for _, fd := range h.fields {
		h.fault(fd, "it stands in the messages of a stream, of which there may be several")
	}
	return h.said()
}
