package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
	"github.com/mcpgrpc/bridge/services/host"
	"github.com/mcpgrpc/bridge/services/library"
	"github.com/mcpgrpc/bridge/services/orders"
)

// demoBackend is where the demo's gRPC server listens if nobody else does: an address that stays the same from one run
// to the next can stand in a client's configuration.
const demoBackend = "127.0.0.1:50051"

func newDemo() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "demo [flags]",
		Short: "Try the bridge: two sample services and a bridge before them, on this host alone",
		Long: `Try the bridge: start a sample library and a shop, which asks before it spends much, and a bridge before them, all
reachable from this host only, and print how to connect. Nothing is kept when it ends.`,
		Example: "  bridge demo\n  bridge demo --listen 127.0.0.1:0",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := demoConfig(cmd, &s)
			if err != nil {
				return err
			}
			return demo(cmd, c)
		},
	}
	s.listen = config.DefaultListen
	cmd.Flags().Var((*nonempty)(&s.listen), "listen", "loopback `host:port` to listen on")
	s.registerOperation(cmd)
	return cmd
}

// demoConfig is the configuration of a bridge before the sample services. Other than serve, the demo has no flag that would
// let it listen beyond loopback, so that it is refused in other words.
func demoConfig(cmd *cobra.Command, s *settings) (*configv1.Config, error) {
	c := &configv1.Config{Server: &configv1.Server{InsecureNoAuth: true}, Backends: []*configv1.Backend{{
		Name:      "samples",
		Target:    demoBackend,
		Transport: &configv1.Backend_Plaintext{Plaintext: &configv1.Plaintext{}},
	}}}
	if err := s.apply(cmd, c); err != nil {
		return nil, err
	}
	for _, l := range []struct{ flag, address, instead string }{
		{"--listen", config.Listen(c.GetServer()), config.DefaultListen},
		{"--admin", adminAddress(c.GetAdmin()), config.DefaultAdminListen},
	} {
		if l.address != "" && config.Exposed(&configv1.Server{Listen: l.address}) {
			return nil, usagef("%s: %s can be reached by other hosts, and the demo stays on this one; give a loopback address such as %s",
				l.flag, l.address, l.instead)
		}
	}
	return c, nil
}

// demo runs the sample services and a bridge until a signal ends them.
func demo(cmd *cobra.Command, c *configv1.Config) (err error) {
	defer untilSignal(cmd)()
	ctx := cmd.Context()
	lis, err := listen(ctx, config.Listen(c.GetServer()), "--listen")
	if err != nil {
		return err
	}
	defer func() { _ = lis.Close() }() // a second time after serving
	grpcAddress, stop, err := startSamples(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	c.Backends[0].Target = grpcAddress
	r := &running{flush: flushTimeout}
	defer closing(r, &err)
	if err := r.open(cmd, c, slog.LevelWarn); err != nil {
		return err
	}
	if err := r.start(ctx); err != nil {
		return startError(ctx, err)
	}
	if err := welcome(cmd.OutOrStdout(), endpoint(lis.Addr()), grpcAddress, installed(ctx)); err != nil {
		return err
	}
	return r.serve(ctx, lis)
}

// startSamples serves the sample services on loopback. It outlives ctx, so that calls in flight can finish, until stop is
// called.
func startSamples(ctx context.Context) (address string, stop func() error, err error) {
	var config net.ListenConfig
	lis, err := config.Listen(ctx, "tcp", demoBackend)
	if err != nil { // in use, most likely by a server of the user's own
		if lis, err = config.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return "", nil, fmt.Errorf("listen for the sample services: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() {
		done <- host.Serve(ctx, lis,
			host.Described(library.New(), library.DescriptorSet()), host.Described(orders.New(), orders.DescriptorSet()))
	}()
	return lis.Addr().String(), func() error {
		cancel()
		return <-done
	}, nil
}
