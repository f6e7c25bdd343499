package descriptor

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

const (
	// maxName is the longest package or reference to a type, in bytes, and maxParts the largest number of parts between
	// its dots. protobuf-go looks a name up under each of its prefixes in each of the scopes around it, which takes
	// hours for a name made to that end.
	maxName  = 1024
	maxParts = 64
)

func unwieldy(name string) bool {
	return len(name) > maxName || parts(name) > maxParts
}

func parts(name string) int {
	return strings.Count(name, ".") + 1
}

// unwieldyName returns a package or reference in the file that is too long to be looked up, or nothing.
func unwieldyName(file *descriptorpb.FileDescriptorProto) string {
	if unwieldy(file.GetPackage()) {
		return file.GetPackage()
	}
	for _, service := range file.GetService() {
		for _, method := range service.GetMethod() {
			if unwieldy(method.GetInputType()) {
				return method.GetInputType()
			}
			if unwieldy(method.GetOutputType()) {
				return method.GetOutputType()
			}
		}
	}
	if name := unwieldyReference(file.GetExtension()); name != "" {
		return name
	}
	return unwieldyInside(file.GetMessageType())
}

func unwieldyInside(messages []*descriptorpb.DescriptorProto) string {
	for _, message := range messages {
		if name := unwieldyReference(message.GetField()); name != "" {
			return name
		}
		if name := unwieldyReference(message.GetExtension()); name != "" {
			return name
		}
		if name := unwieldyInside(message.GetNestedType()); name != "" {
			return name
		}
	}
	return ""
}

func unwieldyReference(fields []*descriptorpb.FieldDescriptorProto) string {
	for _, field := range fields {
		if unwieldy(field.GetTypeName()) {
			return field.GetTypeName()
		}
		if unwieldy(field.GetExtendee()) {
			return field.GetExtendee()
		}
	}
	return ""
}
