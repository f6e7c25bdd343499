package catalog

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
)

// Nearest returns the name of the tool that was surely meant by a name that no tool has, "" when none was. It knows full
// method names (`library.v1.LibraryService.GetBook`, with or without slashes), the last parts of one that only one tool
// has (`LibraryService.GetBook`, `GetBook`, `get_book`), names that a client has prefixed
// (`mcp__server__library_get_book`), other spellings (`libraryGetBook`) and slips of the pen in the name of a tool
// (`library_get_bok`) and in a full one (`library.v1.LibraryService.GetBok`). As a
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
	for _, meant := range [][]*Tool{spelt.respelt(given), spelt.tailOf(given), spelt.slipped(given), spelt.slippedFull(given)} {
		if len(meant) == 1 {
			return meant[0].Definition.Name
		} else if len(meant) > 1 {
			return ""
		}
	}
	return ""
}

// Withheld returns the method that a name stands for and that is no tool for what it is: one that clients would refuse, one
// that cannot be made a tool. The name is its full one, or that which its tool would have. A method that is kept back, by
// the configuration, by an option or for a label, is not told of.
func (c *Catalog) Withheld(name string) (Omission, bool) {
	if o := c.absent[dotted(name)]; o != nil && o.telling() {
		return *o, true
	}
	return Omission{}, false
}

// telling says whether who asks for a method may know why there is none.
func (o *Omission) telling() bool {
	return o.Kind == Withheld || o.Kind == Deficient
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
		if o.Kind == Ignored || o.Kind == Unmatched {
			continue
		}
		if o.Kind == Deficient {
			found := methodAt(sources, o.Backend, method)
			if found == nil {
				continue
			}
			if annotation.FlawsOf(found).Closed != "" {
				o.Kind = Refused // what cannot be read may say that it is hidden
			}
		}
		c.absent[o.Method] = o
		n := newNaming(Party{Backend: o.Backend, Method: method}, false)
		c.stands(n.name(), o)
	}
	for _, name := range slices.Sorted(maps.Keys(c.refused)) {
		c.stands(name, new(c.refused[name]))
	}
}

// stands has a name stand for what is omitted, unless it has a better use.
func (c *Catalog) stands(name string, o *Omission) {
	if other := c.absent[name]; c.byName[name] == nil && (other == nil || !o.telling()) {
		c.absent[name] = o
	}
}

// methodAt finds a method of a backend; nil for none.
func methodAt(sources []Source, backend string, name protoreflect.FullName) protoreflect.MethodDescriptor {
	for i := range sources {
		if sources[i].Backend.Name() == backend {
			return methodOf(&sources[i], name)
		}
	}
	return nil
}

// methodOf finds a method by its full name; nil for none.
func methodOf(source *Source, name protoreflect.FullName) protoreflect.MethodDescriptor {
	d, _ := source.Set.Files().FindDescriptorByName(name)
	found, _ := d.(protoreflect.MethodDescriptor)
	return found
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
