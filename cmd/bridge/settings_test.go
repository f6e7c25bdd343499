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
)

// TestSettingsStandAboveTheFile: what a flag says counts, and all else stays as the file has it.
func TestSettingsStandAboveTheFile(t *testing.T) {
	t.Parallel()
	backends := []*configv1.Backend{{Target: "x:1"}}
	file := &configv1.Config{
		Backends: backends,
		Server:   &configv1.Server{Listen: "127.0.0.1:1", AllowHosts: []string{"a"}, DrainDelay: durationpb.New(time.Second)},
		Limits:   &configv1.Limits{MaxRequestBytes: 1, MaxResultBytes: 2},
		Reload:   durationpb.New(time.Minute),
		Admin:    &configv1.Admin{Listen: "127.0.0.1:2", Readiness: configv1.Readiness_READINESS_ALL},
		Telemetry: &configv1.Telemetry{Baggage: true, Log: &configv1.Log{
			Level: configv1.Log_LEVEL_ERROR, Format: configv1.Log_FORMAT_JSON,
		}},
	}
	for _, tt := range []struct {
		flags  string
		change func(*configv1.Config)
	}{
		{"", func(*configv1.Config) {}},
		{"--listen 127.0.0.1:3", func(c *configv1.Config) { c.Server.Listen = "127.0.0.1:3" }},
		{"--allow-host b --allow-host c", func(c *configv1.Config) { c.Server.AllowHosts = []string{"b", "c"} }},
		{"--allow-origin https://d", func(c *configv1.Config) { c.Server.AllowOrigins = []string{"https://d"} }},
		{"--listen :3 --insecure-no-auth", func(c *configv1.Config) { c.Server.Listen, c.Server.InsecureNoAuth = ":3", true }},
		{"--drain-timeout 2s", func(c *configv1.Config) { c.Server.DrainTimeout = durationpb.New(2 * time.Second) }},
		{"--drain-delay 0s", func(c *configv1.Config) { c.Server.DrainDelay = durationpb.New(0) }},
		{"--reload 0s", func(c *configv1.Config) { c.Reload = durationpb.New(0) }},
		{"--max-request-size 1KiB", func(c *configv1.Config) { c.Limits.MaxRequestBytes = 1024 }},
		{"--admin 127.0.0.1:0", func(c *configv1.Config) { c.Admin.Listen = "127.0.0.1:0" }},
		{"--log-level debug", func(c *configv1.Config) { c.Telemetry.Log.Level = configv1.Log_LEVEL_DEBUG }},
		{"--log-format text", func(c *configv1.Config) { c.Telemetry.Log.Format = configv1.Log_FORMAT_TEXT }},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			t.Parallel()
			want, got := proto.CloneOf(file), proto.CloneOf(file)
			tt.change(want)
			var s settings
			cmd := &cobra.Command{Use: "serve"}
			s.registerServe(cmd)
			if err := cmd.ParseFlags(strings.Fields(tt.flags)); err != nil {
				t.Fatal(err)
			}
			if err := s.apply(cmd, got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUsageOfOperation: what is wrong with the flags for whoever operates a bridge.
func TestUsageOfOperation(t *testing.T) {
	wrong(t, []usage{
		{"serve " + nobody + "--log-level loud", `--log-level "loud": choose debug, info, warn or error`},
		{"demo --log-level unspecified", `--log-level "unspecified": choose debug, info, warn or error`},
		{"stdio " + nobody + "--log-format xml", `--log-format "xml": choose text or json`},
		{"serve " + nobody + "--admin 8081", `--admin: "8081" must be host:port, such as 127.0.0.1:8081`},
		{
			"serve " + nobody + "--admin=",
			`invalid argument "" for "--admin" flag: it is empty: give a value, or drop the flag; see bridge serve --help`,
		},
		{"serve " + nobody + "--drain-timeout 0s", "--drain-timeout: must be greater than 0s and less than or equal to 3600s"},
		{"serve " + nobody + "--drain-delay 1h", "--drain-delay: must be from 0s to 600s"},
		{
			"serve " + nobody + "--drain-delay 5",
			`invalid argument "5" for "--drain-delay" flag: time: missing unit in duration "5"; write it with its unit, such as 30s; see ` +
				`bridge serve --help`,
		},
		{
			"demo --admin 0.0.0.0:0",
			"--admin: 0.0.0.0:0 can be reached by other hosts, and the demo stays on this one; give a loopback address such as 127.0.0.1:8081",
		},
		{"config check", "0 files: give one, as in bridge config check bridge.yaml"},
		{"config check a b", "2 files: give one, as in bridge config check bridge.yaml"},
		{"config chekc a", `unknown command "chekc" for "bridge config": the commands are check, schema`},
		{"config schema a", `unexpected argument "a"; see bridge config schema --help`},
		{"health now", `unexpected argument "now"; see bridge health --help`},
		{
			"serve --config a.yaml " + nobody + "--deadline 1s --expose a.* --profile rich",
			"--config and --backend, --plaintext, --deadline, --expose, --profile contradict each other: say it in a.yaml, or drop --config",
		},
		{
			"tools --config a.yaml --descriptor-set a.binpb",
			"--config and --descriptor-set contradict each other: say it in a.yaml, or drop --config",
		},
		{
			"serve bridge.yaml",
			`unexpected argument "bridge.yaml": a configuration file is given by a flag, as in bridge serve --config bridge.yaml`,
		},
	})
}
