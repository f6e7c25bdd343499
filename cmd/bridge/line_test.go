package main

import (
	"errors"
	"testing"
)

// TestOneLine: an error is one line, and nothing in it acts on the terminal that shows it.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain":                                 "plain",
		"first\nsecond\r\n third ":              "first; second; third",
		"red \x1b[31m and bell \a":              "red \uFFFD[31m and bell \uFFFD",
		"bidi \u202egnp.exe and tag \U000e0041": "bidi \uFFFDgnp.exe and tag \uFFFD",
		"tab\tand é and 图":                      "tab\tand é and 图",
	} {
		if got := oneLine(errors.New(text)); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
