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
	given := words(name)
	for _, means := range []func(given []string, t *Tool) bool{respelt, tailOf, slipped} {
		if found, several := c.only(given, means); found != "" || several {
			return found
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
		if o.Kind == Ignored || o.Kind == Unmatched || o.Kind == Deficient && !hasMethod(sources, method) {
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

// hasMethod says whether a name is that of a method.
func hasMethod(sources []Source, name protoreflect.FullName) bool {
	return slices.ContainsFunc(sources, func(s Source) bool {
		d, err := s.Set.Files().FindDescriptorByName(name)
		_, is := d.(protoreflect.MethodDescriptor)
		return err == nil && is
	})
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

// only returns the name of the one tool that given means, and whether there are several.
func (c *Catalog) only(given []string, means func([]string, *Tool) bool) (name string, several bool) {
	if len(given) == 0 {
		return "", false
	}
	for _, t := range c.tools {
		if !means(given, t) {
			continue
		}
		if name != "" {
			return "", true
		}
		name = t.Definition.Name
	}
	return name, false
}

// respelt says whether given are the letters of the tool's name, its words divided otherwise.
func respelt(given []string, t *Tool) bool {
	return strings.Join(given, "") == strings.Join(words(t.Definition.Name), "")
}

// tailOf says whether given are the last words of the full method name, those of the method itself at least.
func tailOf(given []string, t *Tool) bool {
	full := words(string(t.Method.FullName()))
	from := len(full) - len(given)
	return from >= 0 && len(given) >= len(words(string(t.Method.Name()))) && slices.Equal(full[from:], given)
}

// slipped says whether given are the words of the tool's name, but for a slip in one or more of them.
func slipped(given []string, t *Tool) bool {
	return slices.EqualFunc(given, words(t.Definition.Name), func(wrong, right string) bool {
		return wrong == right || slip(wrong, right)
	})
}

// shortestSlip is the length, in bytes, up to which one letter makes another word: get and set, v1 and v2.
const shortestSlip = 3

// slip says whether a word, which is not empty, can be meant by another: one letter too many, too few or wrong, or two
// neighbours swapped, not at the start, where it makes an opposite (lock and unlock, import and export), and not from
// one verb to another.
func slip(wrong, right string) bool {
	if max(len(wrong), len(right)) <= shortestSlip || wrong[0] != right[0] || slices.Contains(verbs, wrong) {
		return false
	}
	wrong, right = differing(wrong, right)
	if strings.ContainsAny(wrong+right, "0123456789") {
		return false
	}
	swapped := len(wrong) == 2 && len(right) == 2 && wrong[0] == right[1] && wrong[1] == right[0]
	return swapped || len(wrong) <= 1 && len(right) <= 1
}

// differing returns what is left of two words without the start and the end that they share.
func differing(a, b string) (restOfA, restOfB string) {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

// verbs are words of methods that are one letter from others: no slips, whatever they resemble.
var verbs = []string{
	"cast", "clean", "clear", "clone", "close", "copy", "count", "fail", "file", "fill", "find", "fire", "hide", "hire", "hold", "host",
	"join", "lend", "link", "list", "load", "lock", "look", "mark", "mask", "merge", "move", "parse", "patch", "pause", "play", "post",
	"print", "pull", "push", "read", "recover", "reject", "relay", "remote", "remove", "renew", "replay", "reply", "report", "request",
	"reset", "resize", "restart", "restore", "resume", "retry", "revert", "review", "revoke", "save", "seal", "select", "sell", "send",
	"show", "sign", "start", "stat", "stop", "swap", "tail", "take", "test", "turn", "unlink", "unload", "unlock", "update", "upgrade",
	"upload", "wait", "wipe", "write",
}
