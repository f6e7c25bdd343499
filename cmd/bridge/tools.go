package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/mcpgrpc/bridge/bridge"
)

func newTools() *cobra.Command {
	var t target
	output := "table"
	cmd := &cobra.Command{
		Use:   "tools --backend host:port | --descriptor-set file | --proto file [flags]",
		Short: "Show which tools would be offered, and what would be left out and why",
		Long: `Show which tools would be offered, and what would be left out and why. With --descriptor-set or --proto no backend
is needed.`,
		Example: `  bridge tools --backend localhost:50051 --plaintext
  bridge tools --proto-path proto --proto library/v1/library.proto -o json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return usagef("--output %q: choose table or json", output)
			}
			report, err := inspect(cmd, &t)
			if err != nil {
				return err
			}
			if output == "json" {
				return printJSON(cmd.OutOrStdout(), report)
			}
			return printTable(cmd.OutOrStdout(), report)
		},
	}
	t.register(cmd)
	cmd.Flags().VarP((*nonempty)(&output), "output", "o", "`table` or json")
	return cmd
}

// inspect reports what a bridge with this target would offer.
func inspect(cmd *cobra.Command, t *target) (report *bridge.Report, err error) {
	c, err := t.config(cmd, true)
	if err != nil {
		return nil, err
	}
	defer untilSignal(cmd)()
	setup, err := dial(c)
	if err != nil {
		return nil, err
	}
	defer closing(setup, &err)
	report, err = bridge.Inspect(cmd.Context(), setup.Backends, setup.Options...)
	return report, interrupted(cmd.Context(), err, "")
}

// printJSON writes v indented.
func printJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}
