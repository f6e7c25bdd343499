package transcode

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// writer walks a message and writes its JSON. Once full it writes no more and the result is void.
type writer struct {
	codec    *Codec
	out      []byte
	start    int // where in out the result begins
	depth    int
	full     bool
	path     path
	warnings []string
	unsaid   int // warnings beyond MaxWarnings
}

// warnf records that the value at the path was replaced.
func (w *writer) warnf(format string, args ...any) {
	if len(w.warnings) == MaxWarnings {
		w.unsaid++
		return
	}
	text := fmt.Sprintf(format, args...)
	if len(w.path) > 0 {
		text = string(w.path) + ": " + text
	}
	w.warnings = append(w.warnings, text)
}

func (w *writer) warned() []string {
	if w.unsaid > 0 {
		w.warnings[MaxWarnings-1] = fmt.Sprintf("%d more values were replaced", w.unsaid+1)
	}
	return w.warnings
}

func (w *writer) raw(json string) { w.out = append(w.out, json...) }

// text writes a JSON string and reports whether s was valid UTF-8; where not, U+FFFD stands in.
func (w *writer) text(s string) bool {
	var err error
	w.out, err = jsontext.AppendQuote(w.out, s)
	return err == nil
}

// nest writes what is between two brackets, or nothing when that would nest too deeply.
func (w *writer) nest(open, end byte, inside func()) {
	w.out = append(w.out, open)
	if w.depth++; w.depth > w.codec.opts.MaxDepth {
		w.warnf("nested deeper than %d levels; what is below is left out", w.codec.opts.MaxDepth)
	} else {
		inside()
	}
	w.depth--
	w.out = append(w.out, end)
}

func (w *writer) object(members func()) { w.nest('{', '}', members) }

// comma writes a comma unless the object or array just begins, and notes when the result has outgrown its bound.
func (w *writer) comma() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
	w.full = w.full || len(w.out)-w.start > w.codec.opts.MaxResult
}

// member writes one member of an object, without a step in the path.
func (w *writer) member(name string, value func()) {
	w.comma()
	if w.full {
		return
	}
	w.text(name)
	w.out = append(w.out, ':')
	value()
}

// at runs write with the path one step down.
func (w *writer) at(step path, mark int, write func()) {
	w.path = step
	write()
	w.path = w.path[:mark]
}

// writeMessage writes m as its kind of message is written.
func (w *writer) writeMessage(m protoreflect.Message) {
	first := m.Descriptor().Fields().ByNumber(1)
	switch w.codec.plan(m.Descriptor()).kind {
	case shape.Timestamp, shape.Duration:
		w.writeTime(m)
	case shape.FieldMask:
		w.writeFieldMask(m)
	case shape.Wrapper:
		w.writeScalar(first, m.Get(first))
	case shape.Struct, shape.ListValue:
		w.writeField(first, m.Get(first))
	case shape.Value:
		w.writeValue(m)
	case shape.Any:
		w.writeAny(m)
	default:
		w.object(func() { w.writeFields(m) })
	}
}

// writeFields writes the members of an ordinary message: its fields as declared, then its extensions by name.
func (w *writer) writeFields(m protoreflect.Message) {
	for _, f := range w.codec.plan(m.Descriptor()).fields {
		fd := f.Descriptor
		if w.omits(fd) || !m.Has(fd) && (!w.codec.opts.EmitDefaults || fd.HasPresence()) {
			continue
		}
		w.writeNamed(f.Name, fd, m.Get(fd))
		if w.full {
			return
		}
	}
	if m.Descriptor().ExtensionRanges().Len() == 0 {
		return
	}
	var extensions []protoreflect.FieldDescriptor
	m.Range(func(fd protoreflect.FieldDescriptor, _ protoreflect.Value) bool {
		if fd.IsExtension() && !w.codec.hides(fd) {
			extensions = append(extensions, fd)
		}
		return true
	})
	slices.SortFunc(extensions, func(a, b protoreflect.FieldDescriptor) int { return cmp.Compare(a.FullName(), b.FullName()) })
	for _, fd := range extensions {
		w.writeNamed("["+string(fd.FullName())+"]", fd, m.Get(fd))
	}
}

// omits reports whether fd is a field of the response itself that is not to be shown.
func (w *writer) omits(fd protoreflect.FieldDescriptor) bool {
	c := w.codec
	return c.opts.Omit != nil && w.depth == 1 && fd.ContainingMessage() == c.output && c.opts.Omit(fd)
}

func (w *writer) writeNamed(name string, fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	w.member(name, func() {
		w.at(w.path.field(name), len(w.path), func() { w.writeField(fd, v) })
	})
}

// writeField writes the whole value of a field: list, map or single.
func (w *writer) writeField(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch {
	case fd.IsList():
		w.nest('[', ']', func() { w.writeList(fd, v.List()) })
	case fd.IsMap():
		w.object(func() { w.writeMap(fd, v.Map()) })
	default:
		w.writeSingular(fd, v)
	}
}

func (w *writer) writeList(fd protoreflect.FieldDescriptor, list protoreflect.List) {
	for i := range list.Len() {
		if w.comma(); w.full {
			return
		}
		w.at(w.path.index(i), len(w.path), func() { w.writeSingular(fd, list.Get(i)) })
	}
}

// writeMap writes the entries in the order of their keys. Keys that are not UTF-8 are mended; where that makes two keys
// equal, the first stays.
func (w *writer) writeMap(fd protoreflect.FieldDescriptor, entries protoreflect.Map) {
	mended := map[string]bool{}
	for _, k := range sortedKeys(entries) {
		name := k.String()
		if !utf8.ValidString(name) {
			name = strings.ToValidUTF8(name, "\uFFFD")
			w.warnf("the key %s is not valid UTF-8; U+FFFD stands in its place", quoted(name))
			if mended[name] || entries.Has(protoreflect.ValueOfString(name).MapKey()) {
				continue
			}
			mended[name] = true
		}
		w.member(name, func() {
			w.at(w.path.key(name), len(w.path), func() { w.writeSingular(fd.MapValue(), entries.Get(k)) })
		})
		if w.full {
			return
		}
	}
}

// sortedKeys orders false before true, numbers by value and strings by bytes.
func sortedKeys(entries protoreflect.Map) []protoreflect.MapKey {
	keys := make([]protoreflect.MapKey, 0, entries.Len())
	entries.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
		keys = append(keys, k)
		return true
	})
	slices.SortFunc(keys, func(a, b protoreflect.MapKey) int {
		switch a.Interface().(type) {
		case int32, int64:
			return cmp.Compare(a.Int(), b.Int())
		case uint32, uint64:
			return cmp.Compare(a.Uint(), b.Uint())
		default:
			return cmp.Compare(a.String(), b.String())
		}
	})
	return keys
}

func (w *writer) writeSingular(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
	if fd.Message() != nil {
		w.writeMessage(v.Message())
		return
	}
	w.writeScalar(fd, v)
}
