package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge"
	"github.com/mcpgrpc/bridge/bridge/config"
	"github.com/mcpgrpc/bridge/bridge/descriptor"
)

func newTools() *cobra.Command {
	var t target
	output := "table"
	cmd := &cobra.Command{
		Use:   "tools --config file | --backend host:port | --descriptor-set file | --proto file [flags]",
		Short: "Show which tools, resources and prompts would be offered, and what would be left out and why",
		Long: `Show which tools, resources and prompts would be offered, what would be left out, and which options of bridge.v1 would
not be followed, each with the reason. With --descriptor-set or --proto, or a file of
--config that names such, no backend is needed.

Of several backends, those that can be read are shown although others cannot; these are named on stderr, and the exit code is 1. With
them, names may be others.

HINTS are what the tool says of its effects, INPUT and OUTPUT the sizes of its schemas, TOKENS what all of its definition costs
a model, estimated as a quarter of its bytes. CHANGES names the method by which the backend tells that a resource has changed.
NOTES, where there are any: content (pictures, sound, resources) beside the data or instead of it, arguments that are sent as
HTTP headers too, a capability that the client needs, a reload after each call, what had to be cut from the schemas. The JSON
has all texts and schemas, as clients get them.`,
		Example: `  bridge tools --backend localhost:50051 --plaintext
  bridge tools --proto-path proto --proto library/v1/library.proto -o json
  bridge tools --config bridge.yaml`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			report, err := inspect(cmd, &t)
			if report == nil {
				return err
			}
			write := func(w io.Writer, r *bridge.Report) error { return printTable(w, r, wording(cmd)) }
			if output == "json" {
				write = func(w io.Writer, r *bridge.Report) error { return printJSON(w, r) }
			}
			return errors.Join(write(cmd.OutOrStdout(), report), err)
		},
	}
	t.register(cmd)
	cmd.Flags().VarP((*nonempty)(&output), "output", "o", "`form` of the report: table or json")
	return cmd
}

// checkOutput refuses a form of reports that there is not.
func checkOutput(output string) error {
	if output != "table" && output != "json" {
		return usagef("--output %q: choose table or json", output)
	}
	return nil
}

// inspect reports what a bridge with this target would offer. With a report, an error is about the backends that it lacks.
func inspect(cmd *cobra.Command, t *target) (report *bridge.Report, err error) {
	c, err := t.config(cmd, true)
	if err != nil {
		return nil, err
	}
	defer untilSignal(cmd)()
	if err := flagError(config.Check(c)); err != nil {
		return nil, err
	}
	ctx := cmd.Context()
	setup, err := config.DialContext(ctx, c)
	if err != nil {
		return nil, interrupted(ctx, err, "")
	}
	defer closing(setup, &err)
	backends, unread := described(ctx, setup.Backends)
	if len(backends) == 0 || ctx.Err() != nil {
		return nil, interrupted(ctx, unread, "")
	}
	report, err = bridge.Inspect(ctx, backends, setup.Options...)
	if err != nil {
		return nil, interrupted(ctx, errors.Join(err, unread), "")
	}
	return report, unread
}

// described reads the descriptors of all backends, at the same time, and returns the backends that have any, and an error that names
// the others.
func described(ctx context.Context, backends []bridge.Backend) (readable []bridge.Backend, unread error) {
	sets, errs := make([]*descriptor.Set, len(backends)), make([]error, len(backends))
	var all sync.WaitGroup
	for i, b := range backends {
		all.Go(func() { sets[i], errs[i] = b.Descriptors.Load(ctx) })
	}
	all.Wait()
	var faults []error
	for i, b := range backends {
		if errs[i] != nil {
			faults = append(faults, fmt.Errorf("backend %q: %w", cmp.Or(b.Name, "default"), errs[i]))
			continue
		}
		b.Descriptors = read{sets[i]}
		readable = append(readable, b)
	}
	unread = errors.Join(faults...)
	if unread != nil && len(readable) > 0 {
		unread = fmt.Errorf("%d of %d backends could not be read, and are not in this report: %w", len(faults), len(backends), unread)
	}
	return readable, unread
}

// read is a source of what has been read already.
type read struct{ set *descriptor.Set }

// Load returns it.
func (r read) Load(context.Context) (*descriptor.Set, error) { return r.set, nil }

// printJSON writes v indented.
func printJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
