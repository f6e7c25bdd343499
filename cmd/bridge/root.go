package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
)

// newRoot assembles the command line.
func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "bridge",
		Short: "Offer running gRPC services as tools of the Model Context Protocol",
		Long: `Bridge offers running gRPC services as tools of the Model Context Protocol (MCP).

It reads the services' descriptors, by server reflection or from files, makes a tool of each unary method, or a resource or a
prompt where the method's options say so, and translates each request for one into one gRPC call.`,
		Example:            "  bridge demo\n  bridge serve --backend localhost:50051 --plaintext",
		SilenceErrors:      true,
		SilenceUsage:       true,
		DisableSuggestions: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; %ssee %s --help", err, unitMend(err), cmd.CommandPath())
	})
	root.SetHelpCommand(newHelp())
	root.AddCommand(newDemo(), newServe(), newStdio(), newTools(), newLint(), newCall(), newConfig(), newHealth(), newVersion())
	setOnce(root)
	return root
}

// unitMend says how durations are written, to those who left the unit out.
func unitMend(err error) string {
	if strings.Contains(err.Error(), "missing unit in duration") {
		return "write it with its unit, such as 30s; "
	}
	return ""
}

// commandNames lists the commands that a user may give.
func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// noArgs refuses arguments to a command that has flags only. An argument is mostly a target that lacks its flag.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.Flags().Lookup("backend") == nil {
		return usagef("unexpected argument %q; see %s --help", args[0], cmd.CommandPath())
	}
	if ext := filepath.Ext(args[0]); ext == ".yaml" || ext == ".yml" {
		return usagef("unexpected argument %q: a configuration file is given by a flag, as in %s --config %s", args[0], cmd.CommandPath(),
			args[0])
	}
	return usagef("unexpected argument %q: a backend is given by a flag, as in %s --backend %s", args[0], cmd.CommandPath(), args[0])
}

// untilSignal makes cmd's context end with the first SIGINT or SIGTERM. By then the second one ends the process at once,
// as if nobody listened. The caller calls stop when all is done.
func untilSignal(cmd *cobra.Command) (stop func()) {
	ctx, cancel := context.WithCancel(cmd.Context())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-signals:
		case <-ctx.Done():
		}
		signal.Stop(signals)
		cancel()
	})
	cmd.SetContext(ctx)
	return func() {
		cancel()
		watch.Wait()
	}
}

// interrupted replaces an error that is there because a signal came, whatever it says.
func interrupted(ctx context.Context, err error, aftermath string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return errors.New("interrupted" + aftermath)
}

// closing closes c and adds its error to *err: for deferred calls.
func closing(c io.Closer, err *error) { *err = errors.Join(*err, c.Close()) }
