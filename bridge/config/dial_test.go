package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func TestDialMapsEveryField(t *testing.T) {
	t.Parallel()
	setup := dial(t, &configv1.Backend{
		Name: "library", Target: "localhost:1", Transport: plaintext(),
		Headers:  []*configv1.Header{literal("x", "y")},
		Deadline: durationpb.New(5 * time.Second), MaxMessageBytes: 1024,
		Expose: []string{"a.*"}, Hide: []string{"b.*"}, HideInternalErrors: true, EmitDefaults: new(false),
		ForwardHeaders: []*configv1.ForwardedHeader{{Header: "X-Request-Id"}, {Header: "X-Colour", Metadata: "colour"}},
		Quota:          &configv1.Quota{InFlight: 3, PerSecond: 2.5, Burst: 7},
		Retry:          &configv1.Retry{MaxAttempts: 5, Idempotent: []string{"a.*"}},
	})
	want := []bridge.Backend{{
		Name: "library", Headers: metadata.MD{"x": {"y"}}, Deadline: 5 * time.Second, MaxMessageBytes: 1024,
		Expose: []string{"a.*"}, Hide: []string{"b.*"}, HideInternalErrors: true, OmitDefaults: true,
		ForwardHeaders: []bridge.ForwardedHeader{{Header: "X-Request-Id", Metadata: "x-request-id"}, {Header: "X-Colour", Metadata: "colour"}},
		Quota:          bridge.Quota{InFlight: 3, PerSecond: 2.5, Burst: 7},
		Retry:          bridge.RetryPolicy{MaxAttempts: 5, Idempotent: []string{"a.*"}},
	}}
	if diff := cmp.Diff(want, setup.Backends, cmpopts.IgnoreFields(bridge.Backend{}, "Conn", "Descriptors", "Release")); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
	if setup.Backends[0].Conn == nil || setup.Backends[0].Descriptors == nil {
		t.Error("no connection or no descriptors")
	}
}

func TestDialDefaults(t *testing.T) {
	t.Parallel()
	setup := dial(t, &configv1.Backend{Target: "localhost:1"})
	if diff := cmp.Diff([]bridge.Backend{{}}, setup.Backends, cmpopts.IgnoreFields(bridge.Backend{}, "Conn", "Descriptors", "Release"),
		cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("backends (-want +got):\n%s", diff)
	}
	if setup := dial(t, &configv1.Backend{Target: "x:1", EmitDefaults: new(true)}); setup.Backends[0].OmitDefaults {
		t.Error("emit_defaults: true omits defaults")
	}
}

func TestDialRefuses(t *testing.T) {
	t.Parallel()
	var invalid *config.Error
	if _, err := config.Dial(&configv1.Config{}); !errors.As(err, &invalid) {
		t.Errorf("error %v, want *config.Error", err)
	}
	_, err := config.Dial(&configv1.Config{Backends: []*configv1.Backend{
		{Name: "a", Target: "x:1", Transport: &configv1.Backend_Tls{Tls: &configv1.Tls{CaFile: "/nowhere.pem"}}},
		{Name: "b", Target: "x:1", Headers: []*configv1.Header{env("k", "BRIDGE_TEST_UNSET")}},
		{Name: "c", Target: "x:1"},
	}})
	if err == nil || !strings.Contains(err.Error(), `backend "a": certificate authorities: open /nowhere.pem`) ||
		!strings.Contains(err.Error(), `backend "b": header "k"`) {
		t.Errorf("error %v, want the faults of a and b", err)
	}
}

// TestWithoutTarget: descriptors from files need no connection.
func TestWithoutTarget(t *testing.T) {
	t.Parallel()
	setup := dial(t, &configv1.Backend{Descriptors: fromFiles(&configv1.Files{DescriptorSet: librarySet})})
	if setup.Backends[0].Conn != nil {
		t.Error("there is a connection")
	}
	if set, err := setup.Backends[0].Descriptors.Load(t.Context()); err != nil || len(set.Services()) != 1 {
		t.Errorf("set %v, error %v", set, err)
	}
}

const librarySet = "../../services/library/library.binpb"

