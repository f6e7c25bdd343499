package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// newHelp replaces cobra's own help command, to which an unknown name is no error.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [command]",
		Short:   "Help about any command",
		Example: "  bridge help serve",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("unknown command %q: the commands are %s", strings.Join(args, " "), strings.Join(commandNames(cmd.Root()), ", "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
