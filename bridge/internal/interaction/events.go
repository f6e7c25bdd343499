package interaction

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// eventKind is what an event is; the zero value is data.
type eventKind uint8

const (
	progress eventKind = iota + 1
	log
)

// Events tells what among the messages of a response stream is bridge.v1.Progress
// or bridge.v1.Log, and so no data: the message itself, or the member of a oneof
// that is set. It is immutable and safe for concurrent use.
type Events struct {
	whole   eventKind
	members map[protowire.Number]eventKind
	// rivals are all members of the oneofs that have such a member: the last of them
	// on the wire is set, and no other.
	rivals map[protowire.Number]bool
}

// Event is one of the two.
type Event struct {
	Progress *bridgev1.Progress
	Log      *bridgev1.Log
}

// EventsOf examines the response type of a method. The result is never nil.
func EventsOf(md protoreflect.MessageDescriptor) *Events {
	e := &Events{}
	if md == nil || md.IsPlaceholder() {
		return e
	}
	if e.whole = kindOf(md); e.whole != 0 {
		return e
	}
	oneofs := md.Oneofs()
	for i := range oneofs.Len() {
		e.examine(oneofs.Get(i))
	}
	return e
}

// examine looks at the members of one oneof.
func (e *Events) examine(oneof protoreflect.OneofDescriptor) {
	if oneof.IsSynthetic() {
		return
	}
	fields, found := oneof.Fields(), false
	for i := range fields.Len() {
		fd := fields.Get(i)
		k := kindOf(fd.Message())
		if k == 0 {
			continue
		}
		if e.members == nil {
			e.members, e.rivals = map[protowire.Number]eventKind{}, map[protowire.Number]bool{}
		}
		e.members[fd.Number()], found = k, true
	}
	for i := range fields.Len() {
		if found {
			e.rivals[fields.Get(i).Number()] = true
		}
	}
}

// kindOf recognises a type; 0 for any that is no event.
func kindOf(md protoreflect.MessageDescriptor) eventKind {
	switch {
	case annotation.IsProgress(md):
		return progress
	case annotation.IsLog(md):
		return log
	}
	return 0
}

// None reports that all messages are data.
func (e *Events) None() bool { return e.whole == 0 && len(e.members) == 0 }

// Only reports that no message is data.
func (e *Events) Only() bool { return e.whole != 0 }

// Omits reports whether fd, a direct field of the response, is no part of the
// data. All fields of a response that is an event as a whole are.
func (e *Events) Omits(fd protoreflect.FieldDescriptor) bool {
	return e.whole != 0 || !fd.IsExtension() && e.members[fd.Number()] != 0
}

// Read reports whether a message in wire format is an event, and which. The error
// says that it is one and cannot be read.
func (e *Events) Read(wire []byte) (Event, bool, error) {
	if e.whole != 0 {
		event, err := decode(e.whole, wire)
		return event, true, err
	}
	if len(e.members) == 0 {
		return Event{}, false, nil
	}
	kind, value := e.find(wire)
	if kind == 0 {
		return Event{}, false, nil
	}
	event, err := decode(kind, value)
	return event, true, err
}

// find returns the member that is set, if it is an event. What comes in several
// places is one message, as protobuf merges it.
func (e *Events) find(wire []byte) (kind eventKind, value []byte) {
	var last protowire.Number
	for len(wire) > 0 {
		number, typ, n := protowire.ConsumeTag(wire)
		if n < 0 {
			return 0, nil
		}
		size := protowire.ConsumeFieldValue(number, typ, wire[n:])
		if size < 0 {
			return 0, nil
		}
		if e.rivals[number] {
			if number != last || e.members[number] == 0 || typ != protowire.BytesType {
				kind, value = 0, nil
			}
			last = number
			if k := e.members[number]; k != 0 && typ == protowire.BytesType {
				part, _ := protowire.ConsumeBytes(wire[n:])
				kind, value = k, append(value, part...)
			}
		}
		wire = wire[n+size:]
	}
	return kind, value
}

// decode reads an event.
func decode(kind eventKind, wire []byte) (Event, error) {
	var event Event
	var m proto.Message
	if kind == progress {
		event.Progress = &bridgev1.Progress{}
		m = event.Progress
	} else {
		event.Log = &bridgev1.Log{}
		m = event.Log
	}
	if err := proto.Unmarshal(wire, m); err != nil {
		return Event{}, fmt.Errorf("a message of the type %s cannot be read: %w", m.ProtoReflect().Descriptor().FullName(), err)
	}
	return event, nil
}
