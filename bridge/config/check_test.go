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
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
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
		{"socket", func(c *configv1.Config) { c.Backends[0].Target = "unix:/run/library.sock" }},
		{"address of this host", func(c *configv1.Config) { c.Backends[0].Target = "[::1]:65535" }},
		{"no host", func(c *configv1.Config) { c.Backends[0].Target = ":1" }},
		{"secret headers", func(c *configv1.Config) {
			c.Backends[0].Headers = []*configv1.Header{env("authorization", "UNSET"), file("x-file", "/nowhere"), literal("x-bin", "\x00")}
		}},
		{"hosts and origins", func(c *configv1.Config) {
			c.Server = &configv1.Server{
				AllowHosts: []string{"mcp.example.com", "[2001:db8::1]:8443"}, AllowOrigins: []string{"https://app.example.com:8443"},
			}
		}},
		{"portable", func(c *configv1.Config) { c.Profile = configv1.Profile_PROFILE_PORTABLE }},
		{"rich", func(c *configv1.Config) { c.Profile = configv1.Profile_PROFILE_RICH }},
		{"search", func(c *configv1.Config) { c.Mode = configv1.Mode_MODE_SEARCH }},
		{"tools", func(c *configv1.Config) {
			c.Backends[0].Tools = map[string]*bridgev1.Tool{
				"library.v1.LibraryService.GetBook": {Name: "get_book-2", InputSchema: `{"type":"object"}`}, "a.b": nil,
			}
		}},
		{"admin server on another port or host", func(c *configv1.Config) {
			c.Admin, c.Server = &configv1.Admin{Listen: "127.0.0.2:8080"}, &configv1.Server{Listen: "127.0.0.1:8080"}
		}},
		{"free ports", func(c *configv1.Config) {
			c.Admin, c.Server = &configv1.Admin{Listen: "127.0.0.1:0"}, &configv1.Server{Listen: "127.0.0.1:0"}
		}},
		{"forwarded headers", func(c *configv1.Config) {
			c.Backends[0].ForwardHeaders = []*configv1.ForwardedHeader{{Header: "X-Request-Id"}, {Header: "X-Colour", Metadata: "colour"}}
		}},
		{"labels", func(c *configv1.Config) { c.Backends[0].Visibility = []string{"PREVIEW", "INTERNAL"} }},
		{"overlay of sources", func(c *configv1.Config) {
			c.Backends[0].Descriptors = &configv1.Descriptors{Overlay: &configv1.Files{Protos: []string{"a.proto"}, ProtoPaths: []string{"."}}}
		}},
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

func literal(name, value string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Literal{Literal: value}}
}

func env(name, variable string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_Env{Env: variable}}}}
}

func file(name, path string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Secret{Secret: &configv1.Secret{Source: &configv1.Secret_File{File: path}}}}
}

// TestCheckReportsAll: one look at the message mends everything.
func TestCheckReportsAll(t *testing.T) {
	t.Parallel()
	err := config.Check(&configv1.Config{
		Backends: []*configv1.Backend{
			{Target: "x", Deadline: durationpb.New(-1), Headers: []*configv1.Header{literal("te", "1"), literal("X", "v")}},
			{Name: "B"},
		},
		Reload:  durationpb.New(1),
		Server:  &configv1.Server{Listen: ":80", AllowHosts: []string{"http://x/"}},
		Profile: configv1.Profile(9),
		Mode:    configv1.Mode(9),
	})
	var invalid *config.Error
	if !errors.As(err, &invalid) {
		t.Fatalf("error %v", err)
	}
	var got []string
	for _, f := range invalid.Faults {
		got = append(got, f.Path)
	}
	want := []string{
		// by the rules of config.proto
		"backends[0].headers[1].name", "backends[0].deadline", "backends[1]", "backends[1].name", "reload", "profile", "mode",
		"backends[0].target", "backends[0].headers[0]", "server.listen", "server.allow_hosts[0]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("paths of the faults (-want +got):\n%s", diff)
	}
	if text := err.Error(); !strings.HasPrefix(text, "configuration: ") || strings.Count(text, "; ") < len(want)-1 ||
		strings.Contains(text, "\n") {
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
