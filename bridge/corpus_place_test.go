package bridge_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// place is a value in arguments, and what must not stand there.
type place struct {
	steps []any  // keys and indices that lead there in JSON
	path  string // as an error spells it
	names string // what the error has to name beside the path, "" for nothing
	bad   []any
}

// placesOf finds the places in the arguments of a request, in a fixed order; none below what may be any JSON.
func placesOf(request protoreflect.Message, tree any) []place {
	v := visitor{tree: tree}
	if key, wrapped := shape.InputWrapper(request.Descriptor()); wrapped {
		v.message(place{steps: []any{key}, path: key}, request)
	} else {
		v.message(place{}, request)
	}
	return v.places
}

type visitor struct {
	tree   any
	places []place
}

// add takes a place with what is wrong there.
func (v *visitor) add(p place, bad ...any) {
	p.bad = bad
	v.places = append(v.places, p)
}

// message visits the fields of a message that are written as one.
func (v *visitor) message(p place, m protoreflect.Message) {
	switch kind := shape.KindOf(m.Descriptor()); kind {
	case shape.Object, shape.Empty:
		v.object(p, m)
	case shape.Wrapper:
		v.add(p, badScalar(m.Descriptor().Fields().ByNumber(1))...)
	case shape.Timestamp:
		v.add(p, "yesterday", "2026-02-30T00:00:00Z", json.Number("5"), map[string]any{})
	case shape.Duration:
		v.add(p, "1m", "PT1S", json.Number("5"), []any{})
	}
}

func (v *visitor) object(p place, m protoreflect.Message) {
	const unknown = "noSuchThingAtAll"
	stray := place{steps: append(slices.Clone(p.steps), unknown), path: p.path, names: unknown}
	v.add(stray, true, nil, "x")
	if len(p.steps) > 0 {
		v.add(p, json.Number("5"), "no object", true)
	}
	for _, f := range shape.Of(m.Descriptor()).Fields() {
		if m.Has(f.Descriptor) && f.Descriptor.JSONName() == f.Name {
			v.field(p.below(f.Name, "."+f.Name), f.Descriptor, m.Get(f.Descriptor))
		}
	}
}

// below is a place one step further down.
func (p place) below(step any, path string) place {
	if p.path == "" {
		path = path[min(1, len(path)):]
	}
	return place{steps: append(slices.Clone(p.steps), step), path: p.path + path}
}

func (v *visitor) field(p place, fd protoreflect.FieldDescriptor, value protoreflect.Value) {
	switch {
	case fd.IsMap():
		v.add(p, json.Number("7"), true, []any{})
		v.entries(p, fd, value.Map())
	case fd.IsList():
		v.add(p, json.Number("7"), true, map[string]any{})
		for i := range value.List().Len() {
			v.single(p.below(i, "["+strconv.Itoa(i)+"]"), fd, value.List().Get(i))
		}
	default:
		v.single(p, fd, value)
	}
}

// entries visits the values of a map. Keys that an error may cut, or writes with escapes of its own, are passed over.
func (v *visitor) entries(p place, fd protoreflect.FieldDescriptor, entries protoreflect.Map) {
	byKey := map[string]protoreflect.Value{}
	for key, value := range entries.Range {
		byKey[key.String()] = value
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		if strconv.Quote(key) == `"`+key+`"` && len(key) < 60 {
			v.single(p.below(key, fmt.Sprintf("[%q]", key)), fd.MapValue(), byKey[key])
		}
	}
}

func (v *visitor) single(p place, fd protoreflect.FieldDescriptor, value protoreflect.Value) {
	if fd.Message() != nil {
		v.message(p, value.Message())
		return
	}
	v.add(p, badScalar(fd)...)
}

// badScalar are values that are none of a field, and nothing that could be mended to one.
func badScalar(fd protoreflect.FieldDescriptor) []any {
	object, list := map[string]any{"a": json.Number("1")}, []any{json.Number("1")}
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return []any{object, list, json.Number("7"), "maybe"}
	case protoreflect.EnumKind:
		if shape.IsNullValue(fd.Enum()) {
			return []any{object}
		}
		return []any{object, list, true, "NO_SUCH_NAME_OF_ANY_ENUM"}
	case protoreflect.StringKind:
		return []any{object, list}
	case protoreflect.BytesKind:
		return []any{object, list, true, "not base64!"}
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return []any{object, list, true, "much", json.Number("1e999")}
	}
	return []any{object, list, true, "many", json.Number("1.5"), json.Number("99999999999999999999")}
}

// replaced returns a copy of JSON with another value at a place.
func replaced(tree any, steps []any, value any) any {
	if len(steps) == 0 {
		return value
	}
	switch node := tree.(type) {
	case []any:
		i := steps[0].(int)
		node = slices.Clone(node)
		node[i] = replaced(node[i], steps[1:], value)
		return node
	case map[string]any:
		key := steps[0].(string)
		node = maps.Clone(node)
		node[key] = replaced(node[key], steps[1:], value)
		return node
	}
	return tree
}
