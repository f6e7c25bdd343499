package catalog

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/mcp"
	"github.com/mcpgrpc/bridge/bridge/internal/schema"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
	"github.com/mcpgrpc/bridge/bridge/internal/transcode"
)

// MetaMethod is the key in a tool's _meta under which the full name of its gRPC method stands.
const MetaMethod = "io.github.mcpgrpc.bridge/method"

// maxDescription is the longest description of a tool, in characters: what no client cuts.
const maxDescription = 1024

// compile makes the tool. Descriptors come from outside; a fault of ours that one of them brings to light costs the one
// method and not the catalog.
func (k candidate) compile(name string) (tool *Tool, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			tool, err = nil, fmt.Errorf("internal fault while compiling it: %v; please report it with the descriptors", fault)
		}
	}()
	input, output := k.method.Input(), k.method.Output()
	codec, err := transcode.Compile(input, output, k.source.Set.Types(), k.source.Codec)
	if err != nil {
		return nil, fmt.Errorf("no codec: %w", err)
	}
	said := annotation.OfMethod(k.method)
	arguments := argumentsOf(input)
	return &Tool{
		Definition: mcp.Tool{
			Name:         name,
			Title:        said.Title,
			Description:  describe(said, k.method, arguments),
			InputSchema:  schema.Input(input, k.source.Profile),
			OutputSchema: schema.Output(output, k.source.Profile),
			Hints: mcp.Hints{
				ReadOnly:    said.Hints.ReadOnly,
				Destructive: said.Hints.Destructive,
				Idempotent:  said.Hints.Idempotent,
			},
			Meta: meta(k.method),
		},
		Method:    k.method,
		Backend:   k.source.Backend,
		Codec:     codec,
		Required:  required(arguments),
		Narrowing: narrowing(arguments),
	}, nil
}

func meta(method protoreflect.MethodDescriptor) []byte {
	m := append([]byte{'{'}, `"`+MetaMethod+`":`...)
	m, _ = jsontext.AppendQuote(m, string(method.FullName())) // a full name is ASCII
	return append(m, '}')
}

// describe is the method's comment, else a text made from names: a tool without description is no use to a model.
func describe(said annotation.Method, method protoreflect.MethodDescriptor, arguments []argument) string {
	text := said.Description
	if text == "" {
		text = fmt.Sprintf("Calls %s. Takes %s. Returns %s.", method.FullName(), takes(method, arguments), returns(method))
	}
	if said.Deprecated && !strings.HasPrefix(strings.ToLower(text), "deprecated") {
		text = "Deprecated. " + text
	}
	return annotation.Cut(text, maxDescription)
}

// maxListed is how many arguments a description made from names lists.
const maxListed = 12

func takes(method protoreflect.MethodDescriptor, arguments []argument) string {
	if key, ok := shape.InputWrapper(method.Input()); ok {
		return key
	}
	if len(arguments) == 0 {
		return "no arguments"
	}
	var names []string
	for _, a := range arguments[:min(len(arguments), maxListed)] {
		name := a.Name
		if a.required {
			name += " (required)"
		}
		names = append(names, name)
	}
	list := strings.Join(names, ", ")
	if more := len(arguments) - maxListed; more > 0 {
		list = fmt.Sprintf("%s and %d more", list, more)
	}
	return list
}

func returns(method protoreflect.MethodDescriptor) string {
	if shape.KindOf(method.Output()) == shape.Empty {
		return "nothing"
	}
	return string(method.Output().Name())
}

// argument is a top-level argument that a caller may set.
type argument struct {
	shape.Field
	required bool
}

func argumentsOf(input protoreflect.MessageDescriptor) []argument {
	if shape.KindOf(input) != shape.Object {
		return nil
	}
	var arguments []argument
	rivals := map[protoreflect.FullName]int{}
	for _, f := range shape.Of(input).Fields() {
		if said := annotation.BehaviorOf(f.Descriptor); !said.OutputOnly {
			arguments = append(arguments, argument{f, said.Required})
			rivals[choice(f)]++
		}
	}
	for i, a := range arguments {
		if of := choice(a.Field); of != "" && rivals[of] > 1 {
			arguments[i].required = false
		}
	}
	return arguments
}

// choice returns the name of the oneof that a field is in, "" for none. No member of a choice of several can be required
// in itself, whatever its annotations say; the schema says the same.
func choice(f shape.Field) protoreflect.FullName {
	if o := f.Descriptor.ContainingOneof(); o != nil && !o.IsSynthetic() {
		return o.FullName()
	}
	return ""
}

func required(arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if a.required {
			names = append(names, a.Name)
		}
	}
	return names
}

// narrowing names the arguments that make a result smaller, by the rules that [Tool].Narrowing tells.
func narrowing(arguments []argument) []string {
	var names []string
	for _, a := range arguments {
		if isSize(a.Descriptor) || isReadMask(a.Descriptor) {
			names = append(names, a.Name)
		}
	}
	return names
}

// isSize goes by the names that AIP-158 and others give the size of a page. The plural tells a number of things from a
// bound on one of their properties.
func isSize(fd protoreflect.FieldDescriptor) bool {
	name := string(fd.Name())
	counted := strings.HasPrefix(name, "max_") && strings.HasSuffix(name, "s")
	return (counted || name == "page_size" || name == "limit") && isInteger(fd)
}

// isInteger says whether a field holds one integer, be it in a wrapper such as google.protobuf.Int32Value.
func isInteger(fd protoreflect.FieldDescriptor) bool {
	if fd.IsList() || fd.IsMap() {
		return false
	}
	if md := fd.Message(); md != nil && shape.KindOf(md) == shape.Wrapper {
		fd = md.Fields().ByNumber(1)
	}
	switch fd.Kind() {
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind,
		protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Uint64Kind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return true
	}
	return false
}

// isReadMask tells field masks that are about reading (AIP-157) from those of an update (AIP-134).
func isReadMask(fd protoreflect.FieldDescriptor) bool {
	if fd.IsList() || fd.IsMap() || fd.Message() == nil || shape.KindOf(fd.Message()) != shape.FieldMask {
		return false
	}
	name := string(fd.Name())
	return strings.Contains(name, "mask") && !strings.HasPrefix(name, "update")
}
