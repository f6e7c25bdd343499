package mcp

import (
	"strings"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
)

// ServerCapabilities say what a server does, exactly: nothing is declared that
// is not implemented.
type ServerCapabilities struct {
	// Tools says that there are tools/list and tools/call, Prompts and Resources
	// that there are the methods of theirs.
	Tools, Prompts, Resources bool
	// ListChanged says that changes of these lists are announced.
	ListChanged bool
	// Subscribe says that clients can be told of changes of resources.
	Subscribe bool
	// Completions says that there is completion/complete.
	Completions bool
	// Logging says that there are log messages.
	Logging bool
	// Tasks says that there is the extension of that name.
	Tasks bool
}

// appendJSON appends the capabilities as a JSON object.
func (c ServerCapabilities) appendJSON(dst []byte, f Features) []byte {
	o := newObject(dst)
	if c.Completions && f.Completions {
		o.raw("completions", []byte("{}"))
	}
	if c.Tasks && f.Tasks {
		o.raw("extensions", []byte(`{"`+ExtensionTasks+`":{}}`))
	}
	if c.Logging {
		o.raw("logging", []byte("{}"))
	}
	if c.Prompts {
		c.appendList(&o, "prompts", false)
	}
	if c.Resources {
		c.appendList(&o, "resources", c.Subscribe)
	}
	if c.Tools {
		c.appendList(&o, "tools", false)
	}
	return o.close()
}

// appendList appends the capability of one kind of things.
func (c ServerCapabilities) appendList(o *object, name string, subscribe bool) {
	o.name(name)
	inner := newObject(o.dst)
	if c.ListChanged {
		inner.raw("listChanged", []byte("true"))
	}
	if subscribe {
		inner.raw("subscribe", []byte("true"))
	}
	o.dst = inner.close()
}

// HasCapability reports whether the capabilities, an object as raw JSON, have
// the one at path: the names of nested members with dots between them, such as
// "elicitation.url". What comes after "extensions." and "experimental." is one
// name, whatever dots are in it. Elicitation that names no mode is of the mode
// form (2025-11-25 client/elicitation, "Capabilities"). Null and false declare
// nothing.
func HasCapability(capabilities []byte, path string) bool {
	value := capabilities
	for _, name := range capabilityNames(path) {
		next, ok := jsonrpc.Find(value, name)
		if !ok || string(next) == "null" || string(next) == "false" {
			return path == "elicitation.form" && impliesForm(capabilities)
		}
		value = next
	}
	return true
}

// impliesForm reports whether the capabilities have elicitation without a mode.
func impliesForm(capabilities []byte) bool {
	elicitation, _ := jsonrpc.Find(capabilities, "elicitation")
	_, form := jsonrpc.Find(elicitation, "form")
	_, url := jsonrpc.Find(elicitation, "url")
	return isObject(elicitation) && !form && !url
}

// capabilityNames splits the path of a capability.
func capabilityNames(path string) []string {
	first, rest, nested := strings.Cut(path, ".")
	if nested && (first == "extensions" || first == "experimental") {
		return []string{first, rest}
	}
	return strings.Split(path, ".")
}

// MissingCapability returns the error for a modern request whose client did not
// declare the capability at path (see [HasCapability]).
func MissingCapability(path string) *jsonrpc.Error {
	e := jsonrpc.Errorf(CodeMissingCapability, "the request needs a client with the capability %s", path)
	names := capabilityNames(path)
	e.Data = []byte(`{"requiredCapabilities":`)
	for _, name := range names {
		e.Data = append(jsonrpc.AppendString(append(e.Data, '{'), name), ':')
	}
	e.Data = append(e.Data, "{}"+strings.Repeat("}", len(names)+1)...)
	return e
}
