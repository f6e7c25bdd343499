package descriptor

import (
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// The field numbers of descriptor.proto that make up the path of a source location.
const (
	filePackage, fileMessage, fileEnum, fileService, fileExtension, fileSyntax, fileEdition = 2, 4, 5, 6, 7, 12, 14

	messageField, messageNested, messageEnum, messageExtension, messageOneof = 2, 3, 4, 6, 8

	enumValue, serviceMethod = 2, 2
)

// visitor is told of each declaration and its path, which is valid during the call.
type visitor func(protoreflect.Descriptor, protoreflect.SourcePath)

// walk visits every declaration of a file, parents first.
func walk(file protoreflect.FileDescriptor, visit visitor) {
	walkMessages(file.Messages(), protoreflect.SourcePath{fileMessage}, visit)
	walkEnums(file.Enums(), protoreflect.SourcePath{fileEnum}, visit)
	walkEach(file.Extensions(), protoreflect.SourcePath{fileExtension}, visit)
	for i := range file.Services().Len() {
		service, path := file.Services().Get(i), protoreflect.SourcePath{fileService, int32(i)}
		visit(service, path)
		walkEach(service.Methods(), append(path, serviceMethod), visit)
	}
}

func walkMessages(messages protoreflect.MessageDescriptors, list protoreflect.SourcePath, visit visitor) {
	for i := range messages.Len() {
		message, path := messages.Get(i), within(list, int32(i))
		visit(message, path)
		walkEach(message.Fields(), within(path, messageField), visit)
		walkEach(message.Oneofs(), within(path, messageOneof), visit)
		walkEach(message.Extensions(), within(path, messageExtension), visit)
		walkEnums(message.Enums(), within(path, messageEnum), visit)
		walkMessages(message.Messages(), within(path, messageNested), visit)
	}
}

func walkEnums(enums protoreflect.EnumDescriptors, list protoreflect.SourcePath, visit visitor) {
	for i := range enums.Len() {
		enum, path := enums.Get(i), within(list, int32(i))
		visit(enum, path)
		walkEach(enum.Values(), within(path, enumValue), visit)
	}
}

// walkEach visits the members of a list that have none of their own.
func walkEach[D protoreflect.Descriptor](list interface {
	Len() int
	Get(int) D
}, base protoreflect.SourcePath, visit visitor,
) {
	for i := range list.Len() {
		visit(list.Get(i), within(base, int32(i)))
	}
}

// within returns the path of a part, in memory of its own.
func within(path protoreflect.SourcePath, part int32) protoreflect.SourcePath {
	return append(slices.Clone(path), part)
}
