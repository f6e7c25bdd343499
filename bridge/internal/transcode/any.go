package transcode

import (
	"encoding/base64"
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// anyPrefix completes a type URL that came as the bare name of a type: receivers insist on the slash.
const anyPrefix = "type.googleapis.com/"

// mostLooked is how many bytes Anys in the arguments may have, those of Anys in each other counted for each of them. The type of
// an Any may stand last, so that all of it is looked over once more than what is around it.
func mostLooked(arguments []byte) int { return 1<<20 + 8*len(arguments) }

// The numbers of the fields of google.protobuf.Any.
const (
	anyTypeURL protoreflect.FieldNumber = 1
	anyPayload protoreflect.FieldNumber = 2
)

// readAny reads an object whose "@type" (or "type_url"), wherever in the object, says what the other members are.
func (r *reader) readAny(m protoreflect.Message) error {
	raw, err := r.raw()
	if err != nil {
		return err
	}
	const want = `an object with "type_url"`
	switch raw.Kind() {
	case '{':
	case '"':
		inner, err := r.heldIn(raw, '{')
		if err != nil {
			return err
		}
		if inner == nil {
			return r.mismatch(want, raw, "")
		}
		raw = inner
	default:
		return r.mismatch(want, raw, "")
	}
	return r.readTyped(m, raw)
}

// readTyped reads raw, an object, into the Any m.
func (r *reader) readTyped(m protoreflect.Message, raw []byte) error {
	if r.looked += len(raw); r.looked > r.mostLooked {
		return r.fault(fmt.Sprintf("more than %d bytes of google.protobuf.Any, counted again for each Any around them", r.mostLooked),
			"put fewer Anys into each other")
	}
	left := r.left
	key, url, err := r.typeOf(raw)
	r.left = left // the tokens are counted when the payload is read
	if err != nil || url == "" {
		return err
	}
	mt, err := r.codec.types.FindMessageByURL(url)
	if err != nil {
		r.path = r.path.field(key)
		return r.fault("unknown type "+quoted(url), "name a message type of this service")
	}
	payload := mt.New()
	err = r.within(raw, func() error {
		if r.codec.plan(payload.Descriptor()).kind == shape.Object {
			return r.readObject(payload, key)
		}
		return r.readPayload(payload, key)
	})
	if err != nil {
		return err
	}
	b, err := deterministic.Marshal(payload.Interface())
	if err != nil {
		return r.fault("cannot be written as "+quoted(url), "")
	}
	if !strings.Contains(url, "/") {
		url = anyPrefix + url
	}
	fields := m.Descriptor().Fields()
	m.Set(fields.ByNumber(anyTypeURL), protoreflect.ValueOfString(url))
	m.Set(fields.ByNumber(anyPayload), protoreflect.ValueOfBytes(b))
	return nil
}

// typeOf finds the type URL of the Any written as raw and the member it stands in; "" for an empty object, and a fault
// for one with members but no type. Where both spellings are given, "@type" counts and "type_url" is a payload's field.
func (r *reader) typeOf(raw []byte) (key, url string, err error) {
	found := map[string]string{}
	count := 0
	err = r.within(raw, func() error {
		return r.enter('{', "an object", "", func() error {
			return r.members(func(name string) error {
				count++
				if name != shape.AnyType && name != shape.AnyTypeAlias {
					return r.skip()
				}
				raw, err := r.raw()
				if err == nil && raw.Kind() == '"' {
					found[name] = unquote(raw)
				}
				return err
			})
		})
	})
	if err != nil || count == 0 {
		return "", "", err
	}
	for _, key := range []string{shape.AnyType, shape.AnyTypeAlias} {
		if found[key] != "" {
			return key, found[key], nil
		}
	}
	return "", "", r.fault(`the argument "type_url" (or "@type") is missing or no string`,
		`name a type, as in "type.googleapis.com/pkg.Message"`)
}

// readPayload reads the JSON of a message that is not an ordinary object, from the member "value".
func (r *reader) readPayload(payload protoreflect.Message, key string) error {
	given := r.codec.plan(payload.Descriptor()).kind == shape.Empty
	return r.enter('{', "an object", "", func() error {
		err := r.members(func(name string) error {
			switch name {
			case key:
				return r.skip()
			case shape.AnyValue:
				given = true
				mark := len(r.path)
				r.path = r.path.field(name)
				err := r.readMessage(payload)
				r.path = r.path[:mark]
				return err
			default:
				return r.fault("unknown argument "+quoted(name), `there are: type_url, value`)
			}
		})
		if err == nil && !given {
			err = r.fault(`missing argument "value"`, "it holds the JSON of "+string(payload.Descriptor().Name()))
		}
		return err
	})
}

// writeAny writes an Any with the fields of its payload, or with the payload's bytes where their type is not known.
func (w *writer) writeAny(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	url := m.Get(fields.ByNumber(anyTypeURL)).String()
	wire := m.Get(fields.ByNumber(anyPayload)).Bytes()
	if url == "" && len(wire) == 0 {
		w.raw("{}")
		return
	}
	mt, err := w.codec.types.FindMessageByURL(url)
	if err != nil {
		w.warnf("the type %s is not known; its bytes are shown as base64", quoted(url))
		w.writeUnknown(url, wire)
		return
	}
	payload := mt.New()
	if err := w.decode(payload, wire); err != nil {
		w.warnf("the bytes are not a valid %s; they are shown as base64", mt.Descriptor().FullName())
		w.writeUnknown(url, wire)
		return
	}
	w.object(func() {
		w.member(shape.AnyType, func() { w.text(url) })
		switch w.codec.plan(payload.Descriptor()).kind {
		case shape.Object, shape.Empty:
			w.writeFields(payload)
		default:
			w.member(shape.AnyValue, func() { w.writeMessage(payload) })
		}
	})
}

func (w *writer) writeUnknown(url string, wire []byte) {
	w.object(func() {
		w.member(shape.AnyType, func() { w.text(url) })
		w.member(shape.AnyValue, func() { w.text(base64.StdEncoding.EncodeToString(wire)) })
	})
}
