package main

import (
	"context"
	"errors"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/mcpgrpc/bridge/bridge"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

func newStdio() *cobra.Command {
	var t target
	var reload time.Duration
	maxRequest := size(bridge.DefaultMaxRequestBytes)
	cmd := &cobra.Command{
		Use:   "stdio --backend host:port [flags]",
		Short: "Serve the tools, resources and prompts of a gRPC server to the one client at stdin and stdout",
		Long: `Serve the tools, resources and prompts of a gRPC server to the one client that started this process, over stdin and
stdout. Nothing but protocol messages is written to stdout; logs go to stderr. The process ends when stdin does.`,
		Example: "  bridge stdio --backend localhost:50051 --plaintext",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.config(cmd, false)
			if err != nil {
				return err
			}
			c.Reload, c.Limits = durationpb.New(reload), &configv1.Limits{MaxRequestBytes: int64(maxRequest)}
			return stdio(cmd, c)
		},
	}
	t.register(cmd)
	cmd.Flags().DurationVar(&reload, "reload", 0, "read the descriptors again at this `interval`, such as 30s; 0 = never. With it, an unreachable backend does not keep the bridge from starting")
	cmd.Flags().Var(&maxRequest, "max-request-size", "longest line of a client, as a `size` such as 1MiB")
	return cmd
}

// stdio serves one client until its stream or a signal ends it.
func stdio(cmd *cobra.Command, c *configv1.Config) (err error) {
	defer untilSignal(cmd)()
	setup, err := dial(c)
	if err != nil {
		return err
	}
	defer closing(setup, &err)
	logger := newLogger(cmd, slog.LevelInfo)
	ctx, in := readEarly(cmd.Context(), cmd.InOrStdin())
	b, err := bridge.New(ctx, setup.Backends, append(setup.Options, bridge.WithLogger(logger))...)
	if errors.Is(context.Cause(ctx), errLeft) {
		logger.Info("stopped", "reason", errLeft)
	}
	if err != nil {
		return startError(ctx, err)
	}
	defer closing(b, &err)
	signal.Ignore(syscall.SIGPIPE) // a client that stops reading is an error of the stream, not the end of the process
	logger.Info("ready", "tools", len(b.Report().Tools))
	err = b.ServeStdio(cmd.Context(), in, cmd.OutOrStdout())
	return startError(cmd.Context(), err)
}
