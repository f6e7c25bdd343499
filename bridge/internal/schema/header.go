package schema

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// headerKeyword is the annotation by which clients repeat an argument in a header (2026-07-28
// basic/transports/streamable-http).
const headerKeyword = "x-mcp-header"

// headers collects what a schema says of headers. A client drops a tool of which one annotation is against the rules, so
// what is against them is left away and told.
type headers struct {
	reader *annotation.Reader
	params []mcp.HeaderParam
	faults []string
	told   map[string]bool                // faults, those beyond maxFaults included
	taken  map[string]bool                // header names in lower case
	met    map[protoreflect.FullName]bool // fields that an annotation was found for, good or bad
	given  map[protoreflect.FullName]int  // how deep the field's header stands; at least 1
	walked map[protoreflect.FullName]bool // messages
	fields []protoreflect.FieldDescriptor // with the option, in the order in which they were found
}

func newHeaders(reader *annotation.Reader) *headers {
	return &headers{
		reader: reader, told: map[string]bool{},
		taken: map[string]bool{}, met: map[protoreflect.FullName]bool{}, given: map[protoreflect.FullName]int{},
		walked: map[protoreflect.FullName]bool{},
	}
}

// Headers adds x-mcp-header to an input schema that [Generator.Input] made of md, for the fields with the option (bridge.v1.field).header,
// and returns the new schema, nil when it has none, and what the headers repeat, in the order of the schema. Only strings,
// integers of 32 bits and bools are annotated that are reached through singular messages and are shown, none of which is
// marked with debug_redact; names must be tokens (RFC 9110 section 5.6.2). Where several arguments have a header of one name,
// letter case aside, the shallowest has it, and of these the first: so a message that holds itself has it once. Each option
// that is not followed, or cannot be read, is a fault: a sentence without a full stop that names the field and the reason; of
// more than 20 faults the last says how many there are.
func (g *Generator) Headers(
	md protoreflect.MessageDescriptor, schema []byte,
) (annotated []byte, params []mcp.HeaderParam, faults []string) {
	h := newHeaders(g.reader.Reader)
	h.assign(schema, place{md: objectOf(md)})
	h.walk(md)
	for _, fd := range h.fields {
		if !h.met[fd.FullName()] {
			h.fault(fd, "it is not shown as an argument that is reached through singular messages")
		}
	}
	if len(h.params) == 0 {
		return nil, nil, h.said()
	}
	w := headerWriter{found: h.params}
	annotated = w.object(nil, schema, place{md: objectOf(md)})
	return annotated, w.params, h.said()
}

// headed is a property that may get a header, and fd its field, nil for none.
type headed struct {
	schema []byte
	at     place
	fd     protoreflect.FieldDescriptor
}

// assign gives headers to properties, breadth first.
func (h *headers) assign(schema []byte, root place) {
	for level := []headed{{schema, root, nil}}; len(level) > 0; {
		var next []headed
		for _, p := range level {
			if p.fd != nil {
				h.accept(p)
			}
			properties, _ := jsonrpc.Find(p.schema, "properties")
			if p.at.md == nil {
				continue
			}
			for name, value := range jsonrpc.Pairs(properties) {
				below, fd := p.at.below(string(name))
				next = append(next, headed{value, below, fd})
			}
		}
		level = next
	}
}

// objectOf returns md if properties stand for its fields, else nil.
func objectOf(md protoreflect.MessageDescriptor) protoreflect.MessageDescriptor {
	if md == nil || shape.KindOf(md) != shape.Object {
		return nil
	}
	return md
}

// place is where in a schema, and so in a message, something stands.
type place struct {
	path    []string
	aliases [][]string                     // for each name of path, the other spellings that are accepted
	md      protoreflect.MessageDescriptor // whose fields the properties are; nil where that is not known
	secret  bool
}

// below returns the place of a property, and the field that it stands for, nil for none.
func (p place) below(name string) (place, protoreflect.FieldDescriptor) {
	next := place{path: append(slices.Clip(p.path), name), aliases: append(slices.Clip(p.aliases), nil), secret: p.secret}
	if p.md == nil {
		return next, nil
	}
	message := shape.Of(p.md)
	f, ok := message.Lookup(name)
	if !ok {
		return next, nil
	}
	fd := f.Descriptor
	next.aliases[len(next.aliases)-1] = aliases(message, f, name)
	if o, ok := fd.Options().(*descriptorpb.FieldOptions); ok && o.GetDebugRedact() {
		next.secret = true
	}
	if !fd.IsList() && !fd.IsMap() {
		next.md = objectOf(fd.Message())
	}
	return next, fd
}

