package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// settings holds the flags that are about the bridge itself and not about its backends. Those that are given stand above what a
// configuration file says.
type settings struct {
	listen, admin, logLevel, logFormat string
	allowHosts, allowOrigins           []string
	insecureNoAuth                     bool
	reload, drainTimeout, drainDelay   time.Duration
	maxRequest                         size
}

// registerServe declares the flags of an HTTP endpoint.
func (s *settings) registerServe(cmd *cobra.Command) {
	f := cmd.Flags()
	s.listen = config.DefaultListen
	f.Var((*nonempty)(&s.listen), "listen", "`host:port` to listen on")
	f.StringArrayVar(&s.allowHosts, "allow-host", nil,
		"serve requests whose Host header is this `host`, beside those of loopback; may be repeated")
	f.StringArrayVar(&s.allowOrigins, "allow-origin", nil,
		"serve browser pages of this `origin`, such as https://app.example.com; may be repeated")
	s.registerReload(cmd, "largest request of a client, as a `size` such as 1MiB")
	f.BoolVar(&s.insecureNoAuth, "insecure-no-auth", false, "listen beyond loopback although nobody is asked who they are")
	f.DurationVar(&s.drainTimeout, "drain-timeout", defaultDrainTimeout, "after SIGTERM, how long calls in flight may go on, as a `duration`")
	f.DurationVar(&s.drainDelay, "drain-delay", 0,
		"after SIGTERM, how long new calls are still taken while /readyz says no, as a `duration` such as 5s")
	s.registerOperation(cmd)
}

// registerReload declares the flags of all that serves backends of the user's own.
func (s *settings) registerReload(cmd *cobra.Command, request string) {
	f := cmd.Flags()
	f.DurationVar(&s.reload, "reload", 0, "read the descriptors, and a configuration file that has changed, again at this `interval`, "+
		"such as 30s; 0 = never. With it, an unreachable backend does not keep the bridge from starting")
	s.maxRequest = size(bridge.DefaultMaxRequestBytes)
	f.Var(&s.maxRequest, "max-request-size", request)
}

// registerOperation declares the flags for whoever operates a bridge.
func (s *settings) registerOperation(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var((*nonempty)(&s.admin), "admin", "serve /healthz, /readyz and /metrics at this `host:port`, such as "+config.DefaultAdminListen)
	f.Var((*nonempty)(&s.logLevel), "log-level", "least `level` that is logged: debug, info, warn or error (default "+defaultLevel(cmd)+")")
	f.Var((*nonempty)(&s.logFormat), "log-format", "`form` of the log: text or json (default text)")
}

// defaultLevel is what a command logs when nothing says otherwise: the demo, which talks to people, keeps to what matters.
func defaultLevel(cmd *cobra.Command) string {
	if cmd.Name() == "demo" {
		return "warn"
	}
	return "info"
}

// apply puts the flags that were given above what c says, and checks the whole: what is wrong then, the flags brought.
func (s *settings) apply(cmd *cobra.Command, c *configv1.Config) error {
	s.applyServer(cmd, c)
	if cmd.Flags().Changed("reload") {
		c.Reload = durationpb.New(s.reload)
	}
	if cmd.Flags().Changed("max-request-size") {
		c.Limits = orNew(c.GetLimits())
		c.Limits.MaxRequestBytes = int64(s.maxRequest)
	}
	if s.admin != "" {
		c.Admin = orNew(c.GetAdmin())
		c.Admin.Listen = s.admin
	}
	if err := s.applyLog(c); err != nil {
		return err
	}
	return flagError(config.Check(c))
}

// applyServer is apply for the HTTP side.
func (s *settings) applyServer(cmd *cobra.Command, c *configv1.Config) {
	server := orNew(c.GetServer())
	given := false
	for _, flag := range []struct {
		name string
		set  func()
	}{
		{"listen", func() { server.Listen = s.listen }},
		{"allow-host", func() { server.AllowHosts = s.allowHosts }},
		{"allow-origin", func() { server.AllowOrigins = s.allowOrigins }},
		{"insecure-no-auth", func() { server.InsecureNoAuth = s.insecureNoAuth }},
		{"drain-timeout", func() { server.DrainTimeout = durationpb.New(s.drainTimeout) }},
		{"drain-delay", func() { server.DrainDelay = durationpb.New(s.drainDelay) }},
	} {
		if cmd.Flags().Changed(flag.name) {
			flag.set()
			given = true
		}
	}
	if given {
		c.Server = server
	}
}

// applyLog is apply for the log.
func (s *settings) applyLog(c *configv1.Config) error {
	if s.logLevel == "" && s.logFormat == "" {
		return nil
	}
	c.Telemetry = orNew(c.GetTelemetry())
	log := orNew(c.GetTelemetry().GetLog())
	c.Telemetry.Log = log
	if s.logLevel != "" {
		n, ok := configv1.Log_Level_value["LEVEL_"+strings.ToUpper(s.logLevel)]
		if !ok || n == 0 {
			return usagef("--log-level %q: choose debug, info, warn or error", s.logLevel)
		}
		log.Level = configv1.Log_Level(n)
	}
	if s.logFormat != "" {
		n, ok := configv1.Log_Format_value["FORMAT_"+strings.ToUpper(s.logFormat)]
		if !ok || n == 0 {
			return usagef("--log-format %q: choose text or json", s.logFormat)
		}
		log.Format = configv1.Log_Format(n)
	}
	return nil
}

// orNew returns m, or an empty one where there is none.
func orNew[T any](m *T) *T {
	if m == nil {
		return new(T)
	}
	return m
}

// load returns what reads the configuration of a command: now, and again for each reload.
func (t *target) load(cmd *cobra.Command, s *settings) func() (*configv1.Config, error) {
	files := new(config.Reader)
	read := func() (*configv1.Config, error) {
		if t.file != "" {
			return t.readWith(cmd, files, false)
		}
		return t.config(cmd, false)
	}
	return func() (*configv1.Config, error) {
		c, err := read()
		if err != nil {
			return nil, err
		}
		return c, s.apply(cmd, c)
	}
}
