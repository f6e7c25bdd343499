package catalog

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
)

// Complete returns the values of an argument of a prompt, or of a variable of a template, in the order of their declaration:
// the names of an enum, without a zero value that stands for not specified, and true and false. Of other types no values are
// known. A value matches that begins with what was typed, letter case aside, and so does the name of an enum that does
// without the words that all names of the enum begin with: by `tr`, VEHICLE_TRAIN is found beside VEHICLE_BUS. The result is
// never nil without an error; unknown prompts, templates and arguments are -32602. The values of other arguments change
// nothing.
func (c *Catalog) Complete(p mcp.CompleteParams) ([]string, *jsonrpc.Error) {
	fd, err := c.completed(p)
	if err != nil {
		return nil, err
	}
	values := []string{}
	common := commonPrefix(fd)
	for _, v := range valuesOf(fd) {
		if begins(v, p.Value) || begins(v[common:], p.Value) {
			values = append(values, v)
		}
	}
	return values, nil
}

// begins says whether a value begins with what was typed, letter case aside.
func begins(value, typed string) bool {
	return len(value) >= len(typed) && strings.EqualFold(value[:len(typed)], typed)
}

// commonPrefix returns how long the words are, in bytes, that all names of a field's enum begin with; 0 for other fields.
// The last of a name's words is never among them.
func commonPrefix(fd protoreflect.FieldDescriptor) int {
	if fd.Kind() != protoreflect.EnumKind {
		return 0
	}
	prefix := ""
	for i := range fd.Enum().Values().Len() {
		name := string(fd.Enum().Values().Get(i).Name())
		if i == 0 {
			prefix = name
		}
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return strings.LastIndexByte(prefix, '_') + 1
}

// completed finds the field that an argument fills.
func (c *Catalog) completed(p mcp.CompleteParams) (protoreflect.FieldDescriptor, *jsonrpc.Error) {
	if p.Prompt != "" {
		prompt := c.byPrompt[p.Prompt]
		if prompt == nil {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown prompt %q: name one of prompts/list", jsonrpc.Echo(p.Prompt))
		}
		a, ok := prompt.argument(p.Argument)
		if !ok {
			return nil, prompt.unknown(p.Argument)
		}
		return a.Descriptor, nil
	}
	bindings, ok := c.bindingsOf(p.Template)
	if !ok {
		return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "unknown resource template %q: name one of resources/templates/list",
			jsonrpc.Echo(p.Template))
	}
	for _, b := range bindings {
		if b.variable == p.Argument && b.variable != "" {
			return b.field(), nil
		}
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "the resource %q has no variable %q", jsonrpc.Echo(p.Template),
		jsonrpc.Echo(p.Argument))
}

// bindingsOf finds a template by its text, or a resource, which has no variables, by its URI.
func (c *Catalog) bindingsOf(address string) ([]*binding, bool) {
	for _, t := range c.templates {
		if t.Definition.URITemplate == address {
			return t.Reading.bindings, true
		}
	}
	return nil, c.byURI[address] != nil
}

// valuesOf lists the values of a field, as far as there are a few; of names for one value, the first.
func valuesOf(fd protoreflect.FieldDescriptor) []string {
	if fd.Kind() == protoreflect.BoolKind {
		return []string{"true", "false"}
	}
	if fd.Kind() != protoreflect.EnumKind {
		return nil
	}
	var names []string
	seen := map[protoreflect.EnumNumber]bool{}
	for i := range fd.Enum().Values().Len() {
		v := fd.Enum().Values().Get(i)
		unspecified := v.Number() == 0 && strings.HasSuffix(string(v.Name()), "_UNSPECIFIED")
		if !seen[v.Number()] && !unspecified {
			names = append(names, string(v.Name()))
		}
		seen[v.Number()] = true
	}
	return names
}