// aliases returns the spellings other than name under which a field is accepted.
func aliases(message *shape.Message, f shape.Field, name string) []string {
	var others []string
	for _, spelling := range []string{f.Name, f.Descriptor.JSONName(), f.Descriptor.TextName(), string(f.Descriptor.Name())} {
		found, ok := message.Lookup(spelling)
		if ok && found == f && spelling != name && !slices.Contains(others, spelling) {
			others = append(others, spelling)
		}
	}
	return others
}

// accept gives a property its header, if its field asks for one. A field that is met again further down, as in a message that
// holds itself, is no fault: it has its header already.
func (h *headers) accept(p headed) {
	header := h.reader.FieldOptions(p.fd).GetHeader()
	name, depth := p.fd.FullName(), len(p.at.path)
	if given := h.given[name]; header == "" || given > 0 && given < depth {
		return
	}
	h.met[name] = true
	reason := "only strings, integers of 32 bits and bools can be in a header"
	if isHeaderKind(p.fd) {
		reason = h.add(header, p.schema, p.at)
	}
	if reason != "" {
		h.fault(p.fd, reason)
		return
	}
	h.given[name] = depth
}

// isHeaderKind reports whether a field, or the value in its wrapper, can be in a header.
func isHeaderKind(fd protoreflect.FieldDescriptor) bool {
	if fd.IsList() || fd.IsMap() {
		return false
	}
	if md := fd.Message(); md != nil && shape.KindOf(md) == shape.Wrapper {
		fd = md.Fields().ByNumber(1)
	}
	switch fd.Kind() {
	case protoreflect.StringKind, protoreflect.BoolKind, protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return true
	}
	return false
}

// add notes a header, or says why there can be none.
func (h *headers) add(header string, schema []byte, at place) (reason string) {
	raw, _ := jsonrpc.Find(schema, "type")
	kind, _ := jsonrpc.Unquote(raw)
	folded := strings.ToLower(header)
	switch {
	case kind != "string" && kind != "integer" && kind != "boolean":
		return "the type of its schema is not exactly string, integer or boolean"
	case at.secret:
		return "it is marked with debug_redact, and secrets do not go into headers"
	case !isToken(header):
		return "the name is no token: use letters, digits and !#$%&'*+-.^_`|~"
	case h.taken[folded]:
		return "another argument has a header of that name, letter case aside: choose another name"
	}
	h.taken[folded] = true
	h.params = append(h.params, mcp.HeaderParam{Name: header, Path: at.path, Aliases: trimmed(at.aliases), Integer: kind == "integer"})
	return ""
}

// trimmed leaves out the names at the end that have no other spelling; nil where none has.
func trimmed(aliases [][]string) [][]string {
	for i := len(aliases); i > 0; i-- {
		if aliases[i-1] != nil {
			return slices.Clip(aliases[:i])
		}
	}
	return nil
}

// isToken reports whether text is a token of RFC 9110 section 5.6.2.
func isToken(text string) bool {
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		case strings.ContainsRune("!#$%&'*+-.^_`|~", r):
		default:
			return false
		}
	}
	return text != ""
}

func (h *headers) fault(fd protoreflect.FieldDescriptor, reason string) {
	sentence := fmt.Sprintf("field %s gets no header %q: %s", fd.FullName(), h.reader.FieldOptions(fd).GetHeader(), reason)
	h.tell(sentence)
}

// maxFaults is how many faults of one method are told: a message that many methods share would be told of by each.
const maxFaults = 20

// tell adds a fault that has not been told.
func (h *headers) tell(sentence string) {
	if h.told[sentence] {
		return
	}
	h.told[sentence] = true
	if len(h.faults) < maxFaults {
		h.faults = append(h.faults, sentence)
	}
}

// said returns the faults, and that there are more.
func (h *headers) said() []string {
	if more := len(h.told) - len(h.faults); more > 0 {
		return append(h.faults, fmt.Sprintf("%d more fields are at fault in their option (bridge.v1.field).header", more))
	}
	return h.faults
}

// walk finds the fields with the option among all that md can hold, and tells what of their options cannot be read.
func (h *headers) walk(md protoreflect.MessageDescriptor) {
	if h.walked[md.FullName()] {
		return
	}
	h.walked[md.FullName()] = true
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if h.reader.FieldOptions(fd).GetHeader() != "" {
			h.fields = append(h.fields, fd)
		}
		for _, flaw := range h.reader.FlawsOf(fd).Ignored {
			h.tell(fmt.Sprintf("field %s: %s", fd.FullName(), flaw))
		}
		if fd.Message() != nil {
			h.walk(fd.Message())
		}
	}
}
