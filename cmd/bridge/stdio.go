package main

import (
	"context"
	"errors"
	"log/slog"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func newStdio() *cobra.Command {
	var t target
	var s settings
	cmd := &cobra.Command{
		Use:   "stdio --config file | --backend host:port [flags]",
		Short: "Serve the tools, resources and prompts of gRPC servers to the one client at stdin and stdout",
		Long: `Serve the tools, resources and prompts of gRPC servers to the one client that started this process, over stdin and stdout.
Nothing but protocol messages is written to stdout; logs go to stderr. The process ends when stdin does.

With --config the backends are those of the file, and the flags of a backend contradict it; the others, from --reload on, stand
above what the file says. SIGHUP reads all of it again, as with bridge serve.`,
		Example: "  bridge stdio --backend localhost:50051 --plaintext\n  bridge stdio --config bridge.yaml",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return stdio(cmd, newRenewal(t.load(cmd, &s), t.file))
		},
	}
	t.register(cmd)
	s.registerReload(cmd, "longest line of a client, as a `size` such as 1MiB")
	s.registerOperation(cmd)
	return cmd
}

// stdio serves one client until its stream or a signal ends it.
func stdio(cmd *cobra.Command, n *renewal) (err error) {
	defer n.stop()
	defer untilSignal(cmd)()
	c, err := n.read(cmd.Context())
	if err != nil {
		return err
	}
	r := &running{flush: pipeFlushTimeout}
	defer closing(r, &err)
	if err := r.open(cmd, c, slog.LevelInfo); err != nil {
		return err
	}
	ctx, in := readEarly(cmd.Context(), cmd.InOrStdin())
	err = r.start(ctx)
	if errors.Is(context.Cause(ctx), errLeft) {
		r.logger.Info("stopped", "reason", errLeft)
	}
	if err != nil {
		return startError(ctx, err)
	}
	n.run(r)
	signal.Ignore(syscall.SIGPIPE) // a client that stops reading is an error of the stream, not the end of the process
	r.logger.Info("ready", "tools", len(r.bridge.Report().Tools))
	err = r.bridge.ServeStdio(cmd.Context(), in, cmd.OutOrStdout())
	r.bridge.BeginDrain()
	return startError(cmd.Context(), err)
}
