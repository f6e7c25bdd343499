package catalog

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/internal/annotation"
	"github.com/mcpgrpc/bridge/bridge/internal/shape"
)

// argument is a top-level argument that a caller may set.
type argument struct {
	shape.Field

	required           bool
	title, description string // "" for none
}

func argumentsOf(input protoreflect.MessageDescriptor, reader *annotation.Reader) []argument {
	if shape.KindOf(input) != shape.Object {
		return nil
	}
	var arguments []argument
	rivals := map[protoreflect.FullName]int{}
	for _, f := range shape.Of(input).Fields() {
		said := reader.Field(f.Descriptor)
		if said.OutputOnly || reader.Hidden(f.Descriptor) != "" {
			continue
		}
		arguments = append(arguments, argument{f, said.Required, said.Title, said.Description})
		rivals[choice(f)]++
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
