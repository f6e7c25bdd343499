package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	bridgev1 "github.com/mcpgrpc/bridge/gen/bridge/v1"
)

// fill returns the configuration that flags make.
func fill(t *testing.T, offline bool, flags string) *configv1.Config {
	t.Helper()
	var target target
	cmd := &cobra.Command{Use: "test"}
	target.register(cmd)
	if err := cmd.ParseFlags(strings.Fields(flags)); err != nil {
		t.Fatal(err)
	}
	c, err := target.config(cmd, offline)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func reflected(headers ...*configv1.Header) *configv1.Descriptors {
	return &configv1.Descriptors{Source: &configv1.Descriptors_Reflection{Reflection: &configv1.Reflection{Headers: headers}}}
}

func literal(name, value string) *configv1.Header {
	return &configv1.Header{Name: name, Value: &configv1.Header_Literal{Literal: value}}
}

// TestFlagsFillConfig: flags and a configuration file say the same things.
func TestFlagsFillConfig(t *testing.T) {
	t.Parallel()
	tls := func(s *configv1.Tls) *configv1.Backend_Tls { return &configv1.Backend_Tls{Tls: s} }
	secret := func(s *configv1.Secret) *configv1.Header_Secret { return &configv1.Header_Secret{Secret: s} }
	set := &configv1.Files{DescriptorSet: "x.binpb"}
	for _, tt := range []struct {
		flags string
		want  *configv1.Backend
	}{
		{"--backend x:1", &configv1.Backend{Target: "x:1", Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20, Descriptors: reflected()}},
		{"--backend x:1 --plaintext --deadline 5s --max-message-size 1KiB --expose a.* --expose b.* --hide c.*", &configv1.Backend{
			Target: "x:1", Transport: &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}}, Deadline: durationpb.New(5 * time.Second),
			MaxMessageBytes: 1024, Descriptors: reflected(), Expose: []string{"a.*", "b.*"}, Hide: []string{"c.*"},
		}},
		{"--backend x:1 --tls-ca a --tls-cert b --tls-key c --tls-server-name d", &configv1.Backend{
			Target: "x:1", MaxMessageBytes: 4 << 20, Descriptors: reflected(),
			Transport: tls(&configv1.Tls{CaFile: "a", CertFile: "b", KeyFile: "c", ServerName: "d"}),
		}},
		{"--backend x:1 --header A=1=2,3 --header b=@f --header c=env:E --header d= --reflection-header e=5", &configv1.Backend{
			Target: "x:1", Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20,
			Headers: []*configv1.Header{
				literal("a", "1=2,3"),
				{Name: "b", Value: secret(&configv1.Secret{Source: &configv1.Secret_File{File: "f"}})},
				{Name: "c", Value: secret(&configv1.Secret{Source: &configv1.Secret_Env{Env: "E"}})},
				literal("d", ""),
			},
			Descriptors: reflected(literal("e", "5")),
		}},
		{"--backend x:1 --visibility A --visibility B --no-rules --tool-name a.B.C=c --tool-name a.B.D=d=e", &configv1.Backend{
			Target: "x:1", Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20, Descriptors: reflected(),
			Visibility: []string{"A", "B"}, CheckRules: proto.Bool(false),
			Tools: map[string]*bridgev1.Tool{"a.B.C": {Name: "c"}, "a.B.D": {Name: "d=e"}},
		}},
		{"--descriptor-set x.binpb", &configv1.Backend{
			Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20,
			Descriptors: &configv1.Descriptors{Source: &configv1.Descriptors_Files{Files: set}},
		}},
		{"--proto-path p --proto-path q --proto a.proto --proto b.proto", &configv1.Backend{
			Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20,
			Descriptors: &configv1.Descriptors{Source: &configv1.Descriptors_Files{Files: &configv1.Files{
				ProtoPaths: []string{"p", "q"}, Protos: []string{"a.proto", "b.proto"},
			}}},
		}},
		{"--backend x:1 --descriptor-set x.binpb --reflection", &configv1.Backend{
			Target: "x:1", Transport: tls(&configv1.Tls{}), MaxMessageBytes: 4 << 20,
			Descriptors: &configv1.Descriptors{Source: reflected().GetSource(), Overlay: set},
		}},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			t.Parallel()
			want := &configv1.Config{
				Backends: []*configv1.Backend{tt.want}, Profile: configv1.Profile_PROFILE_PORTABLE, Mode: configv1.Mode_MODE_TOOLS,
			}
			if diff := cmp.Diff(want, fill(t, true, tt.flags), protocmp.Transform()); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFlagsOfTheWhole: what concerns no single backend.
func TestFlagsOfTheWhole(t *testing.T) {
	t.Parallel()
	c := fill(t, true, "--descriptor-set x --profile rich --mode search --no-output-schemas")
	outputs := c.OutputSchemas == nil || c.GetOutputSchemas()
	if c.GetProfile() != configv1.Profile_PROFILE_RICH || c.GetMode() != configv1.Mode_MODE_SEARCH || outputs {
		t.Errorf("profile %v, mode %v, output schemas %v", c.GetProfile(), c.GetMode(), c.OutputSchemas)
	}
}
