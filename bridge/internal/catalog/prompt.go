package catalog

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/backend"
	"github.com/mcpgrpc/bridge/bridge/internal/content"
	"github.com/mcpgrpc/bridge/bridge/internal/jsonrpc"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/rules"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// Prompt is one prompt on offer.
type Prompt struct {
	// Definition is what clients are told.
	Definition mcp.Prompt
	// Method is what is called, and Backend where.
	Method  protoreflect.MethodDescriptor
	Backend *backend.Backend
	// Codec reads the arguments that [Prompt.Request] makes.
	Codec *transcode.Codec
	// Output says how the reply becomes messages.
	Output *content.Output
	// RequiredCapabilities are paths of capabilities that the client must have; see [mcp.HasCapability].
	RequiredCapabilities []string
	// ReloadAfter says that a successful call changes what the backend offers.
	ReloadAfter bool
	// Rules checks requests before the call; nil where there are no rules, or they are not to be checked.
	Rules *rules.Checker

	input     *shape.Message
	arguments []argument
}

// maxArgument is the longest description of an argument, in characters.
const maxArgument = 256

// prompt makes the prompt, or tells why it cannot.
func (m *maker) prompt() *Prompt {
	given := m.options.GetPrompt()
	p := &Prompt{
		Method: m.method, Backend: m.source.Backend, Codec: m.codec, Output: m.output,
		RequiredCapabilities: m.options.GetRequiredCapabilities(), ReloadAfter: m.options.GetReloadAfter(),
		Rules: m.checker, input: shape.Of(m.method.Input()),
	}
	for _, a := range m.arguments {
		if isPromptArgument(a.Descriptor) {
			p.arguments = append(p.arguments, a)
		} else if a.required {
			m.faultf("the prompt is not offered: the request requires %s, which is %s; arguments of prompts are single scalars and enums",
				a.Name, formOf(a.Descriptor))
			return nil
		}
	}
	p.Definition = mcp.Prompt{
		Name: m.checkName("prompt", given.GetName()), Title: m.title(given.GetTitle(), option),
		Description: m.about("description of the prompt", given.GetDescription(), "Rendered"), Meta: meta(m.method),
	}
	for _, a := range p.arguments {
		p.Definition.Arguments = append(p.Definition.Arguments, mcp.PromptArgument{
			Name:        a.Name,
			Title:       cmp.Or(a.title, annotation.Humanise(string(a.Descriptor.Name()))),
			Description: annotation.Cut(a.description, maxArgument),
			Required:    a.required,
		})
	}
	return p
}

// isPromptArgument says whether a field is one scalar or enum.
func isPromptArgument(fd protoreflect.FieldDescriptor) bool {
	return !fd.IsList() && !fd.IsMap() && fd.Message() == nil && !shape.IsNullValue(fd.Enum())
}

// Request writes the arguments of prompts/get as a JSON object for the codec, each as a value of its field's type. Names
// may be in any spelling that the codec takes; "" for anything but a string or bytes is no value. An unknown argument and
// a required one that is missing is -32602 and names it.
func (p *Prompt) Request(arguments map[string]string) ([]byte, *jsonrpc.Error) {
	given := map[string]string{}
	for name, value := range arguments {
		a, ok := p.argument(name)
		if !ok {
			return nil, p.unknown(name)
		}
		if _, twice := given[a.Name]; twice {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "argument %q of prompt %q is given twice, in two spellings: give it once", a.Name,
				p.Definition.Name)
		}
		if value != "" || a.Descriptor.Kind() == protoreflect.StringKind || a.Descriptor.Kind() == protoreflect.BytesKind {
			given[a.Name] = value
		}
	}
	var root tree
	for _, a := range p.arguments {
		value, ok := given[a.Name]
		switch {
		case ok:
			root.set([]string{a.Name}, appendValue(nil, a.Descriptor, value))
		case a.required:
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "argument %q of prompt %q is missing: it is required", a.Name, p.Definition.Name)
		}
	}
	return root.append(nil), nil
}

// argument finds an argument by any spelling of its name.
func (p *Prompt) argument(name string) (argument, bool) {
	f, ok := p.input.Lookup(name)
	i := slices.IndexFunc(p.arguments, func(a argument) bool { return ok && a.Name == f.Name })
	if i < 0 {
		return argument{}, false
	}
	return p.arguments[i], true
}

// unknown returns the error for an argument that the prompt does not have.
func (p *Prompt) unknown(name string) *jsonrpc.Error {
	names := make([]string, len(p.arguments))
	for i, a := range p.arguments {
		names[i] = a.Name
	}
	takes := "it takes " + strings.Join(names, ", ")
	if near := shape.Nearest(name, names); near != "" {
		takes = "use " + near
	} else if len(names) == 0 {
		takes = "it takes none"
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "prompt %q has no argument %q: %s", p.Definition.Name, jsonrpc.Echo(name), takes)
}

// Prompts returns the prompts on offer, sorted by name. The slice is shared: do not change it.
func (c *Catalog) Prompts() []*Prompt { return c.prompts }

// Prompt finds a prompt by its name.
func (c *Catalog) Prompt(name string) (*Prompt, bool) {
	p, ok := c.byPrompt[name]
	return p, ok
}

// NearestPrompt returns the name of the prompt that was probably meant by a name that no prompt has, "" when none was: the
// full name of its method, or a slip of the pen.
func (c *Catalog) NearestPrompt(name string) string {
	names := make([]string, len(c.prompts))
	for i, p := range c.prompts {
		if string(p.Method.FullName()) == dotted(name) {
			return p.Definition.Name
		}
		names[i] = p.Definition.Name
	}
	return shape.Nearest(name, names)
}
