package conformance_test

import (
	"encoding/json"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
	conformancev1 "github.com/mcpgrpc/bridge/gen/conformance/v1"
	"github.com/mcpgrpc/bridge/services/conformance"
)

// TestDescriptorSet shows that the set stands alone, that it is the set of the generated code, and that each method has the
// comment that its tool, resource or prompt is described by.
func TestDescriptorSet(t *testing.T) {
	t.Parallel()
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(conformance.DescriptorSet(), &set); err != nil {
		t.Fatal(err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		t.Fatal(err)
	}
	file, err := files.FindFileByPath("conformance/v1/conformance.proto")
	if err != nil {
		t.Fatal(err)
	}
	embedded := protodesc.ToFileDescriptorProto(file)
	generated := protodesc.ToFileDescriptorProto(conformancev1.File_conformance_v1_conformance_proto)
	embedded.SourceCodeInfo = nil
	if !proto.Equal(embedded, generated) {
		t.Error("the embedded descriptor differs from the generated one; run make generate")
	}
	for method := range methods(file) {
		if file.SourceLocations().ByDescriptor(method).LeadingComments == "" {
			t.Errorf("%s has no comment", method.FullName())
		}
	}
}

// TestNames: each method is something to clients, under a name of the suite that nobody else has, but for the one that is
// there to watch another.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]protoreflect.FullName{}
	for method := range methods(conformancev1.File_conformance_v1_conformance_proto) {
		var name string
		options, _ := proto.GetExtension(method.Options(), bridgev1.E_Method).(*bridgev1.MethodOptions)
		switch {
		case method.IsStreamingServer():
			continue
		case options.GetTool() != nil:
			name = options.GetTool().GetName()
		case options.GetPrompt() != nil:
			name = options.GetPrompt().GetName()
		case len(options.GetResources()) == 1:
			name = options.GetResources()[0].GetName()
		}
		if other := seen[name]; name == "" || other != "" {
			t.Errorf("%s is called %q, like %s", method.FullName(), name, other)
		}
		seen[name] = method.FullName()
	}
}

// TestInputSchema: the schema that stands in pieces in the proto file is JSON.
func TestInputSchema(t *testing.T) {
	t.Parallel()
	for method := range methods(conformancev1.File_conformance_v1_conformance_proto) {
		options, _ := proto.GetExtension(method.Options(), bridgev1.E_Method).(*bridgev1.MethodOptions)
		if schema := options.GetTool().GetInputSchema(); schema != "" && !json.Valid([]byte(schema)) {
			t.Errorf("%s: not JSON: %s", method.FullName(), schema)
		}
	}
}

// methods yields the methods of all services of a file.
func methods(file protoreflect.FileDescriptor) func(yield func(protoreflect.MethodDescriptor) bool) {
	return func(yield func(protoreflect.MethodDescriptor) bool) {
		for i := range file.Services().Len() {
			for j := range file.Services().Get(i).Methods().Len() {
				if !yield(file.Services().Get(i).Methods().Get(j)) {
					return
				}
			}
		}
	}
}
