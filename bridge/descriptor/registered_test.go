package descriptor_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func TestRegisteredServices(t *testing.T) {
	t.Parallel()
	set := mustLoad(t, descriptor.Registered("grpc.reflection.v1.ServerReflection", "grpc.health.v1.Health", "no.Such"))
	wantServices(t, set, "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection")
	wantProblems(t, set, "no.Such", "import the Go package generated for it")
	if slices.Contains(paths(set), "google/api/http.proto") {
		t.Error("the set holds files that its services do not need")
	}
	own, err := set.Files().FindDescriptorByName("grpc.health.v1.Health")
	if err != nil {
		t.Fatal(err)
	}
	if global, _ := protoregistry.GlobalFiles.FindDescriptorByName("grpc.health.v1.Health"); global == own {
		t.Error("the set shares descriptors with generated code")
	}
}

func TestRegisteredEverything(t *testing.T) {
	t.Parallel()
	set := mustLoad(t, descriptor.Registered())
	wantProblems(t, set)
	var want []string
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		want = append(want, file.Path())
		return true
	})
	slices.Sort(want)
	if got := paths(set); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	if !slices.Contains(services(set), "grpc.health.v1.Health") {
		t.Errorf("services %q lack the health service", services(set))
	}
}
