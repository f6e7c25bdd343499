package catalog

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Nearest returns the name of the tool that was surely meant by a name that no tool has, "" when none was. It knows full
// method names (`library.v1.LibraryService.GetBook`, with or without slashes), the last parts of one that only one tool
// has (`LibraryService.GetBook`, `GetBook`, `get_book`), names that a client has prefixed
// (`mcp__server__library_get_book`), other spellings (`libraryGetBook`) and slips of the pen (`library_get_bok`). As a
// model may well do as it is told, another word is never taken for a slip, and the name that an omitted method would
// have for no other tool.
func (c *Catalog) Nearest(name string) string {
	if len(name) > longestAsked {
		return ""
	}
	if t := c.byMethod[dotted(name)]; t != nil {
		return t.Definition.Name
	}
	if c.absent[dotted(name)] != nil {
		return ""
	}
	if i := strings.LastIndex(name, "__"); i >= 0 && c.byName[name[i+2:]] != nil {
		return name[i+2:]
	}
	given, spelt := words(name), c.spellings()
	for _, meant := range [][]*Tool{spelt.respelt(given), spelt.tailOf(given), spelt.slipped(given)} {
		if len(meant) == 1 {
			return meant[0].Definition.Name
		} else if len(meant) > 1 {
			return ""
		}
	}
	return ""
}

// Withheld returns the streaming method that a name stands for: its full name, or the one that its tool would have if
// there could be one. A method that the configuration keeps back is not told of.
func (c *Catalog) Withheld(name string) (Omission, bool) {
	if o := c.absent[dotted(name)]; o != nil && o.Kind == Streaming {
		return *o, true
	}
	return Omission{}, false
}

// longestAsked bounds the names, in bytes, that are compared at all: what is longer than any method's is no slip.
const longestAsked = 256

// dotted writes the path of a gRPC call as a full name.
func dotted(name string) string {
	return strings.ReplaceAll(strings.TrimPrefix(name, "/"), "/", ".")
}

// indexOmitted fills absent. A name that two methods would have, or that a tool has, stands for neither. A method that is a
// resource or a prompt alone, or that tells of changes, is as absent as one that is kept back.
func (c *Catalog) indexOmitted(sources []Source) {
	c.absent = map[string]*Omission{}
	omitted := slices.Clone(c.omitted)
	for _, method := range c.otherwise() {
		if c.byMethod[string(method.FullName())] == nil {
			omitted = append(omitted, Omission{Method: string(method.FullName())})
		}
	}
	for i := range omitted {
		o := &omitted[i]
		method := protoreflect.FullName(o.Method)
		if o.Kind == Ignored || o.Kind == Unmatched || o.Kind == Deficient && !anyHas(sources, method) {
			continue
		}
		c.absent[o.Method] = o
		n := newNaming(Party{Backend: o.Backend, Method: method}, false)
		name := n.name()
		if other := c.absent[name]; c.byName[name] == nil && (other == nil || o.Kind != Streaming) {
			c.absent[name] = o
		}
	}
}

// anyHas says whether a name is that of a method of any source.
func anyHas(sources []Source, name protoreflect.FullName) bool {
	return slices.ContainsFunc(sources, func(s Source) bool { return hasMethod(&s, name) })
}

// hasMethod says whether a name is that of a method.
func hasMethod(source *Source, name protoreflect.FullName) bool {
	d, err := source.Set.Files().FindDescriptorByName(name)
	_, is := d.(protoreflect.MethodDescriptor)
	return err == nil && is
}

// otherwise returns the methods that are resources or prompts, or tell of changes.
func (c *Catalog) otherwise() []protoreflect.MethodDescriptor {
	var methods []protoreflect.MethodDescriptor
	for _, r := range c.readings() {
		methods = append(methods, r.Method)
		if r.Watch != nil {
			methods = append(methods, r.Watch)
		}
	}
	for _, p := range c.prompts {
		methods = append(methods, p.Method)
	}
	return methods
}
