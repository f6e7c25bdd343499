package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// valid returns a configuration that names only what it must.
func valid() *configv1.Config {
	return &configv1.Config{Backends: []*configv1.Backend{{Target: "localhost:50051"}}}
}

func TestCheckAccepts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*configv1.Config)
	}{
		{"the least", func(*configv1.Config) {}},
		{"resolver target", func(c *configv1.Config) { c.Backends[0].Target = "dns:///library.internal" }},
		{"files without a target", func(c *configv1.Config) {
			c.Backends[0] = &configv1.Backend{Descriptors: fromFiles(&configv1.Files{DescriptorSet: "x.binpb"})}
		}},
		{"all loopback forms", func(c *configv1.Config) { c.Server = &configv1.Server{Listen: "[::1]:0"} }},
		{"beyond loopback, on purpose", func(c *configv1.Config) {
			c.Server = &configv1.Server{Listen: ":8080", InsecureNoAuth: true}
		}},
		{"two backends", func(c *configv1.Config) {
			c.Backends = append(c.Backends, &configv1.Backend{Name: "other", Target: "other:1"})
		}},
		{"reload", func(c *configv1.Config) { c.Reload = durationpb.New(time.Second) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			tt.edit(c)
			if err := config.Check(c); err != nil {
				t.Error(err)
			}
		})
	}
}

func fromFiles(f *configv1.Files) *configv1.Descriptors {
	return &configv1.Descriptors{Source: &configv1.Descriptors_Files{Files: f}}
}

func withHeader(h *configv1.Header) func(*configv1.Config) {
	return func(c *configv1.Config) { c.Backends[0].Headers = []*configv1.Header{h} }
}

func literal(name, value string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Literal{Literal: value}}
}

func env(name, variable string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_Env{Env: variable}}}}
}

