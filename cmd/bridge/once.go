package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// once is a flag that has one value. A second, other one is refused: the library of the command line would take the last of them
// and say nothing of the others.
type once struct {
	pflag.Value
	given bool
}

// Set takes a value, once, or the same one again.
func (o *once) Set(s string) error {
	before, again := o.String(), o.given
	if err := o.Value.Set(s); err != nil {
		return err
	}
	o.given = true
	if again && o.String() != before {
		return fmt.Errorf("it was given before, with %q, and has one value: drop one of them", before)
	}
	return nil
}

// setOnce has each flag of a command that is not for repetition refuse a second value.
func setOnce(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		setOnce(c)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if _, many := f.Value.(pflag.SliceValue); many {
			return
		}
		if f.Value.Type() == "duration" && f.DefValue == "0s" {
			f.DefValue = "0" // help leaves this default out, as it does that of a bare duration
		}
		f.Value = &once{Value: f.Value}
	})
}
