package backend

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// scrub takes out of a detail, at any depth and inside Any values, what is never shown: the fields that descriptors mark
// as debug_redact, those of a type that is [secret], and the data of google.rpc.RequestInfo, which is for the backend's
// own people. What stays of texts loses the markup of [neutral]. It reports false for a message that it cannot see
// through, which must not be shown then.
func scrub(m protoreflect.Message, types Resolver, depth int) bool {
	if depth > maxDetailDepth {
		return false
	}
	if m.Descriptor().FullName() == "google.protobuf.Any" {
		return scrubAny(m, types, depth)
	}
	ok := true
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case withheld(fd):
			m.Clear(fd)
		case fd.IsMap():
			ok = scrubMap(fd.MapValue(), v.Map(), types, depth+1)
		case fd.IsList():
			ok = scrubList(fd, v.List(), types, depth+1)
		default:
			v, ok = scrubValue(fd, v, types, depth+1)
			if fd.Kind() == protoreflect.StringKind {
				m.Set(fd, v)
			}
		}
		return ok
	})
	return ok
}

// withheld reports the fields that are never shown.
func withheld(fd protoreflect.FieldDescriptor) bool {
	value := fd
	if fd.IsMap() {
		value = fd.MapValue()
	}
	options, _ := fd.Options().(*descriptorpb.FieldOptions)
	return options.GetDebugRedact() || value.Message() != nil && secret(value.Message().FullName()) ||
		fd.FullName() == "google.rpc.RequestInfo.serving_data"
}

// scrubMap scrubs the values. Keys name things; where one is more than that, the map is not shown.
func scrubMap(value protoreflect.FieldDescriptor, entries protoreflect.Map, types Resolver, depth int) bool {
	ok := true
	entries.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		if key, text := k.Interface().(string); text && neutral(key) != key {
			ok = false
			return false
		}
		v, ok = scrubValue(value, v, types, depth)
		if value.Kind() == protoreflect.StringKind {
			entries.Set(k, v)
		}
		return ok
	})
	return ok
}

func scrubList(fd protoreflect.FieldDescriptor, list protoreflect.List, types Resolver, depth int) bool {
	for i := range list.Len() {
		v, ok := scrubValue(fd, list.Get(i), types, depth)
		if !ok {
			return false
		}
		if fd.Kind() == protoreflect.StringKind {
			list.Set(i, v)
		}
	}
	return true
}

// scrubValue scrubs a message in place and returns a text scrubbed.
func scrubValue(fd protoreflect.FieldDescriptor, v protoreflect.Value, types Resolver, depth int) (protoreflect.Value, bool) {
	switch {
	case fd.Message() != nil:
		return v, scrub(v.Message(), types, depth)
	case fd.Kind() == protoreflect.StringKind:
		return protoreflect.ValueOfString(neutral(v.String())), true
	}
	return v, true
}

// scrubAny scrubs what an Any holds. An empty one holds nothing.
func scrubAny(m protoreflect.Message, types Resolver, depth int) bool {
	fields := m.Descriptor().Fields()
	url, value := fields.ByNumber(1), fields.ByNumber(2)
	if url == nil || value == nil {
		return false
	}
	if m.Get(url).String() == "" {
		m.Clear(value)
		return true
	}
	mt, err := types.FindMessageByURL(m.Get(url).String())
	if err != nil {
		return false
	}
	inner := mt.New().Interface()
	if unmarshal(m.Get(value).Bytes(), inner, types) != nil || !scrub(inner.ProtoReflect(), types, depth+1) {
		return false
	}
	wire, err := proto.Marshal(inner)
	if err != nil {
		return false
	}
	m.Set(value, protoreflect.ValueOfBytes(wire))
	return true
}
