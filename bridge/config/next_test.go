package config_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// closed says whether a connection of a setup is closed.
func closed(s *config.Setup, i int) bool {
	return s.Backends[i].Conn.(*grpc.ClientConn).GetState() == connectivity.Shutdown
}

// next has a configuration take the place of that of s.
func next(t *testing.T, s *config.Setup, c *configv1.Config) *config.Setup {
	t.Helper()
	n, err := s.Next(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return n
}

// several is a configuration of three backends: one with a secret and certificates in files, one plain, one without a target.
func several(t *testing.T) *configv1.Config {
	t.Helper()
	a := newAuthority(t)
	return &configv1.Config{Backends: []*configv1.Backend{
		{
			Name: "a", Target: "localhost:1", Headers: []*configv1.Header{file("x", write(t, "old"))},
			Transport: &configv1.Backend_Tls{Tls: &configv1.Tls{CaFile: a.file("ca.pem"), CertFile: a.file("ca.pem"), KeyFile: a.file("ca.key")}},
		},
		{Name: "b", Target: "localhost:2", Transport: plaintext()},
		{Name: "c", Descriptors: fromFiles(&configv1.Files{DescriptorSet: librarySet})},
	}}
}

func replace(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestNextKeeps: which backends keep their connection and their descriptors, by what has changed.
func TestNextKeeps(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*testing.T, *configv1.Config)
		kept   []bool // of a, b, c
	}{
		{"nothing", func(*testing.T, *configv1.Config) {}, []bool{true, true, true}},
		{"a setting", func(_ *testing.T, c *configv1.Config) { c.Backends[1].Deadline = durationpb.New(5) }, []bool{true, false, true}},
		{"retries", func(_ *testing.T, c *configv1.Config) { c.Backends[1].Retry = &configv1.Retry{MaxAttempts: 1} }, []bool{true, false, true}},
		{"a target", func(_ *testing.T, c *configv1.Config) { c.Backends[1].Target = "localhost:3" }, []bool{true, false, true}},
		{"a secret", func(t *testing.T, c *configv1.Config) {
			replace(t, c.Backends[0].GetHeaders()[0].GetSecret().GetFile(), "new")
		}, []bool{false, true, true}},
		{"a certificate", func(t *testing.T, c *configv1.Config) {
			other := newAuthority(t)
			text, err := os.ReadFile(other.file("ca.pem"))
			if err != nil {
				t.Fatal(err)
			}
			replace(t, c.Backends[0].GetTls().GetCaFile(), string(text)+"\n") // the pair is read from it, too
			c.Backends[0].GetTls().CertFile, c.Backends[0].GetTls().KeyFile = "", ""
		}, []bool{false, true, true}},
		{"the same certificate in more bytes", func(t *testing.T, c *configv1.Config) {
			path := c.Backends[0].GetTls().GetCaFile()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			replace(t, path, string(text)+"\n")
		}, []bool{false, true, true}},
		{"files", func(_ *testing.T, c *configv1.Config) {
			c.Backends[2].GetDescriptors().GetFiles().DescriptorSet = "other.binpb"
		}, []bool{true, true, false}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := several(t)
			s, err := config.Dial(before)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			after := proto.CloneOf(before)
			tt.change(t, after)
			n := next(t, s, after)
			var kept []bool
			for i := range n.Backends {
				same := n.Backends[i].Conn == s.Backends[i].Conn && n.Backends[i].Descriptors == s.Backends[i].Descriptors
				if other := n.Backends[i].Conn == s.Backends[i].Conn; other != same && n.Backends[i].Conn != nil {
					t.Errorf("backend %d shares one of connection and descriptors", i)
				}
				kept = append(kept, same)
			}
			if diff := cmp.Diff(tt.kept, kept); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClose: a connection lives as long as any Setup has it that is not closed.
func TestClose(t *testing.T) {
	t.Parallel()
	c := &configv1.Config{Backends: []*configv1.Backend{{Name: "a", Target: "x:1"}, {Name: "b", Target: "x:2"}}}
	first, err := config.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	second := next(t, first, &configv1.Config{Backends: c.GetBackends()[1:]})
	for range 2 { // counts once
		if err := first.Close(); err != nil {
			t.Error(err)
		}
	}
	if !closed(first, 0) || closed(first, 1) {
		t.Error("the first connection should be closed, and it alone")
	}
	if err := second.Close(); err != nil || !closed(second, 0) {
		t.Errorf("open when all are closed, error %v", err)
	}
	if again := next(t, second, &configv1.Config{Backends: c.GetBackends()[1:]}); closed(again, 0) {
		t.Error("a closed connection is shared")
	}
}

// TestRelease: what a bridge gives back is closed, whatever Setups there are, and the others are not.
func TestRelease(t *testing.T) {
	t.Parallel()
	c := &configv1.Config{Backends: []*configv1.Backend{{Name: "a", Target: "x:1"}, {Name: "b", Target: "x:2"}}}
	first, err := config.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	second := next(t, first, c)
	first.Backends[0].Release()
	second.Backends[0].Release()
	if !closed(second, 0) || closed(second, 1) {
		t.Error("the first connection should be closed, and it alone")
	}
	if err := second.Close(); err != nil || closed(first, 1) {
		t.Errorf("closed while the first setup has it, error %v", err)
	}
	if err := first.Close(); err != nil || !closed(first, 1) {
		t.Errorf("open when all are closed, error %v", err)
	}
}

// TestNextRefuses: what cannot be had leaves what there is as it is.
func TestNextRefuses(t *testing.T) {
	t.Parallel()
	c := several(t)
	s, err := config.Dial(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	bad := proto.CloneOf(c)
	bad.Backends[1].Headers = []*configv1.Header{env("x", "BRIDGE_TEST_UNSET")}
	if _, err := s.Next(bad); err == nil {
		t.Error("no error")
	}
	if _, err := s.Next(&configv1.Config{}); err == nil {
		t.Error("no error")
	}
	if closed(s, 0) || closed(s, 1) {
		t.Error("a connection was closed")
	}
}

func TestNeedsRestart(t *testing.T) {
	t.Parallel()
	base := &configv1.Config{
		Backends: []*configv1.Backend{{Target: "x:1"}}, Server: &configv1.Server{Listen: "127.0.0.1:1"}, Reload: durationpb.New(1e9),
	}
	for _, tt := range []struct {
		name string
		edit func(*configv1.Config)
		want []string
	}{
		{"nothing", func(*configv1.Config) {}, nil},
		{"backends", func(c *configv1.Config) { c.Backends[0].Target = "y:1" }, nil},
		{"an empty message", func(c *configv1.Config) { c.Limits = &configv1.Limits{} }, nil},
		{"an admin server", func(c *configv1.Config) { c.Admin = &configv1.Admin{} }, []string{"admin"}},
		{
			"much", func(c *configv1.Config) {
				c.Server = &configv1.Server{AllowHosts: []string{"x"}, Listen: "127.0.0.1:2"}
				c.Reload, c.Mode = durationpb.New(2e9), configv1.Mode_MODE_SEARCH
				c.Telemetry = &configv1.Telemetry{Log: &configv1.Log{Level: configv1.Log_LEVEL_DEBUG}, HttpSpans: new(true)}
				c.OutputSchemas = new(false)
			},
			[]string{"server.listen", "server.allow_hosts", "reload", "mode", "output_schemas", "telemetry.log.level", "telemetry.http_spans"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := proto.CloneOf(base)
			tt.edit(after)
			if diff := cmp.Diff(tt.want, config.NeedsRestart(base, after)); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if tt.want == nil && len(config.NeedsRestart(after, base)) > 0 {
				t.Error("the other way round there are some")
			}
		})
	}
}
