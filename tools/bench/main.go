// Command bench measures what a unary call costs through bridge serve, beside a direct gRPC client, grpc-gateway's generated
// REST handler and a minimal MCP server on the official Go SDK, and prints Markdown:
//
//	cd tools/bench && go run . -o table.md
//
// Everything runs as a process of its own on loopback, at free ports: the backend, each of the servers that are compared, the
// direct client and the load generator, all of them but the bridge this very program with another first argument. Linux only,
// as it reads /proc and the CPU clocks of other processes. docs/performance.md says what is measured and how.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := dispatch(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted: no table is written")
		}
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1) //nolint:gocritic // the processes that were started have ended when dispatch returns
	}
}

// dispatch runs one of the parts, when the first argument names one, or else the benchmark.
func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		if part, ok := parts[args[0]]; ok {
			return part(ctx, args[1:], os.Stdin, stdout)
		}
	}
	var s settings
	var out string
	if err := s.parse(args, stderr, &out); err != nil {
		return err
	}
	if s.profile != "" {
		return profile(ctx, s, stderr)
	}
	if out == "" {
		return bench(ctx, s, stdout, stderr)
	}
	file, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	if err := bench(ctx, s, io.MultiWriter(file, stdout), stderr); err != nil {
		_ = file.Close()
		return err
	}
	return file.Close()
}

// part is a process of the benchmark. It serves until ctx ends or stdin does, so that none outlives the benchmark.
type part func(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error

// parts are the processes by the names under which the benchmark starts them.
var parts = map[string]part{
	"backend": backend,
	"gateway": gateway,
	"sdk":     sdkServer,
	"sink":    sink,
	"direct":  directClient,
	"load":    loadGenerator,
}

// settings say how long the benchmark measures.
type settings struct {
	// rounds is how many times each cell is measured, at least 1.
	rounds int
	// cell is how long a cell lasts; unused when calls is set.
	cell time.Duration
	// calls is how many calls a cell makes; 0 for as many as fit into its time.
	calls int
	// clients are the numbers of clients at once.
	clients []int
	// root is the main module's directory.
	root string
	// bridge is a program to measure; empty for the one that is built from root.
	bridge string
	// profiled is the size of the calls of a profile.
	profiled string
	// profile is the file for a CPU profile of the bridge; empty for the benchmark.
	profile string
}

// parse reads the command line; out is where the Markdown goes beside stdout.
func (s *settings) parse(args []string, stderr io.Writer, out *string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.rounds, "rounds", 5, "how many times each cell is measured, in turns")
	flags.DurationVar(&s.cell, "cell", 700*time.Millisecond, "how long a cell lasts; those of large calls twice as long")
	flags.IntVar(&s.calls, "calls", 0, "calls of a cell, instead of its time")
	flags.StringVar(&s.root, "root", "../..", "directory of the main module, from which the bridge is built")
	flags.StringVar(&s.bridge, "bridge", "", "a bridge program to measure instead")
	flags.StringVar(&s.profile, "profile", "",
		"write a CPU profile of bridge serve at c=16 to this file, print a summary, and measure nothing else")
	flags.StringVar(&s.profiled, "profiled", sizes[0].name, "size of the calls of -profile: small, medium or large")
	flags.StringVar(out, "o", "", "write the Markdown to this file, too")
	short := flags.Bool("short", false, "one round of 100 calls a cell: shows that everything works, measures nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s.clients = []int{1, 16, 64}
	if *short {
		s.rounds, s.calls = 1, 100
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is no part of the benchmark and no flag; see -help", flags.Arg(0))
	case s.rounds < 1 || s.cell <= 0 || s.calls < 0:
		return fmt.Errorf("-rounds and -cell have to be above 0, -calls 0 or more")
	case s.profile != "" && s.bridge != "":
		return fmt.Errorf("-profile builds a bridge that can be profiled; leave out -bridge")
	}
	return nil
}
