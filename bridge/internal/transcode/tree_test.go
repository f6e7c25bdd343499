package transcode_test

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// node is a JSON value that can be changed: an object, an array, or anything else as it is written.
type node struct {
	kind    jsontext.Kind
	raw     string // unless it is an object or an array
	names   []string
	members []*node // of an object by names, of an array without
}

// readTree reads valid JSON.
func readTree(t rapid.TB, text string) *node {
	dec := jsontext.NewDecoder(strings.NewReader(text))
	return readNode(t, dec)
}

func readNode(t rapid.TB, dec *jsontext.Decoder) *node {
	n := &node{kind: dec.PeekKind()}
	if n.kind != '{' && n.kind != '[' {
		raw, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		n.raw = string(raw)
		return n
	}
	_, _ = dec.ReadToken()
	for dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		if n.kind == '{' {
			name, err := dec.ReadToken()
			if err != nil {
				t.Fatal(err)
			}
			n.names = append(n.names, name.String())
		}
		n.members = append(n.members, readNode(t, dec))
	}
	_, _ = dec.ReadToken()
	return n
}

// String writes the JSON, names in their order, those given twice included.
func (n *node) String() string {
	if n.raw != "" {
		return n.raw
	}
	parts := make([]string, len(n.members))
	for i, m := range n.members {
		if n.kind == '{' {
			parts[i] = quote(n.names[i]) + ":"
		}
		parts[i] += m.String()
	}
	if n.kind == '{' {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// add adds a member to an object at some place.
func (n *node) add(at int, name, raw string) {
	n.names = append(n.names[:at:at], append([]string{name}, n.names[at:]...)...)
	n.members = append(n.members[:at:at], append([]*node{{raw: raw}}, n.members[at:]...)...)
}

func quote(s string) string {
	b, _ := jsontext.AppendQuote(nil, s)
	return string(b)
}

// spot is a value in arguments, with the path by which an error should name it.
type spot struct {
	*node

	path string
	// md is set for an object of one member a field, fd for a scalar or an enum; neither for other values.
	md protoreflect.MessageDescriptor
	fd protoreflect.FieldDescriptor
	// kind is how a message is written; list and map say that it is all of a list or a map.
	kind      shape.Kind
	list, dic bool
	// outermost is the path of the outermost Any around the value, nil for none.
	outermost *string
}

// walker finds the spots of arguments by the descriptors.
type walker struct {
	types     transcode.Resolver
	spots     []spot
	outermost *string
}

// add adds a spot.
func (w *walker) add(s spot) {
	s.outermost = w.outermost
	w.spots = append(w.spots, s)
}

func (w *walker) message(md protoreflect.MessageDescriptor, n *node, path string) {
	kind := shape.KindOf(md)
	s := spot{node: n, path: path, kind: kind}
	switch kind {
	case shape.Value:
		return
	case shape.Wrapper:
		w.single(md.Fields().ByNumber(1), n, path)
		return
	case shape.Any:
		w.any(n, path)
	case shape.Object, shape.Empty:
		s.md = md
		w.fields(md, n, path, "")
	}
	w.add(s)
}

// fields goes through the members of an object, but for one that says its type.
func (w *walker) fields(md protoreflect.MessageDescriptor, n *node, path, skip string) {
	for i, name := range n.names {
		f, ok := shape.Of(md).Lookup(name)
		if !ok || name == skip || n.members[i].raw == "null" {
			continue
		}
		step := f.Name
		if path != "" {
			step = path + "." + step
		}
		w.field(f.Descriptor, n.members[i], step)
	}
}

func (w *walker) field(fd protoreflect.FieldDescriptor, n *node, path string) {
	switch {
	case fd.IsMap():
		w.add(spot{node: n, path: path, dic: true})
		for i, name := range n.names {
			w.single(fd.MapValue(), n.members[i], path+"["+quote(name)+"]")
		}
	case fd.IsList():
		w.add(spot{node: n, path: path, list: true})
		for i, m := range n.members {
			w.single(fd, m, path+"["+strconv.Itoa(i)+"]")
		}
	default:
		w.single(fd, n, path)
	}
}

func (w *walker) single(fd protoreflect.FieldDescriptor, n *node, path string) {
	if md := fd.Message(); md != nil {
		w.message(md, n, path)
		return
	}
	w.add(spot{node: n, path: path, fd: fd})
}

// any goes through the payload of an Any.
func (w *walker) any(n *node, path string) {
	if w.outermost == nil {
		w.outermost = &path
		defer func() { w.outermost = nil }()
	}
	for i, name := range n.names {
		if name != shape.AnyType {
			continue
		}
		mt, err := w.types.FindMessageByURL(strings.Trim(n.members[i].raw, `"`))
		if err != nil {
			return
		}
		md := mt.Descriptor()
		if shape.KindOf(md) == shape.Object {
			w.fields(md, n, path, name)
			return
		}
		for j, name := range n.names {
			if name == shape.AnyValue {
				w.message(md, n.members[j], strings.TrimPrefix(path+".value", "."))
			}
		}
	}
}
