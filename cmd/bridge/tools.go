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
		Use:   "tools --config file | --backend host:port | --descriptor-set file | --proto file [flags]",
		Short: "Show which tools, resources and prompts would be offered, and what would be left out and why",
		Long: `Show which tools, resources and prompts would be offered, what would be left out, and which options of bridge.v1 would
not be followed, each with the reason. With --descriptor-set or --proto, or a file of
--config that names such, no backend is needed.

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
			if err != nil {
				return err
			}
			if output == "json" {
				return printJSON(cmd.OutOrStdout(), report)
			}
			return printTable(cmd.OutOrStdout(), report, wording(cmd))
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