func file(name, path string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_File{File: path}}}}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*configv1.Config)
		want string
	}{
		{"no backends", func(c *configv1.Config) { c.Backends = nil }, "backends: at least one is needed"},
		{
			"no target", func(c *configv1.Config) { c.Backends[0].Target = "" },
			"backends[0]: target is required when the descriptors come from reflection; set it, or descriptors.files",
		},
		{
			"no port", func(c *configv1.Config) { c.Backends[0].Target = "library" },
			`backends[0].target: "library" has no port; write host:port, such as library:50051`,
		},
		{
			"name", func(c *configv1.Config) { c.Backends[0].Name = "A b" },
			`backends[0].name: "A b" must be a lower-case letter, then at most 62 of a-z, 0-9, "_" and "-"`,
		},
		{
			"same name", func(c *configv1.Config) {
				c.Backends = append(c.Backends, &configv1.Backend{Name: "default", Target: "x:1"})
			},
			`every backend needs a name of its own (a backend without one is called "default")`,
		},
		{"deadline", func(c *configv1.Config) { c.Backends[0].Deadline = durationpb.New(0) }, "backends[0].deadline: must be greater than 0s"},
		{
			"message size", func(c *configv1.Config) { c.Backends[0].MaxMessageBytes = -1 },
			"backends[0].max_message_bytes: must be greater than or equal to 0 and less than or equal to 2147483647",
		},
		{
			"expose", func(c *configv1.Config) { c.Backends[0].Expose = []string{"ok.*", "a b"} },
			`backends[0].expose[1]: "a b" must be a glob of full method names, such as library.v1.*`,
		},
		{
			"hide", func(c *configv1.Config) { c.Backends[0].Hide = []string{""} },
			`backends[0].hide[0]: "" must be a glob of full method names, such as *.Delete*`,
		},
		{
			"header name", withHeader(literal("X Y", "v")),
			`backends[0].headers[0].name: "X Y" must have only a-z, 0-9, "-", "_" and ".", such as authorization`,
		},
		{"header of gRPC", withHeader(literal("grpc-timeout", "v")), `backends[0].headers[0]: names that start with "grpc-" belong to gRPC`},
		{"header value", withHeader(&configv1.Header{Name: "x"}), "backends[0].headers[0].value: set literal or secret"},
		{
			"secret", withHeader(&configv1.Header{Name: "x", Value: &configv1.Header_Secret{Secret: &configv1.Secret{}}}),
			"backends[0].headers[0].secret.source: set env or file",
		},
		{
			"variable", withHeader(env("x", "1")),
			`backends[0].headers[0].secret.env: "1" must be the name of an environment variable, such as LIBRARY_TOKEN`,
		},
		{"file", withHeader(file("x", "")), "backends[0].headers[0].secret.file: must not be empty"},
		{
			"half a key pair", func(c *configv1.Config) {
				c.Backends[0].Transport = &configv1.Backend_Tls{Tls: &configv1.Tls{CertFile: "x"}}
			},
			"backends[0].tls: cert_file and key_file are set together or not at all",
		},
		{
			"no files", func(c *configv1.Config) { c.Backends[0].Descriptors = fromFiles(&configv1.Files{}) },
			"backends[0].descriptors.files: set either descriptor_set or protos",
		},
		{"overlay on files", func(c *configv1.Config) {
			c.Backends[0].Descriptors = fromFiles(&configv1.Files{DescriptorSet: "x"})
			c.Backends[0].Descriptors.Overlay = &configv1.Files{DescriptorSet: "y"}
		}, "backends[0].descriptors: overlay lays texts over reflection; with files, put everything into files"},
		{
			"listen", func(c *configv1.Config) { c.Server = &configv1.Server{Listen: "8080"} },
			`server.listen: "8080" must be host:port, such as 127.0.0.1:8080`,
		},
		{
			"port", func(c *configv1.Config) { c.Server = &configv1.Server{Listen: "localhost:70000"} },
			`server.listen: "localhost:70000" has no port between 0 and 65535`,
		},
		{
			"address", func(c *configv1.Config) { c.Server = &configv1.Server{Listen: "::1:80"} },
			`server.listen: "::1:80" is no address; write host:port, such as 127.0.0.1:8080`,
		},
		{
			"beyond loopback", func(c *configv1.Config) { c.Server = &configv1.Server{Listen: "0.0.0.0:80"} },
			"server.listen: 0.0.0.0:80 can be reached by other hosts, and nobody is asked who they are; " +
				"listen on 127.0.0.1, or set insecure_no_auth to accept that",
		},
		{
			"origin", func(c *configv1.Config) { c.Server = &configv1.Server{AllowOrigins: []string{"example.com"}} },
			`server.allow_origins[0]: "example.com" must be scheme://host, such as https://app.example.com`,
		},
		{"host", func(c *configv1.Config) { c.Server = &configv1.Server{AllowHosts: []string{""}} }, "server.allow_hosts[0]: must not be empty"},
		{"reload", func(c *configv1.Config) { c.Reload = durationpb.New(time.Millisecond) }, "reload: must be 0s (never) or at least 1s"},
		{"profile", func(c *configv1.Config) { c.Profile = 9 }, "profile: is no known value"},
		{"rich profile", func(c *configv1.Config) { c.Profile = configv1.Profile_PROFILE_RICH }, "profile: rich is not available; portable is"},
		{
			"request limit", func(c *configv1.Config) { c.Limits = &configv1.Limits{MaxRequestBytes: -1} },
			"limits.max_request_bytes: must be greater than or equal to 0 and less than or equal to 1073741824",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := valid()
			tt.edit(c)
			var invalid *config.Error
			if err := config.Check(c); !errors.As(err, &invalid) {
				t.Fatalf("error %v", err)
			}
			var got []string
			for _, f := range invalid.Faults {
				got = append(got, f.String())
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckReportsAll: one look at the message mends everything.
func TestCheckReportsAll(t *testing.T) {
	t.Parallel()
	err := config.Check(&configv1.Config{
		Backends: []*configv1.Backend{{Target: "x", Deadline: durationpb.New(-1)}, {Name: "B"}},
		Reload:   durationpb.New(1),
	})
	var invalid *config.Error
	if !errors.As(err, &invalid) || len(invalid.Faults) != 5 {
		t.Fatalf("error %v, want five faults", err)
	}
	if text := err.Error(); !strings.HasPrefix(text, "configuration: ") || strings.Count(text, "; ") < 4 || strings.Contains(text, "\n") {
		t.Errorf("text %q", text)
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		listen, want string
		exposed      bool
	}{
		{"", "127.0.0.1:8080", false},
		{"localhost:1", "localhost:1", false},
		{"127.9.9.9:1", "127.9.9.9:1", false},
		{"[::1]:1", "[::1]:1", false},
		{":1", ":1", true},
		{"0.0.0.0:1", "0.0.0.0:1", true},
		{"[::]:1", "[::]:1", true},
		{"bridge.internal:1", "bridge.internal:1", true},
		{"garbage", "garbage", true},
	} {
		s := &configv1.Server{Listen: tt.listen}
		if got := config.Listen(s); got != tt.want {
			t.Errorf("Listen(%q) = %q, want %q", tt.listen, got, tt.want)
		}
		if got := config.Exposed(s); got != tt.exposed {
			t.Errorf("Exposed(%q) = %v, want %v", tt.listen, got, tt.exposed)
		}
	}
}

// FuzzCheck: whatever is in a configuration, checking and dialling it ends with an answer.
func FuzzCheck(f *testing.F) {
	for _, c := range []*configv1.Config{valid(), {}, {Backends: []*configv1.Backend{{Target: "unix:///x"}, {Target: "%zz:1"}}}} {
		b, err := proto.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		c := &configv1.Config{}
		if proto.Unmarshal(wire, c) != nil {
			t.Skip()
		}
		for _, b := range c.GetBackends() { // no reading of arbitrary files
			b.Headers, b.Transport, b.Descriptors = nil, nil, nil
		}
		if setup, err := config.Dial(c); err == nil {
			setup.Close()
		} else if config.Check(c) == nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
