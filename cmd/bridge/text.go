package main

import "errors"

// nonempty is a text that a flag gives. An empty one mostly comes from a variable that is not set, and a
// default that nobody asked for would take its place.
type nonempty string

// Set takes a text.
func (t *nonempty) Set(s string) error {
	if s == "" {
		return errors.New("it is empty: give a value, or drop the flag")
	}
	*t = nonempty(s)
	return nil
}

// String returns the text.
func (t *nonempty) String() string { return string(*t) }

// Type names the kind of value as the command line's library does for its own.
func (t *nonempty) Type() string { return "string" }
