package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// healthCommand is the probe of a server that runs, for health checks in an image that has no other program.
func healthCommand(ctx context.Context) *cobra.Command {
	var (
		address string
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:     "health [flags]",
		Short:   "Ask running sample services whether they serve: exit code 0 when they do, 1 when not",
		Example: "  serve health --listen 127.0.0.1:50051",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Sprintf("unexpected argument %q; see serve health --help", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, _, err := net.SplitHostPort(address); err != nil {
				return usageError{fmt.Sprintf("--listen %q is not host:port; write for example --listen 127.0.0.1:50051", address)}
			}
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			if err := probe(ctx, address); err != nil {
				return err
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "serving")
			return err
		},
	}
	cmd.Flags().StringVar(&address, "listen", "127.0.0.1:50051", "`host:port` on which the services were told to listen")
	cmd.Flags().DurationVar(&timeout, "timeout", 2*time.Second, "how long an answer may take, as a `duration` such as 2s")
	return cmd
}

// probe asks grpc.health.v1 at address about the server as a whole.
func probe(ctx context.Context, address string) error {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("--listen %q: %w", address, err)
	}
	defer conn.Close() //nolint:errcheck // nothing is left to do about it
	answer, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
	if err != nil {
		return fmt.Errorf("nobody tells of health at %s: %w", address, err)
	}
	if answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
		return fmt.Errorf("%s does not serve: %s", address, answer.GetStatus())
	}
	return nil
}