// TestAtMostOnce: retries that a service config asks for do not happen.
func TestAtMostOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	setup := dial(t, &configv1.Backend{Target: "retrying:///" + s.address, Transport: plaintext()})
	if err := check(t, setup); err == nil || !strings.Contains(err.Error(), reached) {
		t.Fatalf("error %v", err)
	}
	if n := len(s.calls("Health/Check")); n != 1 {
		t.Errorf("the server saw %d calls, want one", n)
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	s := serve(t)
	_ = check(t, dial(t, &configv1.Backend{Target: s.address, Transport: plaintext()}))
	got := s.calls("Health/Check")[0].Get("user-agent")
	if len(got) != 1 || !strings.HasPrefix(got[0], "bridge/"+bridge.Version()+" grpc-go/") {
		t.Errorf("user agent %q", got)
	}
}

// TestReflectionHeaders: reflection has the headers of calls and its own, which replace those of the same name; calls
// do not have reflection's.
func TestReflectionHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t)
	setup := dial(t, &configv1.Backend{
		Target: s.address, Transport: plaintext(),
		Headers: []*configv1.Header{literal("x-call", "c"), literal("authorization", "for calls")},
		Descriptors: &configv1.Descriptors{Source: &configv1.Descriptors_Reflection{Reflection: &configv1.Reflection{
			Headers: []*configv1.Header{literal("x-reflect", "r"), literal("authorization", "for reflection")},
			Timeout: durationpb.New(20 * time.Second),
		}}},
	})
	set, err := setup.Backends[0].Descriptors.Load(t.Context())
	if err != nil || len(set.Services()) == 0 {
		t.Fatalf("set %v, error %v", set, err)
	}
	for _, md := range s.calls("ServerReflection") {
		got := metadata.MD{}
		for _, name := range []string{"x-call", "x-reflect", "authorization"} {
			got[name] = md.Get(name)
		}
		want := metadata.MD{"x-call": {"c"}, "x-reflect": {"r"}, "authorization": {"for reflection"}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("metadata of reflection (-want +got):\n%s", diff)
		}
	}
	want := metadata.MD{"x-call": {"c"}, "authorization": {"for calls"}}
	if diff := cmp.Diff(want, setup.Backends[0].Headers); diff != "" {
		t.Errorf("headers of calls (-want +got):\n%s", diff)
	}
}

func TestReflectionSecret(t *testing.T) {
	t.Parallel()
	c := valid()
	c.Backends[0].Descriptors = &configv1.Descriptors{Source: &configv1.Descriptors_Reflection{Reflection: &configv1.Reflection{
		Headers: []*configv1.Header{env("k", "BRIDGE_TEST_UNSET")},
	}}}
	if _, err := config.Dial(c); err == nil || !strings.Contains(err.Error(), `reflection: header "k"`) {
		t.Errorf("error %v", err)
	}
}

// TestSources loads from each kind of source and looks at one comment, which only files carry.
func TestSources(t *testing.T) {
	t.Parallel()
	s := serve(t)
	dir := t.TempDir()
	proto := "syntax = \"proto3\";\npackage grpc.health.v1;\nimport \"google/protobuf/empty.proto\";\n" +
		"service Health {\n  // Says how it is.\n  rpc Check(google.protobuf.Empty) returns (google.protobuf.Empty);\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "health.proto"), []byte(proto), 0o600); err != nil {
		t.Fatal(err)
	}
	sources := &configv1.Files{ProtoPaths: []string{dir}, Protos: []string{"health.proto"}}
	for _, tt := range []struct {
		name        string
		descriptors *configv1.Descriptors
		comment     string
		input       string
	}{
		{"reflection", nil, "", "grpc.health.v1.HealthCheckRequest"},
		{"sources", fromFiles(sources), " Says how it is.\n", "google.protobuf.Empty"},
		{"overlay", &configv1.Descriptors{Overlay: sources}, " Says how it is.\n", "grpc.health.v1.HealthCheckRequest"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			setup := dial(t, &configv1.Backend{Target: s.address, Transport: plaintext(), Descriptors: tt.descriptors})
			set, err := setup.Backends[0].Descriptors.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, service := range set.Services() {
				if service.FullName() != "grpc.health.v1.Health" {
					continue
				}
				method := service.Methods().ByName("Check")
				comment := method.ParentFile().SourceLocations().ByDescriptor(method).LeadingComments
				if comment != tt.comment || string(method.Input().FullName()) != tt.input {
					t.Errorf("comment %q, input %s", comment, method.Input().FullName())
				}
				return
			}
			t.Error("no health service")
		})
	}
}
