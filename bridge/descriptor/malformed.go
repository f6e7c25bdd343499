package descriptor

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// malformedOptions looks in a file descriptor that cannot be read for options that are no protobuf, such as an extension that
// was cut off, and says whose they are: "the options of Orders.Place", or "its own options". It is "" where the fault is
// another one.
func malformedOptions(file []byte) string {
	owner, found := optionsOwner(file, (*descriptorpb.FileDescriptorProto)(nil).ProtoReflect().Descriptor(), maxNesting)
	switch {
	case !found:
		return ""
	case owner == "":
		return "its own options"
	}
	return "the options of " + owner
}

// optionsOwner returns the name, without the package, of the part of a declaration whose options are malformed. Parts that are
// nested deeper than a parser follows them are not looked at.
func optionsOwner(declaration []byte, md protoreflect.MessageDescriptor, depth int) (owner string, found bool) {
	if depth == 0 {
		return "", false
	}
	for b := declaration; len(b) > 0; {
		number, kind, n := protowire.ConsumeField(b)
		if n < 0 {
			return "", false
		}
		if fd := md.Fields().ByNumber(number); kind == protowire.BytesType && fd != nil && fd.Message() != nil {
			_, _, tag := protowire.ConsumeTag(b)
			part, _ := protowire.ConsumeBytes(b[tag:])
			if owner, found := ownerIn(part, fd, depth); found {
				return owner, true
			}
		}
		b = b[n:]
	}
	return "", false
}

// ownerIn looks at one part: options, or a declaration, whose name then stands before what is found in it.
func ownerIn(part []byte, fd protoreflect.FieldDescriptor, depth int) (owner string, found bool) {
	if fd.Name() == "options" {
		parse := proto.UnmarshalOptions{AllowPartial: true, Resolver: new(protoregistry.Types), RecursionLimit: maxNesting}
		return "", parse.Unmarshal(part, dynamicpb.NewMessage(fd.Message())) != nil
	}
	if owner, found = optionsOwner(part, fd.Message(), depth-1); !found {
		return "", false
	}
	return strings.Trim(entryName(part)+"."+owner, "."), true
}
