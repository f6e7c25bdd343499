package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge"
)

func newCall() *cobra.Command {
	var t target
	var r remote
	var answers []string
	cmd := &cobra.Command{
		Use:   "call --config file | --backend host:port | --url URL [flags] TOOL [JSON | -]",
		Short: "Call one tool, as a client would, and print the result",
		Long: `Call one tool, as a client would, and print the result as JSON: the response message, or the blocks of content where
it has pictures, sound or resources. The arguments are a JSON object, or "-" to read it
from stdin; none is the same as {}. When the call fails, what a model would read is printed to stderr.

With --url the call goes to an MCP server that runs already, such as a bridge, in the newest revision of the protocol. It then
begins a trace where the OTEL_* environment variables say where traces go, and prints the trace's id to stderr.

A tool that asks something before it goes on asks at the terminal, on stderr, or takes the values of --answer, one for each
question: the form as JSON, or decline or cancel. An address that it asks to visit is printed and never opened.`,
		Example: `  bridge call --backend localhost:50051 --plaintext library_get_book '{"name": "books/dune"}'
  echo '{"pageSize": 2}' | bridge call --backend localhost:50051 --plaintext library_list_books -
  bridge call --config bridge.yaml library_list_books
  bridge call --url http://127.0.0.1:8080/mcp library_list_books`,
		Args: callArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.check(cmd); err != nil {
				return err
			}
			a, err := newAsker(cmd, answers, args[1:])
			if err != nil {
				return err
			}
			if r.endpoint != "" {
				return callRemote(cmd, &r, a, r.patience(cmd, t.deadline), args[0], args[1:])
			}
			return call(cmd, &t, a, args[0], args[1:])
		},
	}
	t.register(cmd)
	r.register(cmd)
	cmd.Flags().StringArrayVar(&answers, "answer", nil,
		"answer what the tool asks, in the order in which it does, with this `JSON` object, or with decline or cancel; may be repeated")
	return cmd
}

func callArgs(cmd *cobra.Command, args []string) error {
	switch len(args) {
	case 0:
		return usagef("which tool? give its name, and its arguments as JSON; bridge tools lists the names; see %s --help", cmd.CommandPath())
	case 1, 2:
		if args[0] == "" {
			return usagef("the name of the tool is empty; bridge tools lists the names")
		}
		return nil
	}
	return usagef("%d arguments: give the tool and one JSON object, in quotes so that the shell keeps it together", len(args))
}

// arguments returns the tool's arguments from the command line or from stdin.
func arguments(cmd *cobra.Command, args []string) ([]byte, error) {
	if len(args) == 0 {
		return nil, nil
	}
	text := []byte(args[0])
	if args[0] == "-" {
		if isTerminal(cmd.InOrStdin()) {
			fmt.Fprintln(cmd.ErrOrStderr(), "bridge: type the arguments, a JSON object, and end them with Ctrl-D")
		}
		var err error
		if text, err = io.ReadAll(io.LimitReader(cmd.InOrStdin(), bridge.DefaultMaxRequestBytes+1)); err != nil {
			return nil, fmt.Errorf("read the arguments from stdin: %w", err)
		}
		if int64(len(text)) > bridge.DefaultMaxRequestBytes {
			return nil, fmt.Errorf("the arguments on stdin are larger than the %d bytes that a client may send", bridge.DefaultMaxRequestBytes)
		}
	}
	var checked json.RawMessage
	if err := json.Unmarshal(text, &checked); err != nil {
		return nil, usagef("the arguments are no JSON (%w): give an object such as '{\"name\": \"books/dune\"}'", err)
	}
	return text, nil
}

// isTerminal reports whether somebody has to type what is read from a stream, or sees what is written to it.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a device of the same kind
	return err != nil || !os.SameFile(info, null)
}

// call makes one call and prints its result, or its error to stderr. What is wrong with the flags is said before anything
// is read from stdin, where somebody may be typing, and whom the first Ctrl-C has to stop.
//
// Only errors are logged: what else a bridge has to tell at its start is about other tools, and bridge lint tells it.
func call(cmd *cobra.Command, t *target, a *asker, tool string, args []string) (err error) {
	c, err := t.config(cmd, false)
	if err != nil {
		return err
	}
	c.Reload = nil // else a backend that cannot be described is no error yet
	setup, err := dial(cmd.Context(), c)
	if err != nil {
		return err
	}
	defer closing(setup, &err)
	arguments, err := arguments(cmd, args)
	if err != nil {
		return err
	}
	defer untilSignal(cmd)()
	b, err := bridge.New(cmd.Context(), setup.Backends, append(setup.Options, bridge.WithLogger(newLogger(cmd, nil, slog.LevelError)))...)
	if err != nil {
		return interrupted(cmd.Context(), err, ": nothing was called")
	}
	defer closing(b, &err)
	result, err := b.Call(cmd.Context(), tool, arguments, bridge.Answering(a.capabilities(), a.answer))
	if errors.Is(err, bridge.ErrProtocol) {
		err = cmp.Or(noTool(b.Report(), tool), errors.New(strings.TrimPrefix(err.Error(), bridge.ErrProtocol.Error()+": ")))
	}
	if err != nil {
		return interrupted(cmd.Context(), err, a.aftermath(": whether the backend carried the call out is not known"))
	}
	if result.IsError { // behind its text may stand what there is of a stream
		fmt.Fprintln(cmd.ErrOrStderr(), strings.Join(append([]string{result.Text}, result.Warnings...), "\n"))
		return errReported
	}
	a.warn()
	for _, w := range result.Warnings {
		fmt.Fprintln(cmd.ErrOrStderr(), "bridge: warning: "+w)
	}
	return printResult(cmd.OutOrStdout(), result)
}

// noTool says that a name, an address or the method that is behind it is not that of a tool but of a resource or prompt; nil
// when it is a tool's or nobody's.
func noTool(r *bridge.Report, name string) error {
	if slices.ContainsFunc(r.Tools, func(t bridge.ToolReport) bool { return t.Name == name || t.Method == name }) {
		return nil
	}
	for _, p := range r.Prompts {
		if p.Name == name || p.Method == name {
			return fmt.Errorf("%q is no tool but the prompt %s, which clients ask for with prompts/get; bridge call calls tools alone", name, p.Name)
		}
	}
	for _, o := range r.Resources {
		if o.Name == name || o.Method == name || o.Address == name {
			return fmt.Errorf("%q is no tool but the resource %s, which clients read with resources/read; bridge call calls tools alone", name,
				o.Address)
		}
	}
	return nil
}

// printResult writes the result indented; its numbers and strings keep their spelling.
func printResult(w io.Writer, r *bridge.Result) error {
	var text bytes.Buffer
	result := r.JSON
	if r.Content != nil {
		result = r.Content
	}
	if err := json.Indent(&text, result, "", "  "); err != nil {
		return fmt.Errorf("the result is no JSON: %w", err)
	}
	_, err := fmt.Fprintln(w, text.String())
	return err
}
