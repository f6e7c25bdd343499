// Command serve runs sample services over gRPC, with reflection and health, and
// on demand the same services as REST by way of grpc-gateway:
//
//	go run ./services/serve --listen 127.0.0.1:50051 --rest 127.0.0.1:8082 library echo
//
// It prints its addresses on stderr when it is ready and ends cleanly on an
// interrupt or SIGTERM. It exits with 2 when it is called wrongly and with 1
// when it cannot do what it was asked to. "serve health" asks a running one
// whether it serves, for the health checks of containers.
//
// The standard OTEL_* environment variables make spans of the calls and say where
// they go; with none set there are none.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
)

func main() {
	os.Exit(execute())
}

func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
}

// usageError is the fault of whoever wrote the command line.
type usageError struct{ text string }

// Error returns one line that says what to write instead.
func (e usageError) Error() string { return e.text }

// run is the program without its process. It returns the exit code, after ctx
// ended or something failed.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	cmd := command(ctx, stderr)
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.Execute()
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "serve: %v\n", err)
	if usage := (usageError{}); errors.As(err, &usage) {
		return 2
	}
	return 1
}

// command is the command line; it serves until ctx ends and says where on log.
func command(ctx context.Context, log io.Writer) *cobra.Command {
	var at addresses
	cmd := &cobra.Command{
		Use:           "serve [flags] SERVICE...",
		Short:         "Run sample services (" + strings.Join(serviceNames(), ", ") + ") over gRPC and, with --rest, REST",
		Example:       "  serve library\n  serve --listen 127.0.0.1:50051 --rest 127.0.0.1:8082 library echo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(_ *cobra.Command, names []string) error {
			_, err := choose(names)
			return err
		},
		RunE: func(_ *cobra.Command, names []string) error {
			chosen, err := choose(names)
			if err != nil {
				return err
			}
			if err := routed(at, names); err != nil {
				return err
			}
			return traced(ctx, log, names, func(options ...grpc.ServerOption) error {
				return serve(ctx, at, chosen, log, options...)
			})
		},
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	cmd.Flags().StringVar(&at.grpc, "listen", "127.0.0.1:50051", "`host:port` for gRPC, without encryption; port 0 takes a free one")
	cmd.Flags().StringVar(&at.rest, "rest", "", "`host:port` for REST (default: no REST)")
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return usageError{err.Error() + "; see serve --help"}
	})
	cmd.AddCommand(healthCommand(ctx))
	return cmd
}

// choose finds the services with names, each once.
func choose(names []string) ([]sample, error) {
	if len(names) == 0 {
		return nil, usageError{"name at least one service: " + strings.Join(serviceNames(), ", ")}
	}
	var chosen []sample
	for i, name := range names {
		made, ok := samples[name]
		switch {
		case !ok:
			return nil, usageError{fmt.Sprintf("unknown service %q; there are %s", name, strings.Join(serviceNames(), ", "))}
		case slices.Contains(names[:i], name):
			return nil, usageError{fmt.Sprintf("service %q is named twice; name it once", name)}
		}
		chosen = append(chosen, made)
	}
	return chosen, nil
}

// routed refuses REST for a service that has none, rather than to serve a part of
// what was asked for.
func routed(at addresses, names []string) error {
	for _, name := range names {
		if at.rest != "" && samples[name].rest == nil {
			return usageError{fmt.Sprintf("service %q has no REST routes; leave out --rest or the service", name)}
		}
	}
	return nil
}
