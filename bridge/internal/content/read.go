package content

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// MaxBlocks is how many blocks, contents or messages one response may become.
const MaxBlocks = 1000

// ErrTooLarge is wrapped by the error for a response with more than [MaxBlocks] blocks.
var ErrTooLarge = errors.New("result too large")

// ErrReply is wrapped by the error for bytes that are not a message of the method's response type: the backend speaks
// another version of its API than its descriptors do.
var ErrReply = errors.New("unreadable reply")

// value is one value of a part.
type value struct {
	part    *part
	index   int // in its list
	message proto.Message
}

// place names where the value stands in the response: "cover", or "pages/2" in a list.
func (v *value) place() string {
	if v.part.list {
		return fmt.Sprintf("%s/%d", v.part.name, v.index)
	}
	return v.part.name
}

// values parses the parts of a response, in the order of declaration and of their lists. A singular field that occurs
// several times is merged, and of a oneof the last member stays, as protobuf has it.
func (o *Output) values(wire []byte) ([]value, error) {
	r := reading{Output: o, found: make([][]proto.Message, len(o.parts))}
	if o.whole {
		err := r.take(0, wire)
		return r.values(), err
	}
	for len(wire) > 0 {
		num, typ, size := protowire.ConsumeField(wire)
		if size < 0 {
			return nil, fmt.Errorf("%w: bytes that are not a valid %s", ErrReply, o.response)
		}
		r.compete(num, typ)
		if i, ok := r.byNumber[num]; ok && typ == protowire.BytesType { // with another type, protobuf takes it for unknown
			_, _, tag := protowire.ConsumeTag(wire)
			encoded, _ := protowire.ConsumeBytes(wire[tag:size])
			if err := r.take(i, encoded); err != nil {
				return nil, err
			}
		}
		wire = wire[size:]
	}
	return r.values(), nil
}

// reading is a response being read.
type reading struct {
	*Output
	found [][]proto.Message // parallel to parts
	count int
}

// take parses one occurrence of a part.
func (r *reading) take(i int, encoded []byte) error {
	p := &r.parts[i]
	if p.list || len(r.found[i]) == 0 {
		if r.count++; r.count > MaxBlocks {
			return fmt.Errorf("%w: more than %d blocks of content", ErrTooLarge, MaxBlocks)
		}
		r.found[i] = append(r.found[i], kinds[p.kind].ProtoReflect().New().Interface())
	}
	m := r.found[i][len(r.found[i])-1]
	if err := merge(m, encoded); err != nil {
		return fmt.Errorf("%w: %s of %s is not a valid %s", ErrReply, p.name, r.response, m.ProtoReflect().Descriptor().FullName())
	}
	return nil
}

// compete unsets the other members of a oneof when one of them occurs.
func (r *reading) compete(num protowire.Number, typ protowire.Type) {
	one, ok := r.rivals[num]
	if !ok || one.typ != typ {
		return
	}
	own, isPart := r.byNumber[num]
	for i := range r.parts {
		if r.parts[i].oneof == one.oneof && (!isPart || i != own) {
			r.count -= len(r.found[i])
			r.found[i] = nil
		}
	}
}

// values puts what was found in order.
func (r *reading) values() []value {
	all := make([]value, 0, r.count)
	for i := range r.parts {
		for index, m := range r.found[i] {
			all = append(all, value{&r.parts[i], index, m})
		}
	}
	return all
}

// merge parses encoded into m, with U+FFFD where a string is not UTF-8: the parser would refuse the whole message.
func merge(m proto.Message, encoded []byte) error {
	if body, ok := m.(*httpbody.HttpBody); ok {
		return mergeBody(body, encoded)
	}
	if md := m.ProtoReflect().Descriptor(); !sound(encoded, md) {
		encoded = mend(nil, encoded, md)
	}
	return proto.UnmarshalOptions{Merge: true}.Unmarshal(encoded, m)
}

// Numbers of google/api/httpbody.proto.
const (
	bodyContentType = 1
	bodyData        = 2
)

// mergeBody reads the two fields that matter. The third, a list of google.protobuf.Any, could take forty times the memory
// of its bytes.
func mergeBody(body *httpbody.HttpBody, encoded []byte) error {
	for len(encoded) > 0 {
		num, typ, size := protowire.ConsumeField(encoded)
		if size < 0 {
			return protowire.ParseError(size)
		}
		if typ == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(encoded)
			switch content, _ := protowire.ConsumeBytes(encoded[tag:size]); num {
			case bodyContentType:
				body.ContentType = strings.ToValidUTF8(string(content), "\uFFFD")
			case bodyData:
				body.Data = content
			}
		}
		encoded = encoded[size:]
	}
	return nil
}
