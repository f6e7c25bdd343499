package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpgrpc/bridge/bridge/config"
	configv1 "github.com/mcpgrpc/bridge/gen/bridge/config/v1"
)

// read returns what the file of --config says. offline allows backends without a target.
func (t *target) read(cmd *cobra.Command, offline bool) (*configv1.Config, error) {
	return t.readWith(cmd, new(config.Reader), offline)
}

// readWith is read for a file that is read again and again, by the same reader, until the context of the command ends.
func (t *target) readWith(cmd *cobra.Command, files *config.Reader, offline bool) (*configv1.Config, error) {
	if err := t.alone(cmd); err != nil {
		return nil, err
	}
	c, err := files.Read(cmd.Context(), t.file)
	if errors.Is(err, context.Canceled) {
		return nil, interrupted(cmd.Context(), err, "")
	}
	if err != nil {
		return nil, err
	}
	for _, b := range c.GetBackends() {
		if b.GetTarget() == "" && !offline {
			return nil, fmt.Errorf("%s: backend %q has no target, which only bridge tools and bridge lint can do without: set target",
				t.file, cmp.Or(b.GetName(), "default"))
		}
	}
	return c, nil
}

// alone refuses flags of a target beside a file, of which one would silently be ignored.
func (t *target) alone(cmd *cobra.Command) error {
	var contrary []string
	own := &cobra.Command{}
	new(target).register(own)
	own.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != configFlag && cmd.Flags().Changed(f.Name) {
			contrary = append(contrary, "--"+f.Name)
		}
	})
	if contrary == nil {
		return nil
	}
	return usagef("--config and %s contradict each other: say it in %s, or drop --config", strings.Join(contrary, ", "), t.file)
}

// configFlag is the name of the flag of the configuration file.
const configFlag = "config"

// fromFile reports whether a command was given a configuration file, so that its user thinks in the words of that.
func fromFile(cmd *cobra.Command) bool {
	f := cmd.Flags().Lookup(configFlag)
	return f != nil && f.Changed
}

// wording returns how to say to the user of a command what is known in the words of the configuration.
func wording(cmd *cobra.Command) func(string) string {
	if fromFile(cmd) {
		return func(text string) string { return text }
	}
	return inFlags.Replace
}
