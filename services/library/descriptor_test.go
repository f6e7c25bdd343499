package library_test

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	libraryv1 "github.com/mcpgrpc/bridge/gen/library/v1"
	"github.com/mcpgrpc/bridge/services/library"
)

// TestDescriptorSet shows that the set stands alone, that it is the set of the
// generated code, and that nothing in it lacks a comment.
func TestDescriptorSet(t *testing.T) {
	t.Parallel()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(library.DescriptorSet(), &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	file, err := files.FindFileByPath("library/v1/library.proto")
	if err != nil {
		t.Fatal(err)
	}
	embedded, generated := protodesc.ToFileDescriptorProto(file), protodesc.ToFileDescriptorProto(libraryv1.File_library_v1_library_proto)
	embedded.SourceCodeInfo = nil
	if !proto.Equal(embedded, generated) {
		t.Error("the embedded descriptor differs from the generated one; run make generate")
	}
	for _, d := range all(file) {
		if file.SourceLocations().ByDescriptor(d).LeadingComments == "" {
			t.Errorf("%s has no comment", d.FullName())
		}
	}
}

// TestDescriptorSetIsACopy changes what was returned.
func TestDescriptorSetIsACopy(t *testing.T) {
	t.Parallel()
	library.DescriptorSet()[0] ^= 0xff
	if proto.Unmarshal(library.DescriptorSet(), &descriptorpb.FileDescriptorSet{}) != nil {
		t.Error("a caller's change reached the embedded set")
	}
}

// all returns the services, methods, messages, fields, enums and values of a file
// that has no nested declarations.
func all(file protoreflect.FileDescriptor) []protoreflect.Descriptor {
	var found []protoreflect.Descriptor
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		found = append(found, service)
		for j := range service.Methods().Len() {
			found = append(found, service.Methods().Get(j))
		}
	}
	for i := range file.Messages().Len() {
		message := file.Messages().Get(i)
		found = append(found, message)
		for j := range message.Fields().Len() {
			found = append(found, message.Fields().Get(j))
		}
	}
	for i := range file.Enums().Len() {
		enum := file.Enums().Get(i)
		found = append(found, enum)
		for j := range enum.Values().Len() {
			found = append(found, enum.Values().Get(j))
		}
	}
	return found
}
