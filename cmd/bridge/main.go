// Command bridge offers running gRPC services as tools of the Model Context Protocol, over Streamable HTTP and stdio.
// See bridge --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"github.com/mcpgrpc/bridge/bridge/config"
)

// Exit codes.
const (
	exitFailure = 1 // the command was understood and failed
	exitUsage   = 2 // the command line is wrong
)

func main() {
	os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run executes one command line and returns its exit code. What goes wrong is one line on stderr.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errReported) {
		return exitFailure
	}
	var usage usageError
	isUsage := errors.As(err, &usage)
	if cmd == root && !isUsage { // root does nothing itself: the command is unknown
		isUsage = true
		err = fmt.Errorf("%w: the commands are %s", err, strings.Join(commandNames(root), ", "))
	}
	if lines := inFile(err); lines != nil {
		for _, line := range lines {
			fmt.Fprintln(stderr, "bridge: "+printable(line))
		}
		return exitFailure
	}
	if isUsage {
		fmt.Fprintln(stderr, "bridge: "+oneLine(err))
		return exitUsage
	}
	fmt.Fprintln(stderr, "bridge: "+withMend(cmd, oneLine(err)))
	return exitFailure
}

// inFile returns a line for each fault of a configuration file; nil for other errors.
func inFile(err error) []string {
	var invalid *config.Error
	if !errors.As(err, &invalid) || len(invalid.Faults) == 0 || invalid.Faults[0].File == "" {
		return nil
	}
	var lines []string
	for _, f := range invalid.Faults {
		lines = append(lines, f.String())
	}
	return lines
}

// errReported ends a command that has said on stderr why it failed.
var errReported = errors.New("reported already")

// usageError marks errors of the command line itself.
type usageError struct{ error }

// Unwrap returns the error that is marked.
func (e usageError) Unwrap() error { return e.error }

// usagef makes a usage error.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// oneLine writes an error on one line: joined errors, and compilers' lists, come as several.
func oneLine(err error) string {
	lines := strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' || r == '\r' })
	for i, l := range lines {
		lines[i] = printable(strings.TrimSpace(l))
	}
	return strings.Join(lines, "; ")
}

// printable replaces what could act on a terminal instead of being shown: errors may hold a server's own words.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || r == '\t' {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
