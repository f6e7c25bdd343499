package descriptor_test

import (
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

// corpusServices is how many services the manifest of the corpus counts in each set of real public APIs.
var corpusServices = map[string]int{
	"buf_registry_protovalidate": 32, "envoy": 35, "etcd": 8, "googleapis_aiplatform_v1": 35, "googleapis_bigquery": 9,
	"googleapis_infra": 20, "googleapis_pubsub_v1": 3, "grpc_gateway_examples": 27, "milvus": 4, "openfga": 1, "otlp": 4, "temporal_api": 2,
}

// corpus returns the path of a set of the corpus, or skips where it is not to be had.
func corpus(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "corpus", name+".binpb")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the corpus of real APIs is not here: %v", err)
	}
	return path
}

func TestCorpusLoads(t *testing.T) {
	t.Parallel()
	for name, count := range corpusServices {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := mustLoad(t, descriptor.FileSet(corpus(t, name)))
			wantProblems(t, set)
			if got := len(set.Services()); got != count {
				t.Errorf("%d services, the manifest counts %d", got, count)
			}
		})
	}
}

// A real API by reflection is the same API, and its set laid over it gives back each comment.
func TestCorpusByReflectionWithOverlay(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"etcd", "openfga", "grpc_gateway_examples"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := descriptor.FileSet(corpus(t, name))
			want := mustLoad(t, text)
			base := descriptor.Reflection(dial(t, genuineV1(stripped(t, want))))
			set := mustLoad(t, descriptor.Overlay(base, text))
			wantProblems(t, set)
			wantServices(t, set, services(want)...)
			for _, service := range want.Services() {
				got, err := set.Files().FindDescriptorByName(service.FullName())
				if err != nil {
					t.Fatal(err)
				}
				sameComments(t, got, service)
			}
		})
	}
}

// stripped returns a set without any comments.
func stripped(t testing.TB, set *descriptor.Set) *descriptor.Set {
	t.Helper()
	return mustNew(t, bare(protos(set)))
}

func sameComments(t *testing.T, got, want protoreflect.Descriptor) {
	t.Helper()
	if g, w := leading(got), leading(want); g != w {
		t.Errorf("%s: comment %q, want %q", want.FullName(), g, w)
	}
	service, ok := want.(protoreflect.ServiceDescriptor)
	if !ok {
		return
	}
	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		sameComments(t, got.(protoreflect.ServiceDescriptor).Methods().Get(i), method)
	}
}

// leading returns the comment above a declaration.
func leading(d protoreflect.Descriptor) string {
	return d.ParentFile().SourceLocations().ByDescriptor(d).LeadingComments
}
